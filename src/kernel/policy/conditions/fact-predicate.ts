/** A fact as the condition of a rule. If the fact is unknown, the condition throws a signal that the evaluator handles (X01). */

import type { ToolCall } from '../../call.ts';
import type { JsonObject } from '../../json.ts';
import type { ToolDeclaration } from '../../tool.ts';
import { withClause, requireKnown, type Fact } from './truth.ts';

/** What a tool must declare so that facts about its calls can be known. */
export type FactSource = 'bash' | 'files' | 'urls';

/** A condition that knows which declaration it needs. */
export interface NeedsDeclaration {
  /** The declaration that `tool` is missing, if any. */
  readonly lacks: (tool: ToolDeclaration) => FactSource | undefined;
}

/** A fact that rules accept as `when`. */
export interface FactPredicate extends NeedsDeclaration {
  (args: JsonObject, call: ToolCall, about: { readonly tool: ToolDeclaration }): boolean;
  readonly fact: Fact;
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
  const lacks = (tool: ToolDeclaration): FactSource | undefined => (declares[source](tool) ? undefined : source);
  return Object.freeze(Object.assign(when, { fact, lacks, toString: () => text }));
}

/** The declaration that a condition needs and `tool` is missing; undefined if the condition is not a fact. */
export function missingDeclarationOf(condition: unknown, tool: ToolDeclaration): FactSource | undefined {
  const lacks = typeof condition === 'function' && 'lacks' in condition ? condition.lacks : undefined;
  return typeof lacks === 'function' ? (lacks as NeedsDeclaration['lacks'])(tool) : undefined;
}

const declares: Readonly<Record<FactSource, (tool: ToolDeclaration) => boolean>> = {
  bash: ({ touches }) => isNotEmpty(touches?.bash),
  files: ({ touches, paths }) => isNotEmpty(paths) || isNotEmpty(touches?.bash),
  urls: ({ touches }) => isNotEmpty(touches?.urls),
};

function isNotEmpty(names: readonly string[] | undefined): boolean {
  return names !== undefined && names.length > 0;
}
