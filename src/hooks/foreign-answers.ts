/** Answers as other systems take them. None is an action here; what they were meant to say decides what to advise. */

import { isRecord, kindOf } from '../kind-of.ts';
import { cutText } from '../json.ts';

type Meaning = 'pass' | 'ask' | 'refuse';

const meanings: readonly (readonly [meaning: Meaning, words: readonly string[]])[] = [
  ['refuse', ['deny', 'denied', 'block', 'blocked', 'reject', 'rejected', 'refuse', 'forbid', 'abort', 'stop', 'halt']],
  ['ask', ['ask', 'askuser', 'confirm', 'requiresconfirmation', 'defer']],
  ['pass', ['allow', 'allowed', 'approve', 'approved', 'accept', 'accepted', 'proceed', 'continue', 'pass', 'ok']],
];

/** What an answer was meant to say, if it is one that another system takes: the strictest thing it says. */
export function meaningOf(answer: unknown, depth = 0): Meaning | undefined {
  if (typeof answer === 'boolean') return answer ? 'pass' : 'refuse';
  if (typeof answer === 'string') return meaningOfWord(answer);
  if (typeof answer !== 'object' || answer === null || depth > 2) return undefined;
  // Looked at alone and first: another field may not be readable, and a refusal counts all the same.
  if (meaningOfWord((answer as { type?: unknown }).type) === 'refuse') return 'refuse';
  const said = Object.entries(answer).map(([field, value]) => meaningOfField(field, value, depth));
  return meanings.find(([meaning]) => said.includes(meaning))?.[0];
}

function meaningOfField(field: string, value: unknown, depth: number): Meaning | undefined {
  if (typeof value === 'boolean') return value ? meaningOfWord(field) : opposite(meaningOfWord(field));
  // A reason may say anything.
  if (typeof value === 'string') return saysDecision.test(field) ? meaningOfWord(value) : undefined;
  return meaningOf(value, depth + 1);
}

const saysDecision = /^(?:\d+|type|action|verdict|behaviou?r|status|permission|\w*decision)$/i;

function meaningOfWord(word: unknown): Meaning | undefined {
  if (typeof word !== 'string') return undefined;
  const folded = word.replaceAll(/[^A-Za-z]/g, '').toLowerCase();
  return meanings.find(([, words]) => words.includes(folded))?.[0];
}

function opposite(meaning: Meaning | undefined): Meaning | undefined {
  return meaning === 'pass' ? 'refuse' : meaning === 'refuse' ? 'pass' : undefined;
}

/** The reason such an answer gives, if it gives one that can be read. */
export function reasonIn(answer: unknown): string | undefined {
  if (!isRecord(answer)) return undefined;
  try {
    const { reason, message } = answer as { readonly reason?: unknown; readonly message?: unknown };
    return [reason, message].find((text): text is string => typeof text === 'string' && text.trim() !== '');
  } catch {
    return undefined;
  }
}

/** An answer for a message: its fields, but of their values only decisions, since the others may be secrets. */
export function showAnswer(answer: unknown): string {
  if (typeof answer === 'boolean') return String(answer);
  if (meaningOfWord(answer) !== undefined) return JSON.stringify(answer);
  if (!isRecord(answer)) return kindOf(answer);
  const fields = Object.entries(answer).map(([field, value]) => {
    const isDecision = typeof value === 'boolean' || meaningOfWord(value) !== undefined;
    return cutText(field, 40) + (isDecision ? `: ${JSON.stringify(value)}` : '');
  });
  return fields.length === 0
    ? 'an empty object'
    : `{ ${fields.slice(0, 3).join(', ')}${fields.length > 3 ? ', …' : ''} }`;
}
