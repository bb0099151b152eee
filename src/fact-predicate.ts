/** A fact as the condition of a rule: certain, or a signal that the engine rounds (X01). */

import type { ToolCall } from './call.ts';
import type { JsonObject } from './json.ts';
import type { ToolDeclaration } from './tool.ts';
import { certain, type Fact } from './truth.ts';

/** A condition that rules take as `when`. */
export interface FactPredicate {
  (args: JsonObject, call: ToolCall, about: { readonly tool: ToolDeclaration }): boolean;
  readonly fact: Fact;
}

/** `text` is how the condition is written: it tells one from another in the version of a policy. */
export function predicateOf(text: string, fact: Fact): FactPredicate {
  const when = (_args: JsonObject, call: ToolCall, { tool }: { readonly tool: ToolDeclaration }): boolean =>
    certain(fact(call, tool));
  return Object.freeze(Object.assign(when, { fact, toString: () => text }));
}
