/**
 * Finding personal data in text. Every finder takes time in proportion to the text: it begins only where a run of its
 * characters does, or is bounded where it begins.
 */

import { findEmails } from './emails.ts';
import { findIbans } from './ibans.ts';
import { type Finder, type TextRange, rangesOf } from './text-ranges.ts';

export type PersonalDataKind = keyof typeof personalData;

const card =
  /(?<![\d+])(?:[2-6]\d{12,18}|[2-6]\d{3}([ \u00a0.-])\d{4}\1\d{4}\1\d{1,4}(?:\1\d{1,3})?|3\d{3}([ \u00a0.-])\d{6}\2\d{4,5})(?!\d)/g;

/** International, then North American, then with the zero that many countries begin a number with. */
const phones = [
  /(?<![\p{L}\p{N}_.+-])(?:\+|00)[1-9](?:[ \u00a0()./-]{0,3}\d){6,14}(?![\p{L}\p{N}_])/gu,
  /(?<![\p{L}\p{N}_.+-])(?:\(\d{3}\)[ \u00a0]?|\d{3}[ \u00a0.-])\d{3}[ \u00a0.-]\d{4}(?![\p{L}\p{N}_-])/gu,
  /(?<![\p{L}\p{N}_.+-])\(?0\d{1,4}\)?[ \u00a0/-]\d{3,4}(?:[ \u00a0-]?\d{2,4}){1,3}(?![\p{L}\p{N}_-])/gu,
];

/** In the order they are looked for: what is masked is not found again by the next one. */
export const personalData = {
  iban: { label: '[IBAN]', find: findIbans },
  card: { label: '[card number]', find: (text: string) => rangesOf(card, text, passesLuhn) },
  email: { label: '[email]', find: findEmails },
  phone: { label: '[phone number]', find: findPhones },
} satisfies Record<string, Finder>;

function findPhones(text: string): readonly TextRange[] {
  const found = phones.flatMap((pattern) => rangesOf(pattern, text)).toSorted((a, b) => a.start - b.start);
  const spans: TextRange[] = [];
  for (const span of found) if (span.start >= (spans.at(-1)?.end ?? 0)) spans.push(span);
  return spans;
}

/** The check digit of card numbers: it tells them from other numbers nine times out of ten. */
function passesLuhn(match: string): boolean {
  const digits = match.replaceAll(/\D/g, '');
  if (digits.length < 13) return false;
  let sum = 0;
  for (let i = 0; i < digits.length; i++) {
    const digit = Number(digits[digits.length - 1 - i]);
    const doubled = i % 2 === 0 ? digit : digit * 2;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}
