/** Combines conditions by Kleene's rules: an unknown part matters only if no other part decides (X01). */

import { BridleError } from '../../../kernel/errors.ts';
import type { MissingDeclaration, RuleCondition } from '../../../kernel/policy/rules/rule.ts';
import { isPromise, type MaybePromise } from '../../../kernel/maybe-promise.ts';
import type { ToolDeclaration } from '../../../kernel/tool.ts';
import { requireKnown, isUnknown, unknownBecause, type Truth, type Unknown } from '../../truth.ts';

/** A condition that a rule takes as `when`. */
export type Condition = RuleCondition;

type ConditionArguments = Parameters<Condition>;

/** Negates a condition. An unknown condition stays unknown. */
export function not(condition: Condition): Condition {
  checkConditions('not', [condition]);
  const when: Condition = (...given) => mapTruth(evaluate(condition, given), (truth) => opposite(truth));
  return named(`not(${String(condition)})`, when, (tool) => condition.lacks?.(tool));
}

/** True if all conditions are true. The first false one decides. */
export function allOf(...conditions: readonly Condition[]): Condition {
  checkConditions('allOf', conditions);
  const when: Condition = (...given) => decide(conditions, given, false);
  // One condition that is never known keeps the whole from ever being true.
  return named(`allOf(${conditions.map(String).join(', ')})`, when, (tool) => missingDeclarations(conditions, tool)[0]);
}

/** True if any condition is true. The first true one decides. */
export function anyOf(...conditions: readonly Condition[]): Condition {
  checkConditions('anyOf', conditions);
  const when: Condition = (...given) => decide(conditions, given, true);
  return named(`anyOf(${conditions.map(String).join(', ')})`, when, (tool) => {
    const missing = missingDeclarations(conditions, tool);
    return missing.length === conditions.length ? missing[0] : undefined;
  });
}

function checkConditions(name: string, conditions: readonly unknown[]): void {
  if (conditions.every((condition) => typeof condition === 'function')) return;
  throw new BridleError('OPTION_INVALID', `${name} takes condition functions, like the \`when\` of a rule.`);
}

function missingDeclarations(conditions: readonly Condition[], tool: ToolDeclaration): readonly MissingDeclaration[] {
  return conditions.map((condition) => condition.lacks?.(tool)).filter((missing) => missing !== undefined);
}

/** The text identifies the condition in the version of a policy. */
function named(text: string, condition: Condition, lacks: Condition['lacks']): Condition {
  return Object.freeze(Object.assign(condition, { lacks, toString: () => text }));
}

function opposite(truth: Truth): Truth {
  return isUnknown(truth) ? truth : !truth;
}

/** Evaluates in order until one condition returns `deciding`. Stays synchronous until one returns a promise. */
function decide(conditions: readonly Condition[], given: ConditionArguments, deciding: boolean): MaybePromise<boolean> {
  let doubt: Unknown | undefined;
  for (const [index, condition] of conditions.entries()) {
    const truth = evaluate(condition, given);
    if (isPromise(truth)) return finish({ pending: truth, rest: conditions.slice(index + 1), doubt }, given, deciding);
    if (truth === deciding) return deciding;
    if (isUnknown(truth)) doubt ??= truth;
  }
  return requireKnown(doubt ?? !deciding);
}

interface Pending {
  readonly pending: PromiseLike<Truth>;
  readonly rest: readonly Condition[];
  readonly doubt: Unknown | undefined;
}

async function finish(
  { pending, rest, doubt }: Pending,
  given: ConditionArguments,
  deciding: boolean,
): Promise<boolean> {
  let unsure = doubt;
  const take = (truth: Truth): boolean => {
    if (isUnknown(truth)) unsure ??= truth;
    return truth === deciding;
  };
  if (take(await pending)) return deciding;
  for (const condition of rest) if (take(await evaluate(condition, given))) return deciding;
  return requireKnown(unsure ?? !deciding);
}

function mapTruth(truth: MaybePromise<Truth>, map: (truth: Truth) => Truth): MaybePromise<boolean> {
  return isPromise(truth) ? Promise.resolve(truth).then((known) => requireKnown(map(known))) : requireKnown(map(truth));
}

/** Evaluates one condition. Every failure except an unknown fact is rethrown, and the engine denies the call (P05). */
function evaluate(condition: Condition, given: ConditionArguments): MaybePromise<Truth> {
  try {
    const result: unknown = condition(...given);
    return isPromise(result) ? Promise.resolve(result).then(truthOf, unknownOf) : truthOf(result);
  } catch (error) {
    return unknownOf(error);
  }
}

function truthOf(result: unknown): Truth {
  if (typeof result === 'boolean') return result;
  throw new BridleError('RULE_INVALID', 'A condition must return true or false.');
}

function unknownOf(error: unknown): Truth {
  if (error instanceof BridleError && error.code === 'FACT_UNKNOWN') return unknownBecause(error.message);
  throw error;
}
