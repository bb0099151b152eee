/** Markdown inside a line: code, bold, italics, links with their address. Everything else stays as it is. */

import type { Tone } from '../output/paint.ts';
import type { Span } from '../output/wrap-text.ts';

/** Longer lines are data, not prose. */
const maxLength = 5000;
const maxDepth = 4;

interface Mark {
  readonly pattern: RegExp;
  readonly spans: (match: RegExpExecArray, tone: Tone, depth: number) => readonly Span[];
}

/** In the order in which they are tried at a position. Every pattern ends within the line. */
const marks: readonly Mark[] = [
  { pattern: /\\([!-/:-@[-`{-~])/y, spans: ([, character = ''], tone) => [{ text: character, tone }] },
  { pattern: /(?<!`)(`{1,3})(?!`)(.+?)(?<!`)\1(?!`)/y, spans: ([, , code = '']) => [{ text: code, tone: 'accent' }] },
  { pattern: /\*\*(?=\S)(.+?)(?<=\S)\*\*(?!\*)/y, spans: inner('strong') },
  { pattern: /(?<![\p{L}\p{N}_])__(?=\S)(.+?)(?<=\S)__(?![\p{L}\p{N}_])/uy, spans: inner('strong') },
  { pattern: /\*(?=[^\s*])([^*]+?)(?<=[^\s*])\*(?!\*)/y, spans: inner('emphasis') },
  { pattern: /(?<![\p{L}\p{N}_])_(?=[^\s_])([^_]+?)(?<=[^\s_])_(?![\p{L}\p{N}_])/uy, spans: inner('emphasis') },
  { pattern: /~~(?=\S)(.+?)(?<=\S)~~/y, spans: inner('dim') },
  { pattern: /!?\[([^\][]+)\]\(<?([^\s()<>]+)>?(?:\s+"([^"]*)")?\)/y, spans: linkSpans },
  {
    pattern: /<((?:https?:\/\/|mailto:)[^\s<>]+)>/y,
    spans: ([, address = '']) => [{ text: address, tone: 'underline' }],
  },
];

/** Characters that can start a mark. */
const starts = /[\\`*_~![<]/g;

export function inlineSpans(text: string, tone: Tone = 'plain', depth = 0): readonly Span[] {
  if (text.length > maxLength || depth > maxDepth) return [{ text, tone }];
  const spans: Span[] = [];
  let from = 0;
  for (let at = nextStart(text, 0); at !== -1;) {
    const found = matchAt(text, at);
    if (found === undefined) {
      at = nextStart(text, at + 1);
      continue;
    }
    if (at > from) spans.push({ text: text.slice(from, at), tone });
    spans.push(...found.mark.spans(found.match, tone, depth));
    from = at + found.match[0].length;
    at = nextStart(text, from);
  }
  if (from < text.length) spans.push({ text: text.slice(from), tone });
  return spans;
}

function nextStart(text: string, from: number): number {
  starts.lastIndex = from;
  return starts.exec(text)?.index ?? -1;
}

function matchAt(text: string, at: number): { mark: Mark; match: RegExpExecArray } | undefined {
  for (const mark of marks) {
    mark.pattern.lastIndex = at;
    const match = mark.pattern.exec(text);
    if (match !== null) return { mark, match };
  }
  return undefined;
}

function inner(tone: Tone): Mark['spans'] {
  return ([, text = ''], _outer, depth) => inlineSpans(text, tone, depth + 1);
}

/** The address is always shown, so that a link cannot pretend to lead elsewhere. */
function linkSpans([, text = '', address = '', title]: RegExpExecArray, tone: Tone, depth: number): readonly Span[] {
  if (text === address) return [{ text: address, tone: 'underline' }];
  const shownTitle = title === undefined ? '' : ` "${title}"`;
  return [
    ...inlineSpans(text, tone === 'plain' ? 'underline' : tone, depth + 1),
    { text: ` (${address}${shownTitle})`, tone: 'dim' },
  ];
}
