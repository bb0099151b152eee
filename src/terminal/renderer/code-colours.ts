/** Colours a line of code: comments, strings, numbers and common keywords. It never changes the text. */

import type { Tone } from '../output/paint.ts';
import type { Span } from '../output/wrap-text.ts';

const keywords = new Set(
  (
    'abstract and as async await bool boolean break case catch char class const continue def default defer del do ' +
    'double elif else end enum esac except export extends extern false fi final finally float fn for from func function ' +
    'global go if impl implements import in int interface is lambda let long loop match mod module mut new nil none not ' +
    'null of or package pass pub private protected public raise readonly return select self static string struct super ' +
    'switch then this throw trait true try type typeof undefined unless until use var void where while with yield'
  ).split(' '),
);
const hashComments = new Set(
  'bash sh shell zsh console py python rb ruby yaml yml toml makefile dockerfile r perl'.split(' '),
);
const dashComments = new Set('sql lua haskell hs elm'.split(' '));
const plain = new Set('text txt plain output markdown md'.split(' '));

const tokens =
  /(?<string>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`)|(?<number>\b\d[\w.]*)|(?<word>[\p{L}_$][\p{L}\p{N}_$]*)|(?<comment>\/\/.*|\/\*.*|#.*|--.*)|(?<other>[\s\S])/gu;

const maxLength = 2000;

export function codeSpans(line: string, language: string): readonly Span[] {
  const name = language.toLowerCase();
  if (line.length > maxLength || plain.has(name)) return [{ text: line, tone: 'plain' }];
  if (name === 'diff' || name === 'patch') return [{ text: line, tone: diffTone(line) }];
  const spans: Span[] = [];
  for (let at = 0; at < line.length;) {
    tokens.lastIndex = at;
    const { 0: found = line.slice(at), groups = {} } = tokens.exec(line) ?? {};
    const isComment = groups['comment'] !== undefined && startsComment(found, name);
    // What is no comment in this language is read on character by character.
    const text = groups['comment'] === undefined || isComment ? found : found.slice(0, 1);
    spans.push({ text, tone: isComment ? 'dim' : toneOf(groups, text) });
    at += text.length;
  }
  return spans;
}

function startsComment(text: string, language: string): boolean {
  if (text.startsWith('#')) return hashComments.has(language);
  if (text.startsWith('--')) return dashComments.has(language);
  return !hashComments.has(language) && !dashComments.has(language) && language !== '';
}

function toneOf(groups: Readonly<Record<string, string | undefined>>, text: string): Tone {
  if (groups['string'] !== undefined) return 'good';
  if (groups['number'] !== undefined) return 'warn';
  return groups['word'] !== undefined && keywords.has(text) ? 'accent' : 'plain';
}

function diffTone(line: string): Tone {
  if (line.startsWith('+')) return 'good';
  if (line.startsWith('-')) return 'bad';
  return line.startsWith('@@') ? 'accent' : 'plain';
}
