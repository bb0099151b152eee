/** Turns a message into a plan: steps in order, the calls of a step at once. Nothing is planned of what is half understood. */

import type { JsonObject } from '../../json.ts';
import { messageOf } from '../../errors.ts';
import { grammar, type Row, type Said } from './grammar.ts';
import { type Hint, hintFor } from './hint.ts';
import { match, phrase, type Slots } from './phrase.ts';
import { requestsIn, type Request } from './requests-in.ts';
import { textOf, wordsOf } from './words.ts';

export interface PlannedCall {
  readonly tool: string;
  readonly args: JsonObject;
}

export interface Step {
  readonly calls: readonly PlannedCall[];
  /** Only if the step before it went well. */
  readonly dependent: boolean;
}

export type Plan =
  | { readonly type: 'steps'; readonly steps: readonly Step[] }
  | { readonly type: 'unclear'; readonly problem: string; readonly hint: Hint | undefined };

/** The longest message that is looked at, in characters. */
const messageLimit = 262_144;
const callLimit = 32;

const rows = grammar.map((row) => ({ row, phrases: row.say.map(phrase) }));

export function planFor(message: string): Plan {
  if (message.length > messageLimit) {
    return unclear(`That message has ${message.length} characters; I read at most ${messageLimit}.`);
  }
  const requests = requestsIn(wordsOf(message), callLimit + 1);
  const steps: { calls: PlannedCall[]; dependent: boolean; reads: boolean }[] = [];
  for (const request of requests) {
    const read = readRequest(request, message);
    if (typeof read === 'string') return unclear(read, hintFor(request.words, message));
    const last = steps.at(-1);
    const reads = read.row.reads === true;
    if (request.join === 'and' && reads && last?.reads === true) last.calls.push(...read.calls);
    else steps.push({ calls: [...read.calls], dependent: request.join === 'then', reads });
  }
  if (steps.length === 0) return unclear('There is nothing in that message I could do.');
  const count = steps.reduce((sum, { calls }) => sum + calls.length, 0);
  if (count > callLimit) return unclear(`That is more than I do at once: at most ${callLimit} calls.`);
  return { type: 'steps', steps };
}

function unclear(problem: string, hint?: Hint): Plan {
  return { type: 'unclear', problem, hint };
}

/** The calls a request asks for, or what is wrong with it. */
function readRequest({ words }: Request, source: string): { row: Row; calls: readonly PlannedCall[] } | string {
  for (const { row, phrases } of rows) {
    for (const each of phrases) {
      const slots = match(each, words, source);
      if (slots !== undefined) return callsOf(row, slots);
    }
  }
  const said = textOf(source, words.slice(0, 40));
  return `I do not understand "${said.length > 120 ? `${said.slice(0, 120)}…` : said}".`;
}

function callsOf(row: Row, slots: Slots): { row: Row; calls: readonly PlannedCall[] } | string {
  const calls: PlannedCall[] = [];
  for (const said of eachSaid(slots)) {
    const tool = row.tool ?? said['tool'] ?? '';
    const args = argsOf(row, said);
    if (typeof args === 'string') return `The arguments for ${tool} are not a JSON object: ${args}.`;
    calls.push({ tool, args });
  }
  return { row, calls };
}

function argsOf(row: Row, said: Said): JsonObject | string {
  try {
    const args: unknown = row.args(said);
    if (typeof args !== 'object' || args === null || Array.isArray(args)) return JSON.stringify(args);
    return args as JsonObject;
  } catch (error) {
    return messageOf(error);
  }
}

/** One reading for each value of the slot that holds a list. */
function eachSaid(slots: Slots): readonly Said[] {
  const list = [...slots].find(([, values]) => values.length > 1);
  const common = Object.fromEntries(Array.from(slots, ([name, [value = '']]) => [name, value]));
  return list === undefined ? [common] : list[1].map((value) => ({ ...common, [list[0]]: value }));
}
