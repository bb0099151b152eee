/** Resolves a rule against the catalog: canonical tool name, known servers, tools and arguments, and an approver for asks. */

import type { RuleCheckResult } from '../../call.ts';
import { argumentNames } from '../../catalog/argument-aliases.ts';
import type { Catalog } from '../../catalog/catalog.ts';
import { didYouMean, listTools, pairText, quoteName } from '../../names.ts';
import type { ToolDeclaration } from '../../tool.ts';
import { isArgumentPredicate } from '../conditions/argument-predicate.ts';
import { ruleLabel } from './read-rule.ts';
import type { Rule, Target } from '../rules/rule.ts';

interface RuleEnvironment {
  /** Undefined if the tools are unknown. Then tool names are not checked. */
  readonly catalog: Catalog | undefined;
  readonly servers: readonly string[] | undefined;
  /** True if there is an approver for asks without a handler. */
  readonly answerable: boolean;
  /** True: unknown names are warnings instead of errors. */
  readonly lenient: boolean;
}

interface ResolvedRule {
  readonly resolved: Rule;
  readonly errors: readonly string[];
  /** Computed on demand, because searching for similar names is slow. */
  readonly notes: () => readonly string[];
}

const nobodyAnswers = 'it asks, but there is nobody to answer; give it a handler, or set an approver';

export function resolveRule(rule: Rule, { catalog, servers, answerable, ...rest }: RuleEnvironment): ResolvedRule {
  const { target } = rule;
  const tool = target.type === 'tool' ? catalog?.resolveTool(target.server, target.tool) : undefined;
  const { unanswerable: reason } = rule;
  const isUnanswered = rule.effect === 'ask' && rule.handler === undefined && !answerable;
  const resolved: Rule =
    isUnanswered && reason !== undefined ? denyInstead(rule, reason) : asksIfUnknown(rule, answerable);
  const unanswered = isUnanswered && reason === undefined && rule.shadow !== true ? nobodyAnswers : undefined;
  const blind = tool === undefined || tool.server !== undefined ? undefined : undeclaredFactProblem(rule, tool);
  const certain = [unknownServer(target, servers), unanswered, rest.lenient ? undefined : blind];
  const unknown = (): readonly (string | undefined)[] =>
    certain[0] === undefined && catalog !== undefined
      ? [isUnknown(target, catalog) ? unknownTool(rule, catalog) : undefined, unknownArgument(rule, catalog)]
      : [];
  const named = (texts: readonly (string | undefined)[]): string[] =>
    texts.filter((text) => text !== undefined).map((text) => `${ruleLabel(rule)}: ${text}`);
  // An allow rule for a missing tool allows nothing, so a warning is enough.
  const lenient = rest.lenient || rule.effect === 'allow' || rule.optional === true;
  return {
    // A server may change its tools and aliases, so its aliases are resolved with each call.
    resolved: tool?.server === undefined && tool !== undefined ? { ...resolved, target: exactly(tool) } : resolved,
    errors: named(lenient ? certain : [...certain, ...unknown()]),
    notes: () => named(lenient ? [...unknown(), rest.lenient ? blind : undefined] : []),
  };
}

/** Turns an ask rule without an approver into a deny rule, with `reason` added to the reason of its check. */
function denyInstead(rule: Rule, reason: string): Rule {
  const { check } = rule;
  const checked: Rule['check'] = check && ((call, tool) => addReason(check(call, tool), reason));
  return { ...rule, effect: 'deny', reason, check: checked };
}

function addReason(finding: RuleCheckResult, reason: string): RuleCheckResult {
  return finding?.reason === undefined ? finding : { ...finding, reason: `${finding.reason} ${reason}` };
}

/** A rule that asks only if its condition is unknown needs no approver: without one it denies. */
function asksIfUnknown(rule: Rule, answerable: boolean): Rule {
  return rule.unknown === 'ask' ? { ...rule, unanswerable: answerable ? undefined : 'nobody can answer' } : rule;
}

