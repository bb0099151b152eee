/**
 * Finds any of many words in a text in one pass: looks up three characters at a time in a table, and compares whole
 * words only after a hit. Most texts contain none of the words and cost only this pass.
 */

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
