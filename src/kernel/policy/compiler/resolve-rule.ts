/** Fitting a rule to its surroundings: canonical names, known tools, servers and arguments, somebody to ask. */

import type { Finding } from '../../call.ts';
import { argumentNames } from '../../catalog/argument-aliases.ts';
import type { Catalog } from '../../catalog/catalog.ts';
import { didYouMean } from '../../names.ts';
import type { ToolDeclaration } from '../../tool.ts';
import { isArgumentPredicate } from '../conditions/argument-predicate.ts';
import { undeclaredFactProblem, undeclaredFactWarnings } from './undeclared-facts.ts';
import { messageNameOf } from './check-rule.ts';
import type { Rule, Target } from '../rules/rule.ts';

interface RuleEnvironment {
  /** Undefined: the tools are not known, so their names are not checked. */
  readonly catalog: Catalog | undefined;
  readonly servers: readonly string[] | undefined;
  /** Whether somebody answers asks that have no handler. */
  readonly answerable: boolean;
  /** Names that are not known are only worth a warning. */
  readonly lenient: boolean;
}

interface ResolvedRule {
  readonly resolved: Rule;
  readonly errors: readonly string[];
  /** Looking for the name that was meant takes time, and few ask. */
  readonly notes: () => readonly string[];
}

const nobodyAnswers = 'it asks, and nobody can answer; give it a handler, or an approver';

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
    texts.filter((text) => text !== undefined).map((text) => `${messageNameOf(rule)}: ${text}`);
  // An allow for nothing opens nothing, so it is only worth a warning.
  const lenient = rest.lenient || rule.effect === 'allow' || rule.optional === true;
  return {
    // The list of a server may change, and what its aliases mean with it: they are looked up with each call.
    resolved: tool?.server === undefined && tool !== undefined ? { ...resolved, target: exactly(tool) } : resolved,
    errors: named(lenient ? certain : [...certain, ...unknown()]),
    notes: () => named(lenient ? [...unknown(), rest.lenient ? blind : undefined] : []),
  };
}

/** A rule whose asks nobody can answer: it denies, and says so after what its check found. */
function denyInstead(rule: Rule, reason: string): Rule {
  const { check } = rule;
  const checked: Rule['check'] = check && ((call, tool) => addReason(check(call, tool), reason));
  return { ...rule, effect: 'deny', reason, check: checked };
}

function addReason(finding: Finding, reason: string): Finding {
  return finding?.reason === undefined ? finding : { ...finding, reason: `${finding.reason} ${reason}` };
}

/** A rule that asks only if its condition is unknown is no error where nobody can answer: then it denies. */
function asksIfUnknown(rule: Rule, answerable: boolean): Rule {
  return rule.unknown === 'ask' ? { ...rule, unanswerable: answerable ? undefined : 'nobody can answer' } : rule;
}

/** What can change when a server lists its tools: a rule for a tool that it does not have, or that declares too little. */
export function serverListProblems(rule: Rule, catalog: Catalog): readonly string[] {
  const { target } = rule;
  const isMissing = target.type === 'tool' && target.server !== undefined && isUnknown(target, catalog);
  const problem = isMissing ? unknownTool(rule, catalog) : undefined;
  const problems = problem === undefined ? undeclaredFactWarnings(rule, catalog) : [problem];
  return problems.map((text) => `${messageNameOf(rule)}: ${text}`);
}

/** Asked anew each time, because a server may list its tools later. */
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
  // A server that has listed nothing yet may still have it.
  if (target.server !== undefined && known.length === 0) return undefined;
  const hint = didYouMean(target.tool, known);
  return optional === true && hint === '' ? undefined : `no tool is named "${target.tool}"${hint}`;
}

/** An argument that none of the tools a rule is about has, if all of them are known and tell. */
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
