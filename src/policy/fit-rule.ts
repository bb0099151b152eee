/** Fitting a rule to its surroundings: canonical names, known tools, servers and arguments, somebody to ask. */

import { argumentNames, canonicalArgument } from '../catalog/arguments.ts';
import type { Catalog } from '../catalog/catalog.ts';
import { nearest } from '../nearest.ts';
import type { ToolDeclaration } from '../tool.ts';
import { isArgumentWhen } from './arg.ts';
import type { Rule, Target, When } from './rule.ts';
import { targetText } from './target.ts';

interface Surroundings {
  /** Undefined: the tools are not known, so their names are not checked. */
  readonly catalog: Catalog | undefined;
  readonly servers: readonly string[] | undefined;
  /** Whether somebody answers asks that have no handler. */
  readonly answerable: boolean;
}

interface Fitted {
  readonly fitted: Rule;
  readonly when: When | undefined;
  readonly errors: readonly string[];
  readonly notes: readonly string[];
}

export function fitRule(rule: Rule, { catalog, servers, answerable }: Surroundings): Fitted {
  const errors: string[] = [];
  const notes: string[] = [];
  const named = rule.name === undefined ? `${rule.effect} ${targetText(rule.target)}` : `rule "${rule.name}"`;
  const serverProblem = unknownServer(rule.target, servers);
  if (serverProblem !== undefined) errors.push(`${named}: ${serverProblem}`);
  // An allow for nothing opens nothing, so it is only worth a warning.
  const unknown = (text: string): unknown => (rule.effect === 'allow' ? notes : errors).push(`${named}: ${text}`);
  const tool = declaredTool(rule.target, catalog);
  if (tool === undefined && serverProblem === undefined) {
    const problem = unknownTool(rule.target, catalog);
    if (problem !== undefined) unknown(problem);
  }
  const argument = tool === undefined ? undefined : unknownArgument(rule.when, tool);
  if (argument !== undefined) unknown(argument);
  const target: Target = tool === undefined ? rule.target : { type: 'tool', server: tool.server, tool: tool.name };
  return {
    fitted: answerableRule({ ...rule, target }, { answerable, named, errors }),
    when: boundWhen(rule.when, tool),
    errors,
    notes,
  };
}

function unknownServer(target: Target, servers: readonly string[] | undefined): string | undefined {
  if (target.type === 'all' || target.server === undefined) return undefined;
  if (servers === undefined) return `it is about the MCP server "${target.server}", and no servers were given`;
  if (servers.includes(target.server)) return undefined;
  return `no server is named "${target.server}"${meant(target.server, servers)}`;
}

function declaredTool(target: Target, catalog: Catalog | undefined): ToolDeclaration | undefined {
  return target.type === 'tool' ? catalog?.canonical(target.server, target.tool) : undefined;
}

function unknownTool(target: Target, catalog: Catalog | undefined): string | undefined {
  if (target.type !== 'tool' || catalog === undefined) return undefined;
  const known = catalog.known(target.server);
  // A server that has listed nothing yet may still have it.
  if (target.server !== undefined && known.length === 0) return undefined;
  return `no tool is named "${target.tool}"${meant(target.tool, known)}`;
}

function unknownArgument(when: When | undefined, tool: ToolDeclaration): string | undefined {
  if (when === undefined || !isArgumentWhen(when)) return undefined;
  const known = argumentNames(tool);
  if (known === undefined || known.has(when.argument)) return undefined;
  return `tool "${tool.name}" has no argument "${when.argument}"${meant(when.argument, known)}`;
}

function boundWhen(when: When | undefined, tool: ToolDeclaration | undefined): When | undefined {
  if (when === undefined || tool === undefined || !isArgumentWhen(when)) return when;
  return when.readFrom(canonicalArgument(tool, when.argument));
}

function answerableRule(
  rule: Rule,
  { answerable, named, errors }: { answerable: boolean; named: string; errors: string[] },
): Rule {
  if (rule.effect !== 'ask' || rule.handler !== undefined || answerable) return rule;
  if (rule.unanswerable !== undefined) return { ...rule, effect: 'deny', reason: rule.unanswerable };
  if (rule.shadow !== true) errors.push(`${named}: it asks, and nobody can answer; give it a handler, or an approver`);
  return rule;
}

function meant(name: string, known: Iterable<string>): string {
  const near = nearest(name, known);
  return near === undefined ? '' : `; did you mean "${near}"?`;
}
