/**
 * What can be said of a call: yes, no, or unknown with a reason (X01). Facts are combined by Kleene's rules, so that an
 * unknown part decides nothing that the other parts have decided already.
 */

import type { ToolCall } from '../../call.ts';
import { BridleError } from '../../errors.ts';
import type { ToolDeclaration } from '../../tool.ts';

export interface Unknown {
  readonly type: 'unknown';
  /** Reads on after "because", or after "Bridle cannot tell" where it begins with "whether". */
  readonly why: string;
}

export type Truth = boolean | Unknown;

/** Something that is true of a call or not, or cannot be told. It never throws. */
export type Fact = (call: ToolCall, tool: ToolDeclaration) => Truth;

export function unknownBecause(why: string): Unknown {
  return { type: 'unknown', why };
}

export function isUnknown(truth: Truth): truth is Unknown {
  return typeof truth === 'object';
}

/** A fact that says what is asked where it is unknown: "whether the call runs "rm" (a command name is not literal)". */
export function withClause(clause: () => string, fact: Fact): Fact {
  return (call, tool) => addClause(clause, fact(call, tool));
}

export function addClause(clause: () => string, truth: Truth): Truth {
  return isUnknown(truth) ? unknownBecause(`whether ${clause()} (${truth.why})`) : truth;
}

/** Yes if one is, no if all are, unknown otherwise. */
export function anyTrue(truths: Iterable<Truth>): Truth {
  let doubt: Unknown | undefined;
  for (const truth of truths) {
    if (truth === true) return true;
    if (isUnknown(truth)) doubt ??= truth;
  }
  return doubt ?? false;
}

/** No if one is, yes if all are, unknown otherwise. */
export function allTrue(truths: Iterable<Truth>): Truth {
  let doubt: Unknown | undefined;
  for (const truth of truths) {
    if (truth === false) return false;
    if (isUnknown(truth)) doubt ??= truth;
  }
  return doubt ?? true;
}

/** The answer as a predicate gives it: an unknown one is a signal that only the engine understands. */
export function requireKnown(truth: Truth): boolean {
  if (isUnknown(truth)) throw new BridleError('FACT_UNKNOWN', truth.why);
  return truth;
}
