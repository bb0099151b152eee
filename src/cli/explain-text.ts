import type { RuleRef } from '../call.ts';
import type { Explanation } from '../policy/policy.ts';
import type { Consideration } from '../policy/walk.ts';
import { inset } from './visible-text.ts';

/** An explanation as a person reads it: the answer first, then every rule in the order it was looked at. */
export function explainText({ decision, considered, shadows }: Explanation): string {
  const { effect, rule, reason, problem } = decision;
  const by = rule === undefined ? 'no rule: the default decides' : `decided by ${placeOf(rule)}`;
  const answer = problem === undefined ? `${effect}: ${by}` : `${effect}: the call cannot be read`;
  return [
    answer,
    ...(reason === '' ? [] : [`  ${effect === 'ask' ? 'question' : 'reason'}: ${inset(reason)}`]),
    ...(considered.length === 0 ? [] : ['rules, in the order they are looked at:']),
    ...considered.map(considerationLine),
    ...shadows.map(
      ({ rule: shadow, would, problem: failed }) =>
        `  shadow ${placeOf(shadow)}: ${would === undefined ? 'would not apply' : `would ${would}`}${failed === undefined ? '' : `, ${inset(failed)}`}`,
    ),
  ].join('\n');
}

function considerationLine({ rule, outcome, detail }: Consideration): string {
  return `  ${placeOf(rule)}: ${outcome}${detail === undefined || detail === '' ? '' : `, ${inset(detail)}`}`;
}

/** `safe_confirm (ask *, bucket 7)`. */
export function placeOf({ name, effect, target, bucket }: RuleRef): string {
  const where = effect === 'forbid' ? 'before all buckets' : `bucket ${bucket}`;
  return `${inset(name)} (${effect} ${inset(target)}, ${where})`;
}
