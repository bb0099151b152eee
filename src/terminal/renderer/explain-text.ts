import type { RuleRef } from '../../kernel/call.ts';
import type { Explanation } from '../../kernel/policy/evaluator/policy.ts';
import type { ConsideredRule } from '../../kernel/policy/evaluator/call-evaluation.ts';
import { safeText } from '../output/safe-text.ts';

/** Formats an explanation: the decision, then every rule in the order of evaluation. */
export function explainText({ decision, considered, shadows }: Explanation): string {
  const { effect, rule, reason, problem } = decision;
  const by = rule === undefined ? 'no rule: the default decides' : `decided by ${describeRule(rule)}`;
  const answer = problem === undefined ? `${effect}: ${by}` : `${effect}: the call is invalid`;
  return [
    answer,
    ...(reason === '' ? [] : [`  ${effect === 'ask' ? 'question' : 'reason'}: ${safeText(reason)}`]),
    ...(considered.length === 0 ? [] : ['rules, in order of evaluation:']),
    ...considered.map(considerationLine),
    ...shadows.map(
      ({ rule: shadow, would, problem: failed }) =>
        `  shadow ${describeRule(shadow)}: ${would === undefined ? 'would not apply' : `would ${would}`}${failed === undefined ? '' : `, ${safeText(failed)}`}`,
    ),
  ].join('\n');
}

function considerationLine({ rule, outcome, detail }: ConsideredRule): string {
  return `  ${describeRule(rule)}: ${outcome}${detail === undefined || detail === '' ? '' : `, ${safeText(detail)}`}`;
}

/** `safe_confirm (ask *)`, with the place in the policy file if there is one. */
export function describeRule({ name, effect, target, at }: RuleRef): string {
  return `${safeText(name)} (${effect} ${safeText(target)}${at === undefined ? '' : `, ${safeText(at)}`})`;
}
