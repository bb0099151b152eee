/** The kinds of slots: how many words each takes, and which words it accepts. */

import type { RequestWord } from './words.ts';

interface Kind {
  /** One word, a list of words, or everything up to the next word of the phrase. */
  readonly reach: 'word' | 'list' | 'text';
  readonly accepts: (words: readonly RequestWord[]) => boolean;
}

const articles = new Set(['the', 'a', 'an', 'my', 'our', 'all', 'it', 'this', 'that', 'some', 'every']);

/** The kinds of slots, by the name they have in a phrase. */
export const slotKinds = {
  word: { reach: 'word', accepts: ([word]) => word !== undefined && trimPunctuation(word.text) !== '' },
  words: { reach: 'list', accepts: ([word]) => word !== undefined && trimPunctuation(word.text) !== '' },
  /** For requests that change a file. Must look like a path. */
  path: { reach: 'word', accepts: ([word]) => word !== undefined && looksLikePath(word) },
  /** A name with an extension. */
  file: { reach: 'list', accepts: ([word]) => word !== undefined && /[^./\\]\.\w+$/.test(trimPunctuation(word.text)) },
  number: { reach: 'word', accepts: ([word]) => word !== undefined && /^\d{1,9}$/.test(trimPunctuation(word.text)) },
  range: { reach: 'word', accepts: ([word]) => word !== undefined && parseLineRange(word.text) !== undefined },
  url: { reach: 'list', accepts: ([word]) => word !== undefined && /^https?:\/\/./i.test(word.text) },
  quoted: { reach: 'word', accepts: ([word]) => word !== undefined && word.quote !== '' },
  text: { reach: 'text', accepts: (words) => words.length > 0 },
  /** The content of a file, either quoted completely or not at all. */
  contents: { reach: 'text', accepts: (words) => words.length === 1 || words[0]?.quote === '' },
  /** Must not start with an article: that would be prose, not a command. */
  command: { reach: 'text', accepts: ([word]) => word !== undefined && !isArticle(word) },
} as const satisfies Readonly<Record<string, Kind>>;

export type SlotKind = keyof typeof slotKinds;

/** `10-20` as two numbers. */
export function parseLineRange(range: string): readonly [number, number] | undefined {
  const found = /^(\d{1,9})(?:-|–|\.\.)(\d{1,9})$/.exec(trimPunctuation(range));
  return found === null ? undefined : [Number(found[1]), Number(found[2])];
}

/** Removes sentence punctuation from the end of a word. `.` and `..` are folders and stay. */
export function trimPunctuation(text: string): string {
  if (text === '.' || text === '..') return text;
  let end = text.length;
  while (end > 0 && '.:!?'.includes(text[end - 1] ?? '') && !text.endsWith('/.', end) && !text.endsWith('/..', end)) {
    end -= 1;
  }
  return text.slice(0, end);
}

function looksLikePath({ text, quote }: RequestWord): boolean {
  if (quote === '{' || quote === '```' || text === '') return false;
  return quote !== '' || /[./\\]/.test(trimPunctuation(text));
}

function isArticle({ text, quote }: RequestWord): boolean {
  return quote === '' && articles.has(text.toLowerCase());
}
