/**
 * Three-valued truth: yes, no, or unknown with a reason (X01). Facts are combined by Kleene's rules, so an unknown part
 * does not change a result that the other parts determine.
 */

import type { ToolCall } from '../kernel/call.ts';
import { BridleError } from '../kernel/errors.ts';
import type { ToolDeclaration } from '../kernel/tool.ts';

export interface Unknown {
  readonly type: 'unknown';
  /** Completes a sentence after "because", or after "Bridle cannot tell" if it begins with "whether". */
  readonly why: string;
}

export type Truth = boolean | Unknown;

/** A statement about a call: true, false or unknown. Never throws. */
export type Fact = (call: ToolCall, tool: ToolDeclaration) => Truth;

export function unknownBecause(why: string): Unknown {
  return { type: 'unknown', why };
}

export function isUnknown(truth: Truth): truth is Unknown {
  return typeof truth === 'object';
}

/** Adds a clause to the reason of an unknown fact: `whether the call runs "rm" (a command name is not literal)`. */
export function withClause(clause: () => string, fact: Fact): Fact {
  return (call, tool) => addClause(clause, fact(call, tool));
}

export function addClause(clause: () => string, truth: Truth): Truth {
  return isUnknown(truth) ? unknownBecause(`whether ${clause()} (${truth.why})`) : truth;
}

/** True if one is true, false if all are false, unknown otherwise. */
export function anyTrue(truths: Iterable<Truth>): Truth {
  let doubt: Unknown | undefined;
  for (const truth of truths) {
    if (truth === true) return true;
    if (isUnknown(truth)) doubt ??= truth;
  }
  return doubt ?? false;
}

/** False if one is false, true if all are true, unknown otherwise. */
export function allTrue(truths: Iterable<Truth>): Truth {
  let doubt: Unknown | undefined;
  for (const truth of truths) {
    if (truth === false) return false;
    if (isUnknown(truth)) doubt ??= truth;
  }
  return doubt ?? true;
}

/** The truth as a boolean. Throws FACT_UNKNOWN if it is unknown; the policy evaluator catches that signal. */
export function requireKnown(truth: Truth): boolean {
  if (isUnknown(truth)) throw new BridleError('FACT_UNKNOWN', truth.why);
  return truth;
}