/** Problems that depend on a server's list of tools: a rule for a missing tool, or for one with missing declarations. */
export function serverListProblems(rule: Rule, catalog: Catalog): readonly string[] {
  const { target } = rule;
  const isMissing = target.type === 'tool' && target.server !== undefined && isUnknown(target, catalog);
  const problem = isMissing ? unknownTool(rule, catalog) : undefined;
  const problems = problem === undefined ? undeclaredFactWarnings(rule, catalog) : [problem];
  return problems.map((text) => `${ruleLabel(rule)}: ${text}`);
}

/** Not cached, because a server may list its tools later. */
function isUnknown(target: Target, catalog: Catalog): boolean {
  return target.type === 'tool' && catalog.resolveTool(target.server, target.tool) === undefined;
}

function exactly({ server, name }: ToolDeclaration): Target {
  return Object.freeze({ type: 'tool', server, tool: name });
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
  if (target.type !== 'tool') return undefined;
  const known = catalog.knownNames(target.server);
  // A server that has not listed its tools yet may have it.
  if (target.server !== undefined && known.length === 0) return undefined;
  const hint = didYouMean(target.tool, known);
  return optional === true && hint === '' ? undefined : `no tool is named "${target.tool}"${hint}`;
}

/** A problem if none of the rule's tools has the argument. Checked only if all of them declare their arguments. */
function unknownArgument({ when, target }: Rule, catalog: Catalog): string | undefined {
  if (!isArgumentPredicate(when)) return undefined;
  const tools = toolsOf(target, catalog);
  const known = new Set<string>();
  for (const tool of tools) {
    const names = argumentNames(tool);
    if (names === undefined || names.has(when.argument)) return undefined;
    for (const name of names) known.add(name);
  }
  if (tools.length === 0) return undefined;
  return `no tool it is about has an argument "${when.argument}"${didYouMean(when.argument, known)}`;
}

function toolsOf(target: Target, catalog: Catalog): readonly ToolDeclaration[] {
  if (target.type === 'tool')
    return [catalog.resolveTool(target.server, target.tool)].filter((tool) => tool !== undefined);
  if (target.type === 'server') return catalog.list().filter((tool) => tool.server === target.server);
  return catalog.servers.some((server) => catalog.knownNames(server).length === 0) ? [] : catalog.list();
}

/** Why a rule for exactly this tool has no effect: it would refuse every call or never apply. */
function undeclaredFactProblem({ when }: Rule, tool: ToolDeclaration): string | undefined {
  const missing = when?.lacks?.(tool);
  const name = quoteName(pairText(tool.server, tool.name));
  return (
    missing && `its condition asks what ${name} ${missing.what}, and the tool does not declare that. ${missing.hint}`
  );
}

/** The same for a rule about several tools, of which others may declare what they touch. */
function undeclaredFactWarnings(rule: Rule, catalog: Catalog): readonly string[] {
  const { target, when } = rule;
  if (when?.lacks === undefined || (target.type === 'tool' && target.server === undefined)) return [];
  if (target.type === 'tool') {
    return toolsOf(target, catalog).flatMap((tool) => undeclaredFactProblem(rule, tool) ?? []);
  }
  const isMeant = ({ server }: ToolDeclaration): boolean => target.type === 'all' || server === target.server;
  const blind = catalog.list().filter((tool) => isMeant(tool) && declaresNothing(tool) && when.lacks?.(tool));
  const [first] = blind;
  const missing = first && when.lacks(first);
  if (missing === undefined) return [];
  const { what, effect, hint } = missing;
  return [`the declarations of ${listTools(blind, 10)} do not say what the tool ${what}, so ${effect}. ${hint}`];
}

function declaresNothing({ tier, touches, paths, commands }: ToolDeclaration): boolean {
  return tier !== 'observe' && touches === undefined && paths === undefined && commands === undefined;
}
