/** Finds IBANs. Their check digits distinguish them from other codes and show where they end. */

import type { TextRange } from './text-ranges.ts';

const head = /(?<![A-Z0-9])[A-Z]{2}\d{2}(?=[ \u00a0-]?[A-Z0-9])/gi;
const shortest = 15;
const longest = 34;

export function findIbans(text: string): readonly TextRange[] {
  const spans: TextRange[] = [];
  for (const { index } of text.matchAll(head)) {
    if (index < (spans.at(-1)?.end ?? 0)) continue;
    const end = endOf(text, index);
    if (end !== undefined) spans.push({ start: index, end });
  }
  return spans;
}

/** The end of the longest number with valid check digits, if any. */
function endOf(text: string, start: number): number | undefined {
  const check = text.slice(start, start + 4).split('');
  let remainder = 0;
  let length = 4;
  let end: number | undefined;
  for (let at = start + 4; at < text.length && length < longest; at++) {
    const unit = text.charAt(at);
    if (isGap(unit) && isPart(text.charAt(at + 1))) continue;
    if (!isPart(unit)) break;
    remainder = append(remainder, unit);
    length++;
    const isWhole = length >= shortest && !isPart(text.charAt(at + 1));
    if (isWhole && check.reduce(append, remainder) === 1) end = at + 1;
  }
  return end;
}

function isGap(unit: string): boolean {
  return unit === ' ' || unit === '\u00a0' || unit === '-';
}

function isPart(unit: string): boolean {
  return (unit >= '0' && unit <= '9') || (unit >= 'A' && unit <= 'Z') || (unit >= 'a' && unit <= 'z');
}

/** The remainder modulo 97 after appending a letter (10 to 35) or digit. */
function append(remainder: number, unit: string): number {
  const value = Number.parseInt(unit, 36);
  return (remainder * (value > 9 ? 100 : 10) + value) % 97;
}
