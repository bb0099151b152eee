/** Finds email addresses, starting from the `@`, since most text has none. */

import type { TextRange } from './text-ranges.ts';

const domain = /@(?:[\p{L}\p{N}-]+\.)+(?:xn--[a-z0-9-]{2,59}|\p{L}{2,})/gu;
/** Lone surrogates count as letters. */
const localPart = /[\p{L}\p{N}\p{Cs}._%+-]/u;

export function findEmails(text: string): readonly TextRange[] {
  const spans: TextRange[] = [];
  for (const { index, 0: found } of text.matchAll(domain)) {
    const from = spans.at(-1)?.end ?? 0;
    let start = index;
    while (start > from && localPart.test(text.charAt(start - 1))) start--;
    const name = text.slice(start, index);
    // `git@host` is an SSH address of a repository.
    if (name !== '' && name !== 'git') spans.push({ start, end: index + found.length });
  }
  return spans;
}
