/**
 * Wraps text at spaces, by the columns that it takes on a terminal. A word that is wider than the screen stays whole, so
 * that long addresses can be copied. Text in scripts without spaces is wrapped between its characters.
 */

import type { Paint, Tone } from './paint.ts';
import { textWidth } from './text-width.ts';

/** Text in one tone. */
export interface Span {
  readonly text: string;
  readonly tone: Tone;
}

export interface WrapOptions {
  readonly columns: number;
  /** Stands before the first line. */
  readonly first?: string | undefined;
  /** Stands before every other line. Default: spaces, as wide as `first`. */
  readonly rest?: string | undefined;
}

interface PaintedColumns {
  readonly paint: Paint;
  readonly columns: number;
  readonly tone: Tone;
}

/** Between two of these characters a line may end. */
const wide =
  /[\u1100-\u115F\u2E80-\u303E\u3041-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE4F\uFF01-\uFF60\u{20000}-\u{3FFFD}]/u;
const units = new RegExp(
  `\\s+|${wide.source}\\p{M}*[\\u3001\\u3002\\uFF01\\uFF0C\\uFF1F]*|(?:(?!\\s|${wide.source}).)+`,
  'gsu',
);

/** Wraps spans into painted lines. Line ends inside the spans count as spaces. */
export function wrapSpans(spans: readonly Span[], paint: Paint, options: WrapOptions): readonly string[] {
  const { columns, first = '', rest = ' '.repeat(textWidth(first)) } = options;
  const lines: Span[][] = [[{ text: first, tone: 'plain' }]];
  let [used, isEmpty] = [textWidth(first), true];
  let space: Span | undefined;
  for (const word of wordsOf(spans)) {
    if (word[0] !== undefined && /^\s/.test(word[0].text)) {
      // Spaces inside a line stay as they are: they may be columns, or part of a file.
      space = { text: /[^ ]/.test(word[0].text) ? ' ' : word[0].text, tone: word[0].tone };
      continue;
    }
    const width = word.reduce((sum, { text }) => sum + textWidth(text), 0);
    const gap = space === undefined || isEmpty ? 0 : space.text.length;
    if (!isEmpty && used + gap + width > columns) {
      lines.push([{ text: rest, tone: 'plain' }, ...word]);
      used = textWidth(rest) + width;
    } else {
      lines.at(-1)?.push(...(gap > 0 && space !== undefined ? [space] : []), ...word);
      used += gap + width;
    }
    [space, isEmpty] = [undefined, false];
  }
  return lines.map((line) => paintSpans(line, paint));
}

/** Wraps lines of plain text. Each keeps its own indentation, and a list of terms its second column. */
export function wrapLines(text: string, paint: Paint, { columns, tone }: { columns: number; tone: Tone }): string[] {
  return text.split('\n').flatMap((line) => {
    if (textWidth(line) <= columns) return [paint(tone, line)];
    // A wide first column or a deep indentation would leave no room for words.
    const heads = [/^\s*\S+(?: \S+)*\s{2,}(?=\S)/, /^\s*/].map((pattern) => pattern.exec(line)?.[0] ?? '');
    const first = heads.find((head) => head !== '' && textWidth(head) <= columns / 2) ?? '';
    const words = line.slice(first.length).trimStart();
    return wrapHanging(first, words, { paint, columns, tone });
  });
}

/** Wraps one line; the further rows start below the text after `first`. */
export function wrapHanging(first: string, text: string, { paint, columns, tone }: PaintedColumns): string[] {
  const rows = wrapSpans([{ text, tone }], (_, each) => each, { columns, first });
  return rows.map((row) => paint(tone, row));
}

export function paintSpans(spans: readonly Span[], paint: Paint): string {
  const joined: Span[] = [];
  for (const span of spans) {
    const before = joined.at(-1);
    if (before?.tone === span.tone) joined.splice(-1, 1, { tone: span.tone, text: before.text + span.text });
    else joined.push(span);
  }
  return joined.map(({ tone, text }) => paint(tone, text)).join('');
}

/** Words and the spaces between them. A word may consist of several spans: `**bold**,`. */
function wordsOf(spans: readonly Span[]): readonly (readonly Span[])[] {
  const words: Span[][] = [];
  for (const { text, tone } of spans) {
    for (const [unit] of text.matchAll(units)) {
      const before = words.at(-1)?.at(-1)?.text;
      const isJoined = before !== undefined && ![before, unit].some((each) => /^\s/.test(each) || wide.test(each));
      if (isJoined) words.at(-1)?.push({ text: unit, tone });
      else words.push([{ text: unit, tone }]);
    }
  }
  return words;
}
