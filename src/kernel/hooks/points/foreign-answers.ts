/** Recognises answers of other agent systems, such as `{ allow: false }`. Bridle accepts none of them as an action. */

import { isRecord } from '../../shapes.ts';
import { kindOf } from '../../kind-of.ts';
import { cutText } from '../../json.ts';

const passing = /^(?:allow|approve|accept)(?:d|ed)?$|^(?:proceed|continue)$/i;
const refusing = /^(?:deny|denied|abort|stop|halt|forbid)$|^(?:block|reject|refuse)(?:d|ed)?$/i;
/** Fields that contain a decision. Other fields, such as a reason, may contain any text. */
const deciding = /^(?:\d+|type|action|verdict|behaviou?r|permission|\w*decision|hookSpecificOutput)$/i;

/** True for a word that allows or refuses in another system, such as `deny`. */
export function isDecisionWord(value: unknown): boolean {
  return typeof value === 'string' && (passing.test(value) || refusing.test(value));
}

/** True for an answer that refuses in any system: `false`, `'deny'`, `{ allow: false }`, `{ type: 'reject' }`. */
export function isRefusal(answer: unknown, depth = 0): boolean {
  if (typeof answer !== 'object' || answer === null) {
    return answer === false || (typeof answer === 'string' && refusing.test(answer));
  }
  // Read first: a refusal counts even if another field cannot be read.
  const { type } = answer as { readonly type?: unknown };
  if (typeof type === 'string' && refusing.test(type)) return true;
  return depth < 3 && Object.entries(answer).some(([field, value]) => refusesBy(field, value, depth));
}

function refusesBy(field: string, value: unknown, depth: number): boolean {
  if (typeof value === 'boolean') return (value ? refusing : passing).test(field);
  return deciding.test(field) && isRefusal(value, depth + 1);
}

export function reasonFrom(answer: unknown): string | undefined {
  if (!isRecord(answer)) return undefined;
  try {
    const { reason, message } = answer as { readonly reason?: unknown; readonly message?: unknown };
    return [reason, message].find((text): text is string => typeof text === 'string' && text.trim() !== '');
  } catch {
    return undefined;
  }
}

/** Describes an answer for a message. It shows only values that are decisions, because others may be secrets. */
export function describeAnswer(answer: unknown): string {
  if (typeof answer === 'boolean' || isDecisionWord(answer)) return JSON.stringify(answer);
  if (!isRecord(answer)) return kindOf(answer);
  const fields = Object.entries(answer).map(([field, value]) => {
    const shown = typeof value === 'boolean' || isDecisionWord(value) ? `: ${JSON.stringify(value)}` : '';
    return cutText(field, 40) + shown;
  });
  if (fields.length === 0) return 'an empty object';
  return `{ ${fields.slice(0, 3).join(', ')}${fields.length > 3 ? ', …' : ''} }`;
}
