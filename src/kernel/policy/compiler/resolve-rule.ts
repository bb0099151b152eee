/** Fits a rule to the tools and servers that exist: its canonical tool name, an approver for its asks, and problems. */

import type { RuleCheckResult } from '../../call.ts';
import { argumentNames } from '../../catalog/argument-names.ts';
import type { Catalog } from '../../catalog/catalog.ts';
import { didYouMean, listTools } from '../../names.ts';
import type { ToolDeclaration } from '../../tool.ts';
import { ruleLabel } from './read-rule.ts';
import type { Rule, Target } from '../rules/rule.ts';

export interface RuleEnvironment {
  /** Undefined if the tools are unknown. Then tool names are not checked. */
  readonly catalog: Catalog | undefined;
  readonly servers: readonly string[] | undefined;
  /** True if there is an approver for asks without a handler. */
  readonly answerable: boolean;
  /** True: unknown names are warnings instead of errors. */
  readonly lenient: boolean;
}

/** The rule as it is evaluated. */
export function resolveRule(rule: Rule, { catalog, answerable }: RuleEnvironment): Rule {
  const { target, unanswerable: reason, check } = rule;
  // A server may change its tools and aliases, so its aliases are resolved with each call.
  const isLocal = target.type === 'tool' && target.server === undefined;
  const tool = isLocal ? catalog?.resolveTool(undefined, target.tool) : undefined;
  const exact: Rule =
    tool === undefined
      ? rule
      : { ...rule, target: Object.freeze({ type: 'tool', server: undefined, tool: tool.name }) };
  if (reason !== undefined && isUnanswered(rule, answerable)) {
    const checked: Rule['check'] = check && ((call, called) => addReason(check(call, called), reason));
    return { ...exact, effect: 'deny', reason, check: checked };
  }
  // A rule that asks only if its condition is unknown needs no approver: without one it denies.
  return rule.unknown === 'ask' ? { ...exact, unanswerable: answerable ? undefined : 'nobody can answer' } : exact;
}

function isUnanswered({ effect, handler }: Rule, answerable: boolean): boolean {
  return effect === 'ask' && handler === undefined && !answerable;
}

function addReason(result: RuleCheckResult, reason: string): RuleCheckResult {
  return result?.reason === undefined ? result : { ...result, reason: `${result.reason} ${reason}` };
}

const nobodyAnswers = 'it asks, but there is nobody to answer; give it a handler, or set an approver';

/** Why the rule cannot be used with these tools and servers. */
export function ruleErrors(rule: Rule, { catalog, servers, answerable, lenient }: RuleEnvironment): readonly string[] {
  const { target, effect, unanswerable, shadow, optional } = rule;
  const noServer = unknownServer(target, servers);
  const problems = [noServer];
  if (isUnanswered(rule, answerable) && unanswerable === undefined && shadow !== true) problems.push(nobodyAnswers);
  if (catalog !== undefined && noServer === undefined && !lenient) {
    if (target.type === 'tool' && target.server === undefined) problems.push(...undeclaredFacts(rule, catalog));
    // An allow rule for a missing tool allows nothing, so a warning is enough.
    if (effect !== 'allow' && optional !== true)
      problems.push(unknownTool(rule, catalog), unknownArgument(rule, catalog));
  }
  return labelled(rule, problems);
}

/** Probable mistakes that are not errors. They can change, because a server may list its tools later. */
export function ruleWarnings(rule: Rule, catalog: Catalog): readonly string[] {
  const missing = unknownTool(rule, catalog);
  const problems =
    missing === undefined ? [unknownArgument(rule, catalog), ...undeclaredFacts(rule, catalog)] : [missing];
  return labelled(rule, problems);
}

function labelled(rule: Rule, problems: readonly (string | undefined)[]): readonly string[] {
  return problems.filter((text) => text !== undefined).map((text) => `${ruleLabel(rule)}: ${text}`);
}

function unknownServer(target: Target, servers: readonly string[] | undefined): string | undefined {
  if (target.type === 'all' || target.server === undefined) return undefined;
  if (servers === undefined) {
    const server = JSON.stringify(target.server);
    return `it is about the MCP server ${server}, and no servers were given; add servers: [${server}]`;
  }
  if (servers.includes(target.server)) return undefined;
  return `no server is named "${target.server}"${didYouMean(target.server, servers)}`;
}

function unknownTool({ target, optional }: Rule, catalog: Catalog): string | undefined {
  if (target.type !== 'tool' || catalog.resolveTool(target.server, target.tool) !== undefined) return undefined;
  const known = catalog.knownNames(target.server);
  // A server that has not listed its tools yet may have it.
  if (target.server !== undefined && known.length === 0) return undefined;
  const hint = didYouMean(target.tool, known);
  return optional === true && hint === '' ? undefined : `no tool is named "${target.tool}"${hint}`;
}

/** A problem if none of the rule's tools has the argument. Checked only if all of them declare their arguments. */
function unknownArgument({ when, target }: Rule, catalog: Catalog): string | undefined {
  const argument = when?.argument;
  if (argument === undefined) return undefined;
  const hasUnlisted = catalog.servers.some((server) => catalog.knownNames(server).length === 0);
  const tools = target.type === 'all' && hasUnlisted ? [] : toolsOf(target, catalog);
  const known = new Set<string>();
  for (const tool of tools) {
    const names = argumentNames(tool);
    if (names === undefined || names.has(argument)) return undefined;
    for (const name of names) known.add(name);
  }
  if (tools.length === 0) return undefined;
  return `no tool it is about has an argument "${argument}"${didYouMean(argument, known)}`;
}

function toolsOf(target: Target, catalog: Catalog): readonly ToolDeclaration[] {
  if (target.type === 'all') return catalog.list();
  if (target.type === 'server') return catalog.list().filter((tool) => tool.server === target.server);
  const tool = catalog.resolveTool(target.server, target.tool);
  return tool === undefined ? [] : [tool];
}

/** A condition about what a tool touches, if the tool does not declare that: the rule refuses every call or never applies. */
function undeclaredFacts({ when, target }: Rule, catalog: Catalog): readonly string[] {
  const lacks = when?.lacks;
  if (lacks === undefined) return [];
  const isOne = target.type === 'tool';
  // Of several tools, others may declare what they touch.
  const blind = toolsOf(target, catalog).filter(
    (tool) => (isOne || declaresNothing(tool)) && lacks(tool) !== undefined,
  );
  const [first] = blind;
  const missing = first && lacks(first);
  if (missing === undefined) return [];
  const { what, effect, hint } = missing;
  return isOne
    ? [`its condition asks what ${listTools(blind, 1)} ${what}, and the tool does not declare that. ${hint}`]
    : [`the declarations of ${listTools(blind, 10)} do not say what the tool ${what}, so ${effect}. ${hint}`];
}

function declaresNothing({ tier, touches, paths, commands }: ToolDeclaration): boolean {
  return tier !== 'observe' && touches === undefined && paths === undefined && commands === undefined;
}
