/**
 * Turns a message into a plan: steps in order, the calls of a step together. Plans nothing if a part is not understood.
 * Repetitions in the patterns are bounded or cannot overlap, so that hostile text is read in linear time.
 */

import type { JsonObject } from '../../kernel/json.ts';
import { type RequestRow, requestRows } from './requests.ts';

export interface PlannedCall {
  readonly tool: string;
  readonly args: JsonObject;
}

export interface PlanStep {
  readonly calls: readonly PlannedCall[];
  /** Runs only if the previous step succeeded. */
  readonly dependent: boolean;
}

export type Plan =
  | { readonly type: 'steps'; readonly steps: readonly PlanStep[] }
  | { readonly type: 'unclear'; readonly problem: string };

/** The longest message that is read, in characters. */
const messageLimit = 262_144;
const callLimit = 32;

export function planFor(message: string): Plan {
  if (message.length > messageLimit) {
    return unclear(`The message has ${message.length} characters; I read at most ${messageLimit}.`);
  }
  const { text, quotes } = extractQuotes(message);
  const steps: { calls: PlannedCall[]; dependent: boolean; reads: boolean }[] = [];
  for (const { join, request } of splitRequests(text)) {
    const read = readRequest(request, quotes);
    if (read === undefined) return unclear(`I do not understand "${shorten(valueOf(request, quotes))}".`);
    const last = steps.at(-1);
    if (join === 'and' && read.reads && last?.reads === true) last.calls.push(...read.calls);
    else steps.push({ ...read, dependent: join === 'then' });
    if (steps.reduce((sum, { calls }) => sum + calls.length, 0) > callLimit) {
      return unclear(`The message needs too many tool calls; I make at most ${callLimit}.`);
    }
  }
  return steps.length === 0 ? unclear('The message contains no request.') : { type: 'steps', steps };
}

function unclear(problem: string): Plan {
  return { type: 'unclear', problem };
}

function shorten(text: string): string {
  return text.length > 120 ? `${text.slice(0, 120)}…` : text;
}

interface Quote {
  /** The text with its quotes. */
  readonly source: string;
  readonly text: string;
}

/** Text in quotes or fences, at the start of a word; or a NUL character outside of quotes. */
const quoted =
  /(?<!\S)(?:```[^\n`]*\n(?<fence>[^]*?)```|`(?<tick>[^`]*)`|"(?<double>(?:[^"\\]|\\[^])*)"|'(?<single>[^']*)'(?![^\s,;.:!?)])|“(?<curly>[^“”]*)”)|\0/g;
const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', '"': '"', '\\': '\\' };

