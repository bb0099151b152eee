/** Rejects characters that make a file look different from what it means. */

import { fitsBytes } from '../../../kernel/json.ts';
import { lazy } from '../../../kernel/lazy.ts';
import type { FileReport } from './file-report.ts';

const maxBytes = 1024 * 1024;

// A lone carriage return, U+0085, U+2028 and U+2029 are displayed as line breaks, but YAML ignores them: a rule could
// be hidden in a comment.
const deceptiveCharacters = lazy(
  () =>
    // oxlint-disable-next-line no-control-regex
    /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ufeff\p{Bidi_Control}\p{Surrogate}]|\r(?!\n)/gu,
);

/** Characters that look like spaces at the start of a line but do not indent it in YAML. */
const oddIndentation = lazy(() => /^ *(?! )\p{Zs}/gmu);

/** The usual case: nothing to look for. */
const plainText = /^[\t\n -~]*$/;

/** Reports characters that a policy file must not contain. Returns false if the file should not be parsed. */
export function checkCharacters(text: string, report: FileReport): boolean {
  if (!fitsBytes(text, maxBytes)) {
    report.problem(0, 'the file is larger than 1 MiB; split it and list the parts in extends');
    return false;
  }
  if (text.trim() === '') {
    report.problem(0, 'the file is empty; begin with "version: 1"');
    return false;
  }
  if (plainText.test(text)) return true;
  let isClean = true;
  for (const { index, 0: character } of text.matchAll(deceptiveCharacters())) {
    report.problem(index, () => describeCharacter(character));
    isClean = false;
  }
  for (const { index, 0: line } of text.matchAll(oddIndentation())) {
    const at = index + line.length - 1;
    const code = hexOf(line.slice(-1));
    report.problem(at, `the character U+${code} looks like a space but cannot indent a line; use spaces`);
    isClean = false;
  }
  return isClean;
}

function hexOf(character: string): string {
  return character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
}

function describeCharacter(character: string): string {
  const code = hexOf(character);
  const hint = character.isWellFormed()
    ? `in a double-quoted string, write \\u${code}`
    : 'it is half of a surrogate pair';
  return `the character U+${code} is not allowed here; ${hint}`;
}
