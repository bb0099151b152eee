/**
 * Turns a message into a plan: steps in order, the calls of a step together. Plans nothing if a part is not understood.
 */

import type { JsonObject } from '../../../kernel/json.ts';
import { messageOf } from '../../../kernel/errors.ts';
import { grammar, type GrammarRow, type SlotValues } from './grammar.ts';
import { type RequestHint, hintFor } from './hint.ts';
import { matchPhrase, parsePhrase, type Slots } from './phrase.ts';
import { splitRequests, type PlannerRequest } from './split-requests.ts';
import { sourceTextOf, splitWords } from './words.ts';

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
  | { readonly type: 'unclear'; readonly problem: string; readonly hint: RequestHint | undefined };

/** The longest message that is read, in characters. */
const messageLimit = 262_144;
const callLimit = 32;

const rows = grammar.map((row) => ({ row, phrases: row.phrases.map(parsePhrase) }));

export function planFor(message: string): Plan {
  if (message.length > messageLimit) {
    return unclear(`The message has ${message.length} characters; I read at most ${messageLimit}.`);
  }
  const requests = splitRequests(splitWords(message), callLimit + 1);
  const steps: { calls: PlannedCall[]; dependent: boolean; reads: boolean }[] = [];
  for (const request of requests) {
    const read = readRequest(request, message);
    if (typeof read === 'string') return unclear(read, hintFor(request.words, message));
    const last = steps.at(-1);
    const reads = read.row.reads === true;
    if (request.join === 'and' && reads && last?.reads === true) last.calls.push(...read.calls);
    else steps.push({ calls: [...read.calls], dependent: request.join === 'then', reads });
  }
  if (steps.length === 0) return unclear('The message contains no request.');
  const count = steps.reduce((sum, { calls }) => sum + calls.length, 0);
  if (count > callLimit) return unclear(`The message needs too many tool calls; I make at most ${callLimit}.`);
  return { type: 'steps', steps };
}

function unclear(problem: string, hint?: RequestHint): Plan {
  return { type: 'unclear', problem, hint };
}

/** The calls for a request, or why it was not understood. */
function readRequest(
  { words }: PlannerRequest,
  source: string,
): { row: GrammarRow; calls: readonly PlannedCall[] } | string {
  for (const { row, phrases } of rows) {
    for (const each of phrases) {
      const slots = matchPhrase(each, words, source);
      if (slots !== undefined) return callsOf(row, slots);
    }
  }
  const text = sourceTextOf(source, words.slice(0, 40));
  return `I do not understand "${text.length > 120 ? `${text.slice(0, 120)}…` : text}".`;
}

function callsOf(row: GrammarRow, slots: Slots): { row: GrammarRow; calls: readonly PlannedCall[] } | string {
  const calls: PlannedCall[] = [];
  for (const values of slotReadingsOf(slots)) {
    const tool = row.tool ?? values['tool'] ?? '';
    const args = argsOf(row, values);
    if (typeof args === 'string') return `The arguments for ${tool} are not a JSON object: ${args}.`;
    calls.push({ tool, args });
  }
  return { row, calls };
}

function argsOf(row: GrammarRow, values: SlotValues): JsonObject | string {
  try {
    const args: unknown = row.args(values);
    if (typeof args !== 'object' || args === null || Array.isArray(args)) return JSON.stringify(args);
    return args as JsonObject;
  } catch (error) {
    return messageOf(error);
  }
}

/** One set of values for each value of the slot that has a list. */
function slotReadingsOf(slots: Slots): readonly SlotValues[] {
  const list = [...slots].find(([, values]) => values.length > 1);
  const common = Object.fromEntries(Array.from(slots, ([name, [value = '']]) => [name, value]));
  return list === undefined ? [common] : list[1].map((value) => ({ ...common, [list[0]]: value }));
}
