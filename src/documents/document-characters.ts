/** Characters that make a file look other than it is read. */

import { fitsBytes } from '../json.ts';
import { lazy } from '../lazy.ts';
import type { DocumentReport } from './document-report.ts';

const mostBytes = 1024 * 1024;

// A lone carriage return, U+0085, U+2028 and U+2029 draw a new line that YAML does not see: a rule that is a comment.
const deceptive = lazy(
  () =>
    // oxlint-disable-next-line no-control-regex
    /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ufeff\p{Bidi_Control}\p{Surrogate}]|\r(?!\n)/gu,
);

/** Spaces that YAML does not take for spaces, as the first of a line. */
const oddIndent = lazy(() => /^ *(?! )\p{Zs}/gmu);

/** Nothing to look for, which is most often so. */
const plain = /^[\t\n -~]*$/;

/** Reports what cannot stand in a policy file as it is; false if the file is not worth reading on. */
export function checkCharacters(text: string, report: DocumentReport): boolean {
  if (!fitsBytes(text, mostBytes)) {
    report.problem(0, 'the file is larger than 1 MiB; split it, and name the parts in extends');
    return false;
  }
  if (text.trim() === '') {
    report.problem(0, 'the file is empty; begin with "version: 1"');
    return false;
  }
  if (plain.test(text)) return true;
  let sound = true;
  for (const { index, 0: character } of text.matchAll(deceptive())) {
    report.problem(index, () => describe(character));
    sound = false;
  }
  for (const { index, 0: line } of text.matchAll(oddIndent())) {
    const at = index + line.length - 1;
    const code = hexOf(line.slice(-1));
    report.problem(at, `the character U+${code} cannot indent a line; it looks like a space, use spaces`);
    sound = false;
  }
  return sound;
}

function hexOf(character: string): string {
  return character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
}

function describe(character: string): string {
  const code = hexOf(character);
  const hint = character.isWellFormed() ? `in a text in double quotes write \\u${code}` : 'it is half of one';
  return `the character U+${code} cannot stand here; ${hint}`;
}
