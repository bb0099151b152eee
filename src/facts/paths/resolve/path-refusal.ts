/** A refused path as a value, the conversion of file-system errors into it, and quoted text for messages. */

import { cutText } from '../../../kernel/json.ts';

export interface PathRefusal {
  readonly type: 'refused';
  /** Continues a sentence that starts with the path: "is empty". Never empty. */
  readonly reason: string;
}

export function refusePath(reason: string): PathRefusal {
  return { type: 'refused', reason };
}

export type Probe<Value> =
  | { readonly type: 'found'; readonly value: Value }
  | { readonly type: 'failed'; readonly code: string };

/** Runs one file-system call and converts an exception to its error code. */
export function probe<Value>(read: () => Value): Probe<Value> {
  try {
    return { type: 'found', value: read() };
  } catch (error) {
    return { type: 'failed', code: errorCodeOf(error) };
  }
}

export function errorCodeOf(error: unknown): string {
  const code: unknown = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return typeof code === 'string' && code !== '' ? code : 'UNKNOWN';
}

export function refuseErrorCode(code: string): PathRefusal {
  return refusePath(errorMeanings[code] ?? `cannot be resolved (${code})`);
}

const errorMeanings: Readonly<Partial<Record<string, string>>> = {
  EACCES: 'cannot be read: permission denied',
  EPERM: 'cannot be read: permission denied',
  ELOOP: 'contains symbolic links that loop, or too many of them',
  ENAMETOOLONG: 'is too long, or contains a name that is too long',
  ENOENT: 'disappeared while it was resolved, or leads through a link without a name',
  ENOTDIR: 'leads through something that is not a folder',
};

const maxLength = 200;

/** Quotes untrusted text for a message: escapes invisible and control characters, and truncates it. */
export function quote(text: string): string {
  const shown = JSON.stringify(text).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, escapeCharacter);
  return cutText(shown, maxLength);
}

function escapeCharacter(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}
