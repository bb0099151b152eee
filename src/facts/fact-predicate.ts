/** A fact as the condition of a rule. If the fact is unknown, the condition throws a signal that the evaluator handles (X01). */

import type { ToolCall } from '../kernel/call.ts';
import { argumentNames } from '../kernel/catalog/argument-names.ts';
import type { JsonObject } from '../kernel/json.ts';
import { quoteName } from '../kernel/names.ts';
import type { MissingDeclaration } from '../kernel/policy/rules/rule.ts';
import type { ToolDeclaration } from '../kernel/tool.ts';
import { type Fact, requireKnown, withClause } from './truth.ts';

/** A fact that rules accept as `when`. */
export interface FactPredicate {
  (args: JsonObject, call: ToolCall, about: { readonly tool: ToolDeclaration }): boolean;
  readonly fact: Fact;
  /** The declaration that `tool` is missing, if any. */
  readonly lacks: (tool: ToolDeclaration) => MissingDeclaration | undefined;
}

interface FactText {
  /** The source text of the condition. The policy version depends on it. */
  readonly text: string;
  /** Describes the fact in messages: see `factClauses`. */
  readonly clause?: (() => string) | undefined;
  readonly source: FactSource;
}

export function createFactPredicate({ text, clause, source }: FactText, plain: Fact): FactPredicate {
  const fact = clause === undefined ? plain : withClause(clause, plain);
  const when = (_args: JsonObject, call: ToolCall, { tool }: { readonly tool: ToolDeclaration }): boolean =>
    requireKnown(fact(call, tool));
  const lacks = (tool: ToolDeclaration): MissingDeclaration | undefined => missingDeclaration(source, tool);
  return Object.freeze(Object.assign(when, { fact, lacks, toString: () => text }));
}

/** What a tool must declare so that facts about its calls can be known. */
type FactSource = keyof typeof sources;

const neverApplies = 'the rule never applies to their calls';
const sources = {
  bash: {
    isDeclared: ({ touches }: ToolDeclaration) => isNotEmpty(touches?.bash),
    what: 'runs',
    effect: 'the answer is unknown, which never allows a call',
    declared: (name: string) => `touches: { bash: [${name}] }`,
    /** Typical names of such an argument, for the example in the message. */
    usual: /comm|cmd|script|line/i,
    example: 'command',
  },
  files: {
    isDeclared: ({ touches, paths }: ToolDeclaration) => isNotEmpty(paths) || isNotEmpty(touches?.bash),
    what: 'reads or writes',
    effect: neverApplies,
    declared: (name: string) => `paths: [${name}], touches: { writes: [${name}] }`,
    usual: /path|file/i,
    example: 'path',
  },
  urls: {
    isDeclared: ({ touches }: ToolDeclaration) => isNotEmpty(touches?.urls),
    what: 'connects to',
    effect: neverApplies,
    declared: (name: string) => `touches: { urls: [${name}] }`,
    usual: /ur[il]|host/i,
    example: 'url',
  },
};

function isNotEmpty(names: readonly string[] | undefined): boolean {
  return names !== undefined && names.length > 0;
}

function missingDeclaration(source: FactSource, tool: ToolDeclaration): MissingDeclaration | undefined {
  const { isDeclared, what, effect, declared, usual, example } = sources[source];
  if (isDeclared(tool)) return undefined;
  const names = [...(argumentNames(tool) ?? [])];
  const argument = quoted(names.find((name) => usual.test(name)) ?? names[0] ?? example);
  const hint = `Declare it with "touches": { name: ${quoted(tool.name)}, ${declared(argument)} }`;
  return { what, effect, hint };
}

function quoted(name: string): string {
  return quoteName(name).replaceAll('"', "'");
}
