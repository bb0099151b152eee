/**
 * The first look at a value: does any name or text in it need a closer one? Nearly all values have no secret, and cost
 * only this look.
 */

import { programNames } from './command-secrets.ts';
import type { DataFields } from './map-value.ts';
import type { FieldMeaning } from './secret-names.ts';

/** A field name, cached because the same names recur. */
interface KnownField extends FieldMeaning {
  /** Its name without secrets. */
  readonly maskedName: string;
  /** True if the name alone is a reason to look closer. */
  readonly isMarked: boolean;
  /** True if its text describes a sibling field. */
  readonly describesOthers: boolean;
  /** The last short text without secrets in this field: most fields repeat the same one. */
  lastCleanText: string;
}

/** Deeper than the data of any call. */
export const maxDepth = 256;
export const minTextLength = 4;
const maxCachedFields = 4096;
const maxCachedTextLength = 256;

/** The closer look. */
interface CloserLook {
  meaningOf(name: string): FieldMeaning;
  maskName(name: string): string;
  maskText(text: string): string;
}

export class SecretCheck {
  private readonly fields = new Map<string, KnownField>();

  constructor(
    private readonly words: WordFinder<unknown>,
    private readonly closer: CloserLook,
  ) {}

  /** False for nearly every value without secrets: a fast check of each name and text that allocates nothing. */
  mayHold(value: unknown, depth: number): boolean {
    if (typeof value === 'string') return value.length >= minTextLength && this.words.find(value) !== -1;
    if (typeof value !== 'object' || value === null) return false;
    if (depth > maxDepth) return true;
    if (Array.isArray(value)) {
      for (const each of value) if (this.mayHold(each, depth + 1)) return true;
      return false;
    }
    for (const name in value) {
      const each = (value as DataFields)[name];
      if (each === undefined) continue;
      const field = this.field(name);
      if (field.isMarked) return true;
      if (typeof each === 'string') {
        if (each !== field.lastCleanText && this.mayHoldText(field, each)) return true;
      } else if (typeof each === 'object' && this.mayHold(each, depth + 1)) return true;
    }
    return false;
  }

  private mayHoldText(field: KnownField, text: string): boolean {
    // Words such as "key" occur in many texts without a secret. Fields that describe siblings are read with them.
    if (this.mayHold(text, 0) && (field.describesOthers || this.closer.maskText(text) !== text)) return true;
    if (text.length <= maxCachedTextLength) field.lastCleanText = text;
    return false;
  }

  /** What a field name means, cached because the same names recur. */
  field(name: string): KnownField {
    return this.fields.get(name) ?? this.readField(name);
  }

  private readField(name: string): KnownField {
    const { kind, labels, labelled } = this.closer.meaningOf(name);
    const maskedName = this.closer.maskName(name);
    const isMarked = kind !== 'plain' || labelled === 'any' || maskedName !== name;
    const describesOthers = labels !== undefined || programNames.includes(name);
    const read = { kind, labels, labelled, isMarked, describesOthers, maskedName, lastCleanText: '' };
    if (this.fields.size >= maxCachedFields) this.fields.clear();
    if (name.length <= 256) this.fields.set(name, read);
    return read;
  }
}

export interface SearchWord<T> {
  /** At least three characters; lower case unless `exact`. */
  readonly text: string;
  /** True if case matters. */
  readonly exact: boolean;
  readonly tag: T;
}

/** Returns the position where the search continues. */
export type OnWordFound<T> = (word: SearchWord<T>, at: number) => number;

const minWordLength = 3;

/** Shorter texts are searched without a copy. */
const minCopied = 64;
const firstCopySize = 512;
const bytes = Buffer.allocUnsafeSlow(16_384);

/**
 * Finds any of many words in a text in one pass: looks up three characters at a time in a table, and compares whole
 * words only after a hit.
 */
export class WordFinder<T> {
  private readonly table: Uint8Array;
  private readonly words = new Map<number, SearchWord<T>[]>();

  /** A larger table, with 2^`bits` entries, has fewer false hits but takes longer to build. */
  constructor(words: Iterable<SearchWord<T>>, bits: 12 | 15) {
    this.table = new Uint8Array(1 << bits);
    for (const word of words) {
      const key = this.keyAt(word.text, 0);
      this.table[key] = 1;
      const same = this.words.get(key);
      if (same === undefined) this.words.set(key, [word]);
      else same.push(word);
    }
    for (const same of this.words.values()) if (same.length > 1) same.sort((a, b) => b.text.length - a.text.length);
  }

  /** The position of the first word, or -1. */
  find(text: string, from = 0): number {
    const end = text.length;
    if (end - from < minCopied) return this.findInText(text, from);
    // There may be many words, so it copies little more than it searches.
    for (
      let [start, size] = [from, firstCopySize];
      end - start >= minWordLength;
      size = Math.min(2 * size, bytes.length)
    ) {
      const length = Math.min(size, end - start);
      const at = this.findInPart(text, start, length);
      if (at !== -1) return at;
      start += length - (minWordLength - 1);
    }
    return -1;
  }

  private findInText(text: string, from: number): number {
    const { table } = this;
    const end = text.length;
    if (end - from < minWordLength) return -1;
    const most = table.length - 1;
    let key = ((text.charCodeAt(from) & 31) << 5) | (text.charCodeAt(from + 1) & 31);
    for (let i = from + 2; i < end; i++) {
      key = ((key << 5) | (text.charCodeAt(i) & 31)) & most;
      if (table[key] !== 0 && this.isWord(text, i - 2, key)) return i - 2;
    }
    return -1;
  }

  /** The same on a copy: bytes are twice as fast to read as characters, and only the last five bits count. */
  private findInPart(text: string, start: number, length: number): number {
    const { table } = this;
    const most = table.length - 1;
    bytes.write(text.slice(start, start + length), 0, length, 'latin1');
    let key = (((bytes[0] as number) & 31) << 5) | ((bytes[1] as number) & 31);
    for (let i = 2; i < length; i++) {
      key = ((key << 5) | ((bytes[i] as number) & 31)) & most;
      if (table[key] !== 0 && this.isWord(text, start + i - 2, key)) return start + i - 2;
    }
    return -1;
  }

  /** Calls `onWord` for each word from left to right; for words at the same position, the longest first. */
  each(text: string, onWord: OnWordFound<T>): void {
    for (let at = this.find(text); at !== -1;) {
      let next = at + 1;
      for (const word of this.words.get(this.keyAt(text, at)) ?? []) {
        if (isAt(word, text, at)) next = Math.max(next, onWord(word, at));
      }
      at = this.find(text, next);
    }
  }

  private isWord(text: string, at: number, key: number): boolean {
    for (const word of this.words.get(key) ?? []) if (isAt(word, text, at)) return true;
    return false;
  }

  /** The same for upper and lower case. */
  private keyAt(text: string, at: number): number {
    const [a, b, c] = [text.charCodeAt(at) & 31, text.charCodeAt(at + 1) & 31, text.charCodeAt(at + 2) & 31];
    return ((a << 10) | (b << 5) | c) & (this.table.length - 1);
  }
}

function isAt<T>({ text: word, exact }: SearchWord<T>, text: string, at: number): boolean {
  const last = word.length - 1;
  // The first or last character nearly always decides.
  if (((text.charCodeAt(at) ^ word.charCodeAt(0)) & ~32) !== 0) return false;
  if (((text.charCodeAt(at + last) ^ word.charCodeAt(last)) & ~32) !== 0) return false;
  return exact ? text.startsWith(word, at) : text.slice(at, at + word.length).toLowerCase() === word;
}
