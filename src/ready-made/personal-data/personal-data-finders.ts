/**
 * Finds personal data in text. Every finder runs in linear time: it starts only at the start of a run of its
 * characters, or has a bounded length.
 */

import { type Finder, type TextRange, rangesOf } from './text-ranges.ts';

export type PersonalDataKind = keyof typeof personalData;

const card =
  /(?<![\d+])(?:[2-6]\d{12,18}|[2-6]\d{3}([ \u00a0.-])\d{4}\1\d{4}\1\d{1,4}(?:\1\d{1,3})?|3\d{3}([ \u00a0.-])\d{6}\2\d{4,5})(?!\d)/g;

/** International, North American, and national numbers with a leading zero. */
const phones = [
  /(?<![\p{L}\p{N}_.+-])(?:\+|00)[1-9](?:[ \u00a0()./-]{0,3}\d){6,14}(?![\p{L}\p{N}_])/gu,
  /(?<![\p{L}\p{N}_.+-])(?:\(\d{3}\)[ \u00a0]?|\d{3}[ \u00a0.-])\d{3}[ \u00a0.-]\d{4}(?![\p{L}\p{N}_-])/gu,
  /(?<![\p{L}\p{N}_.+-])\(?0\d{1,4}\)?[ \u00a0/-]\d{3,4}(?:[ \u00a0-]?\d{2,4}){1,3}(?![\p{L}\p{N}_-])/gu,
];

/** In search order: a finder does not see what an earlier one has masked. */
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

/** The check digit of card numbers rules out nine of ten other numbers. */
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

const domain = /@(?:[\p{L}\p{N}-]+\.)+(?:xn--[a-z0-9-]{2,59}|\p{L}{2,})/gu;
/** Lone surrogates count as letters. */
const localPart = /[\p{L}\p{N}\p{Cs}._%+-]/u;

/** Starts from the `@`, since most text has none. */
function findEmails(text: string): readonly TextRange[] {
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

const head = /(?<![A-Z0-9])[A-Z]{2}\d{2}(?=[ \u00a0-]?[A-Z0-9])/gi;
const shortest = 15;
const longest = 34;

function findIbans(text: string): readonly TextRange[] {
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