/** Replaces each quoted text with its number between NUL characters, so that no pattern looks into it. */
function extractQuotes(message: string): { readonly text: string; readonly quotes: readonly Quote[] } {
  const quotes: Quote[] = [];
  const text = message.replaceAll(quoted, (source: string, ...rest: unknown[]) => {
    if (source === '\0') return ' ';
    const { double, ...others } = rest.at(-1) as Readonly<Record<string, string | undefined>>;
    const unescaped = double?.replaceAll(/\\([nt"\\])/g, (_, sign: string) => escapes[sign] ?? sign);
    quotes.push({ source, text: unescaped ?? Object.values(others).find((each) => each !== undefined) ?? '' });
    return `\0${quotes.length - 1}\0`;
  });
  return { text, quotes };
}

/** The text in the quotes if all of it is quoted, otherwise the original text with its quotes. */
function valueOf(text: string, quotes: readonly Quote[]): string {
  const [, index] = /^\0(\d+)\0$/.exec(text) ?? [];
  if (index !== undefined) return quotes[Number(index)]?.text ?? '';
  return text.replaceAll(/\0(\d+)\0/g, (_, each: string) => quotes[Number(each)]?.source ?? '');
}

const space = String.raw`[:,]?\s{1,9}`;
const quote = String.raw`\0\d+\0`;
const word = String.raw`(?:${quote}|[^\s\0]*[^\s\0,;])`;
const article = '(?:the|a|an|my|our|all|it|this|that|some|every|everything)(?![^\\s.,!?])';
/** Between the items of a list. */
const listSign = String.raw`(?:,\s{1,9}(?:and\s{1,9})?|\s{1,9}(?:and|&)\s{1,9})(?!(?:please|thanks)\b)`;
const listOf = (item: string): string => `${item}(?:${listSign}${item})*`;

/** Slots for one word or a list of words, by the name they have in a phrase. */
const wordSlots: Readonly<Record<string, string>> = {
  word,
  words: listOf(word),
  /** Must look like a path, because the request changes it. */
  path: String.raw`(?:${quote}|(?=\S*[./\\][^\s.:!?])[^\s\0]*[^\s\0,;])`,
  /** Names with an extension. */
  files: listOf(String.raw`(?:${quote}|[^\s\0]*[^\s\0./\\]\.\w+)`),
  names: listOf(`(?!${article})${word}`),
  urls: listOf(String.raw`https?:\/\/[^\s\0]*[^\s\0,;]`),
  number: String.raw`\d{1,9}`,
  quoted: quote,
};

/** Slots for free text. */
const textSlots: Readonly<Record<string, string>> = {
  text: '[^]+',
  /** Either quoted completely or not at all. */
  contents: String.raw`${quote}|(?!\0)[^]+`,
  /** Contents that end before the first `with`, `by` or `to`. */
  before: String.raw`${quote}|(?!\0)(?:(?!\s(?:with|by|to)\s)[^])+`,
  /** Must not start with an article: that would be prose, not a command. */
  command: `(?!${article})[^]+`,
  json: String.raw`\{[^]*`,
};

const slot = /\{(\w+)(?::(\w+))?\}/g;
/** What may follow a request that does not end with free text. */
const courtesies = String.raw`(?:,?\s{1,9}(?:please|thanks|now|too))?[.!?,;]{0,9}`;

function compilePhrase(row: RequestRow, phrase: string) {
  const slots = Array.from(phrase.matchAll(slot), ([, name = '', kind = name]) => ({ name, kind }));
  const words = phrase
    .replaceAll('(', '(?:')
    .replaceAll('[', '(?:')
    .replaceAll(']', ')?')
    .replaceAll('..', String.raw`\.\.`)
    .replaceAll(' ', space)
    .replaceAll(slot, (_, name: string, kind = name) => `(?<${name}>${wordSlots[kind] ?? textSlots[kind] ?? ''})`);
  const end = /\}\]?$/.test(phrase) && Object.hasOwn(textSlots, slots.at(-1)?.kind ?? '') ? '' : courtesies;
  return { row, slots, pattern: new RegExp(`^${words}${end}$`, 'i') };
}

const phrases = requestRows.flatMap((row) => row.phrases.map((each) => compilePhrase(row, each)));

/** The calls for a request; `undefined` if it is not understood. */
function readRequest(request: string, quotes: readonly Quote[]) {
  for (const { row, pattern, slots } of phrases) {
    const found = pattern.exec(request);
    if (found === null) continue;
    const values = slots.flatMap(({ name, kind }) => {
      const text = found.groups?.[name];
      return text === undefined ? [] : [[name, valuesOf(kind, text, quotes)] as const];
    });
    const common = Object.fromEntries(values.map(([name, [value = '']]) => [name, value]));
    const [listName, list] = values.find(([, each]) => each.length > 1) ?? ['', undefined];
    const all = list === undefined ? [common] : list.map((value) => ({ ...common, [listName]: value }));
    try {
      const calls = all.map((each) => ({
        tool: row.tool ?? each['tool'] ?? '',
        args: row.args?.(each) ?? { ...row.defaults, ...each },
      }));
      return { calls, reads: row.reads === true };
    } catch {
      return undefined; // The arguments of a call are not JSON.
    }
  }
  return undefined;
}

function valuesOf(kind: string, text: string, quotes: readonly Quote[]): readonly string[] {
  if (Object.hasOwn(textSlots, kind)) return [valueOf(text, quotes)];
  const items = kind.endsWith('s') ? text.split(new RegExp(listSign, 'i')) : [text];
  return items.map((item) => (item.startsWith('\0') ? valueOf(item, quotes) : trimPunctuation(item)));
}

/** Removes sentence punctuation from the end of a word. `.` and `..` are folders and stay. */
function trimPunctuation(text: string): string {
  return /(?:^|\/)\.\.?$/.test(text) ? text : text.replace(/(?<![.:!?])[.:!?]+$/, '');
}

/** The start of a request: one of the verbs of these rows. */
function verbsOf(rows: readonly RequestRow[]): string {
  const verbs = rows.flatMap((row) => row.phrases.flatMap((each) => /^\(?([^\s)[]+)/.exec(each)?.[1] ?? []));
  return String.raw`(?:${verbs.join('|')})(?![^\s.,!?;:])`;
}

const anyVerb = new RegExp(`^${verbsOf(requestRows)}`, 'i');
const readingVerb = new RegExp(`^${verbsOf(requestRows.filter(({ reads }) => reads))}`, 'i');
const lineVerb = new RegExp(`^${verbsOf(requestRows.filter(({ takesLine }) => takesLine))}`, 'i');
const filler = String.raw`(?:and|then|please|can|could|would|will|you|kindly|now|first|next|finally|afterwards|also|just|ok|okay|hey|hi|hello|[-*•,;]|\d{1,3}[.)])[,:]?`;
const firstFillers = new RegExp(String.raw`^(?:\s{0,9}${filler}\s{1,9}){0,8}`, 'i');
/** A sign or a space, fillers, and the verb of another request. */
const border = new RegExp(
  String.raw`(?<sign>[;,]|(?<=[^\s./])[.!?])?(?<words>(?:\s{1,9}${filler}){0,8}\s{1,9})(?=${verbsOf(requestRows)})`,
  'gi',
);

/** How a request follows the previous one. `then` requires its success. */
type Join = 'then' | 'and' | 'next';

/** Splits a message at `then`, `;`, new lines and `and`, if another request starts there. */
function splitRequests(text: string): readonly { readonly join: Join; readonly request: string }[] {
  const requests: { join: Join; request: string }[] = [];
  let start = firstFillers.exec(text)?.[0].length ?? 0;
  let join: Join = 'next';
  // After a line that ends with a colon, the rest of the message belongs to it.
  const block = text.search(/:[ \t]{0,9}\n/);
  for (const found of text.matchAll(border)) {
    const end = found.index;
    const before = text.slice(start, end);
    if (block !== -1 && end >= block && anyVerb.test(before)) break;
    const next = joinAt(found, before);
    if (next === undefined || requests.length > callLimit) continue;
    requests.push({ join, request: before.trim() });
    join = next;
    start = end + found[0].length;
  }
  return [...requests, { join, request: text.slice(start).trim() }].filter(({ request }) => request !== '');
}

function joinAt({ groups, 0: whole }: RegExpExecArray, before: string): Join | undefined {
  const { sign = '', words = '' } = groups ?? {};
  const isReading = readingVerb.test(before);
  const isThen = /\b(?:then|afterwards|finally)\b/i.test(words);
  if (whole.includes('\n')) return isThen ? 'then' : 'next';
  if (lineVerb.test(before)) return undefined;
  if (isThen) return 'then';
  if (`${sign}${words}`.includes(';')) return 'next';
  if (/[.!?]/.test(sign)) return isReading ? 'next' : undefined;
  if (!/,|\band\b/i.test(`${sign}${words}`)) return undefined;
  return isReading || before.endsWith('\0') ? 'and' : undefined;
}
