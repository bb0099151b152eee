/** A fact as the condition of a rule: certain, or a signal that the engine rounds (X01). */

import type { ToolCall } from '../../call.ts';
import type { JsonObject } from '../../json.ts';
import type { ToolDeclaration } from '../../tool.ts';
import { withClause, requireKnown, type Fact } from './truth.ts';

/** What a tool must declare before a fact about its calls can be known. */
export type FactSource = 'bash' | 'files' | 'urls';

/** Something that can say what a tool does not declare and would have to. */
export interface NeedsDeclaration {
  readonly lacks: (tool: ToolDeclaration) => FactSource | undefined;
}

/** A condition that rules take as `when`. */
export interface FactPredicate extends NeedsDeclaration {
  (args: JsonObject, call: ToolCall, about: { readonly tool: ToolDeclaration }): boolean;
  readonly fact: Fact;
}

interface FactText {
  /** How the condition is written: it tells one from another in the version of a policy. */
  readonly text: string;
  /** What is asked, for a reason: see `factClauses`. */
  readonly clause?: (() => string) | undefined;
  readonly source: FactSource;
}

export function makeFactPredicate({ text, clause, source }: FactText, plain: Fact): FactPredicate {
  const fact = clause === undefined ? plain : withClause(clause, plain);
  const when = (_args: JsonObject, call: ToolCall, { tool }: { readonly tool: ToolDeclaration }): boolean =>
    requireKnown(fact(call, tool));
  const lacks = (tool: ToolDeclaration): FactSource | undefined => (declares[source](tool) ? undefined : source);
  return Object.freeze(Object.assign(when, { fact, lacks, toString: () => text }));
}

/** What a condition needs and a tool does not declare; undefined for conditions that are no facts. */
export function missingDeclarationOf(condition: unknown, tool: ToolDeclaration): FactSource | undefined {
  const lacks = typeof condition === 'function' && 'lacks' in condition ? condition.lacks : undefined;
  return typeof lacks === 'function' ? (lacks as NeedsDeclaration['lacks'])(tool) : undefined;
}

const declares: Readonly<Record<FactSource, (tool: ToolDeclaration) => boolean>> = {
  bash: ({ touches }) => holds(touches?.bash),
  files: ({ touches, paths }) => holds(paths) || holds(touches?.bash),
  urls: ({ touches }) => holds(touches?.urls),
};

function holds(names: readonly string[] | undefined): boolean {
  return names !== undefined && names.length > 0;
}
