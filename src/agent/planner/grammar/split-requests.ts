/** Splits a message into requests at `then`, `;`, new lines and `and`, if another request starts there. */

import { grammar } from './grammar.ts';
import { isOneOf, parsePhrase } from './phrase.ts';
import type { RequestWord } from './words.ts';

/** How a request follows the previous one. `then` requires its success. */
type Join = 'first' | 'then' | 'and' | 'next';

export interface PlannerRequest {
  readonly join: Join;
  readonly words: readonly RequestWord[];
}

/** The words that requests of these rows can start with. */
export function verbsOf(rows: typeof grammar): ReadonlySet<string> {
  return new Set(rows.flatMap(({ phrases }) => phrases.flatMap((each) => parsePhrase(each).verbs)));
}

const verbs = verbsOf(grammar);
const readingVerbs = verbsOf(grammar.filter(({ reads }) => reads));
const lineVerbs = verbsOf(grammar.filter(({ takesLine }) => takesLine));

const fillers = new Set(
  'please can could would will you kindly now first next finally afterwards also just then and , ; - * • ok okay hey hi hello'.split(
    ' ',
  ),
);

/** The requests of a message, at most `limit` of them. */
export function splitRequests(words: readonly RequestWord[], limit: number): readonly PlannerRequest[] {
  const requests: PlannerRequest[] = [];
  let start = skipFillers(words, 0);
  let join: Join = 'first';
  for (let at = start + 1; at < words.length && requests.length < limit; at += 1) {
    if (opensBlock(words, at) && isOneOf(words[start], verbs)) break;
    const found = joinAt(words, at, start);
    if (found === undefined) continue;
    requests.push({ join, words: trimJoins(words.slice(start, at)) });
    join = found;
    start = skipFillers(words, at);
    at = start;
  }
  if (start < words.length) requests.push({ join, words: trimJoins(words.slice(start)) });
  return requests;
}

/** True after a line that ends with a colon: the rest of the message belongs to it. */
function opensBlock(words: readonly RequestWord[], at: number): boolean {
  const before = words[at - 1];
  return words[at]?.opensLine === true && before?.quote === '' && before.text.endsWith(':');
}

function joinAt(words: readonly RequestWord[], at: number, start: number): Join | undefined {
  const candidate = candidateAt(words, at, start);
  if (candidate === undefined) return undefined;
  const next = skipFillers(words, at);
  if (!isOneOf(words[next], verbs)) return undefined;
  return words.slice(at, next).some((each) => isOneOf(each, thenWords)) ? 'then' : candidate;
}

const thenWords = new Set(['then', 'afterwards', 'finally']);
const andWords = new Set(['and', ',']);
const ends = new Set([';']);

function candidateAt(words: readonly RequestWord[], at: number, start: number): Join | undefined {
  const word = words[at];
  if (word?.opensLine === true) return 'next';
  if (isOneOf(words[start], lineVerbs)) return undefined;
  if (isOneOf(word, ends)) return 'next';
  if (isOneOf(word, thenWords)) return 'then';
  if (isOneOf(words[start], readingVerbs) && endsSentence(words[at - 1])) return 'next';
  if (!isOneOf(word, andWords)) return undefined;
  const canSplit = isOneOf(words[start], readingVerbs) || words[at - 1]?.quote !== '' || followedByThen(words, at);
  return canSplit ? 'and' : undefined;
}

function endsSentence(word: RequestWord | undefined): boolean {
  return word !== undefined && word.quote === '' && /[^./][.!?]$/.test(word.text);
}

function followedByThen(words: readonly RequestWord[], at: number): boolean {
  return isOneOf(words[at + 1], thenWords) || (isOneOf(words[at + 1], andWords) && isOneOf(words[at + 2], thenWords));
}

/** A limit, because a sequence of fillers is scanned again for each of its words. */
const maxFillers = 8;

function skipFillers(words: readonly RequestWord[], from: number): number {
  const end = Math.min(words.length, from + maxFillers);
  let at = from;
  while (at < end && (isOneOf(words[at], fillers) || isBullet(words[at]))) at += 1;
  return at;
}

function isBullet(word: RequestWord | undefined): boolean {
  return word !== undefined && word.quote === '' && /^\d{1,3}[.)]$/.test(word.text);
}

function trimJoins(words: readonly RequestWord[]): readonly RequestWord[] {
  const last = words.findLastIndex((word) => !isOneOf(word, trailingJoins));
  return words.slice(0, last + 1);
}

const trailingJoins = new Set([',', ';', 'and']);
