/** A short fingerprint of rules, to tell one policy from another. It is no defence: whoever can change rules need not forge it. */

import type { Effect } from '../call.ts';
import { isArgumentWhen } from './arg.ts';
import type { Rule } from './rule.ts';
import { targetText } from './target.ts';

export function versionOf(rules: readonly Rule[], fallback: Effect): string {
  let high = 0xcbf29ce4;
  let low = 0x84222325;
  const mix = (text: string): void => {
    for (let i = 0; i < text.length; i++) {
      const unit = text.charCodeAt(i);
      low = Math.imul(low ^ unit, 0x01000193);
      high = Math.imul(high ^ (unit + low), 0x85ebca6b);
    }
  };
  mix(fallback);
  for (const rule of rules) mix(describe(rule));
  return hex(high) + hex(low);
}

function describe(rule: Rule): string {
  const { effect, target, name, reason, when, check, handler, grant, shadow, fingerprint } = rule;
  const tested = isArgumentWhen(when) ? [when.argument, when.test] : [undefined, when];
  const code = [reason, ...tested, check, handler].map((part) => String(part ?? ''));
  return JSON.stringify([effect, targetText(target), name, grant, shadow, fingerprint, ...code]);
}

const hex = (word: number): string => (word >>> 0).toString(16).padStart(8, '0');
