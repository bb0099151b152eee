/**
 * A short fingerprint of rules that identifies a policy. It is not a security measure: an attacker who can change rules
 * need not forge it. Functions are compared by their source text, so closures with equal source look equal. That is why
 * `compilePolicy` takes a `version` for what the source does not show.
 */

import type { Effect } from '../../call.ts';
import { isArgumentPredicate } from '../conditions/argument-predicate.ts';
import type { Rule, RuleCondition } from './rule.ts';
import { targetText } from './target.ts';

interface VersionInputs {
  readonly fallback: Effect;
  /** The caller's own version string. */
  readonly own: string | undefined;
}

export function policyVersionOf(rules: readonly Rule[], { fallback, own }: VersionInputs): string {
  let high = 0xcbf29ce4;
  let low = 0x84222325;
  const mix = (text: string): void => {
    for (let i = 0; i < text.length; i++) {
      const unit = text.charCodeAt(i);
      low = Math.imul(low ^ unit, 0x01000193);
      high = Math.imul(high ^ (unit + low), 0x85ebca6b);
    }
  };
  mix(JSON.stringify([fallback, own]));
  for (const rule of rules) mix(describe(rule));
  return hex(high) + hex(low);
}

function describe(rule: Rule): string {
  const { effect, target, name, reason, when, check, handler, grant, shadow, fingerprint, unknown } = rule;
  const code = [reason, check, handler].map((part) => String(part ?? ''));
  const data = [effect, targetText(target), name, grant, shadow, fingerprint, unknown, conditionText(when)];
  return JSON.stringify([...data, ...code]);
}

/** The source text of a predicate, for the fingerprint of a rule that wraps it. */
export function conditionText(when: RuleCondition | undefined): string {
  const parts = isArgumentPredicate(when) ? [when.argument, when.test] : ['', when ?? ''];
  return JSON.stringify(parts.map(String));
}

const hex = (word: number): string => (word >>> 0).toString(16).padStart(8, '0');
