/** Rules with facts about tools that do not declare what they touch. Such a rule refuses every call or never applies. */

import { argumentNames } from '../../catalog/argument-aliases.ts';
import type { Catalog } from '../../catalog/catalog.ts';
import { pairText, quoteName } from '../../names.ts';
import { type FactSource, missingDeclarationOf } from '../conditions/fact-predicate.ts';
import type { ToolDeclaration } from '../../tool.ts';
import type { Rule } from '../rules/rule.ts';

const asked: Readonly<Record<FactSource, string>> = { bash: 'runs', files: 'reads or writes', urls: 'connects to' };

/** Typical names of such an argument, for the example in the message. */
const usual: Readonly<Record<FactSource, RegExp>> = {
  bash: /comm|cmd|script|line/i,
  files: /path|file/i,
  urls: /ur[il]|host/i,
};
const fallbacks: Readonly<Record<FactSource, string>> = { bash: 'command', files: 'path', urls: 'url' };

/** Why a rule for exactly this tool has no effect. */
export function undeclaredFactProblem({ when }: Rule, tool: ToolDeclaration): string | undefined {
  const lack = missingDeclarationOf(when, tool);
  if (lack === undefined) return undefined;
  const name = pairText(tool.server, tool.name);
  return `its condition asks what ${quoteName(name)} ${asked[lack]}, and the tool does not declare that. ${hint(tool, lack)}`;
}

/** The same for a rule about several tools, of which others may declare what they touch. */
export function undeclaredFactWarnings(rule: Rule, catalog: Catalog): readonly string[] {
  const { target, when } = rule;
  if (when === undefined || (target.type === 'tool' && target.server === undefined)) return [];
  if (target.type === 'tool') {
    const tool = catalog.resolveTool(target.server, target.tool);
    const problem = tool && undeclaredFactProblem(rule, tool);
    return problem === undefined ? [] : [problem];
  }
  const isMeant = ({ server }: ToolDeclaration): boolean => target.type === 'all' || server === target.server;
  const blind = catalog
    .list()
    .filter((tool) => isMeant(tool) && tellsNothing(tool) && missingDeclarationOf(when, tool) !== undefined);
  const [first] = blind;
  const lack = first && missingDeclarationOf(when, first);
  if (first === undefined || lack === undefined) return [];
  const names = blind.slice(0, 10).map(({ server, name }) => quoteName(pairText(server, name)));
  const more = blind.length > names.length ? ` and ${blind.length - names.length} more` : '';
  const effect =
    lack === 'bash' ? 'the answer is unknown, which never allows a call' : 'the rule never applies to their calls';
  return [
    `the declarations of ${names.join(', ')}${more} do not say what the tool ${asked[lack]}, so ${effect}. ${hint(first, lack)}`,
  ];
}

function tellsNothing({ tier, touches, paths, commands }: ToolDeclaration): boolean {
  return tier !== 'observe' && touches === undefined && paths === undefined && commands === undefined;
}

function hint(tool: ToolDeclaration, lack: FactSource): string {
  const names = [...(argumentNames(tool) ?? [])];
  const argument = quoted(names.find((name) => usual[lack].test(name)) ?? names[0] ?? fallbacks[lack]);
  const declared: Readonly<Record<FactSource, string>> = {
    bash: `touches: { bash: [${argument}] }`,
    files: `paths: [${argument}], touches: { writes: [${argument}] }`,
    urls: `touches: { urls: [${argument}] }`,
  };
  return `Declare it with "touches": { name: ${quoted(tool.name)}, ${declared[lack]} }`;
}

function quoted(name: string): string {
  return quoteName(name).replaceAll('"', "'");
}
