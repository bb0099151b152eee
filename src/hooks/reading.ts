/** Reading values that hooks made: each reader gives a frozen, checked value or says what is wrong with it. */

import { copyJson, fitsBytes, isJsonObject, type JsonObject, type JsonValue, utf8Length } from '../json.ts';
import { isRecord } from '../kind-of.ts';
import type { Limits } from '../limits.ts';
import type {
  LlmRequest,
  LlmResponse,
  Media,
  Message,
  Prompt,
  QuestionResponse,
  TurnOutput,
  Usage,
} from './payloads.ts';

export class Problem {
  constructor(readonly text: string) {}
}

export type Reader<T> = (value: unknown, limits: Limits) => T | Problem;

type Shape<T> = { readonly [K in keyof T]-?: Reader<T[K]> };

/** A reader for a plain object with exactly these fields; a reader that takes undefined makes its field optional. */
export function record<T extends object>(shape: Shape<T>): Reader<T> {
  return (value, limits) => {
    if (!isRecord(value)) return new Problem('is not an object');
    const extra = Object.keys(value).find((key) => !Object.hasOwn(shape, key));
    if (extra !== undefined) return new Problem(`has an unknown field "${extra}"`);
    const copy: Record<string, unknown> = {};
    for (const key of Object.keys(shape) as (keyof T & string)[]) {
      const read = shape[key]((value as Partial<T>)[key], limits);
      if (read instanceof Problem) return new Problem(`${key} ${read.text}`);
      if (read !== undefined) copy[key] = read;
    }
    return Object.freeze(copy) as T;
  };
}

export function list<T>(item: Reader<T>): Reader<readonly T[]> {
  return (value, limits) => {
    if (!Array.isArray(value)) return new Problem('is not a list');
    const { length } = value;
    if (length > limits.answerBytes) return new Problem('is too long');
    const copy: T[] = [];
    // By index: a list may come with an iterator of its own.
    for (let index = 0; index < length; index++) {
      const read = item(value[index], limits);
      if (read instanceof Problem) return new Problem(`[${index}] ${read.text}`);
      copy.push(read);
    }
    return Object.freeze(copy);
  };
}

export function optional<T>(reader: Reader<T>): Reader<T | undefined> {
  return (value, limits) => (value === undefined ? undefined : reader(value, limits));
}

function textWithin(limit: 'answerBytes' | 'promptBytes'): Reader<string> {
  return (value, limits) => {
    if (typeof value !== 'string') return new Problem('is not a text');
    return fitsBytes(value, limits[limit]) ? value : new Problem(`is larger than ${limits[limit]} bytes`);
  };
}

export const text = textWithin('promptBytes');
const shortText = textWithin('answerBytes');

/** Text that says something: a reason, a question. Too long is cut where it is used. */
export const words: Reader<string> = (value, limits) => {
  const read = shortText(value, limits);
  return typeof read === 'string' && read.trim() === '' ? new Problem('is empty') : read;
};

export const anything: Reader<unknown> = (value) => (value === undefined ? new Problem('is missing') : value);

export const absent: Reader<undefined> = (value) =>
  value === undefined ? undefined : new Problem('does not belong here');

/** A field that is taken from nobody: what is given for it is dropped. */
const ignored: Reader<undefined> = () => undefined;

export const count: Reader<number> = (value) =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : new Problem('is not a number from 0 up');

export const flag: Reader<boolean> = (value) =>
  typeof value === 'boolean' ? value : new Problem('is not true or false');

export const json: Reader<JsonValue> = (value, limits) => {
  const copy = copyJson(value, { bytes: limits.answerBytes, depth: limits.depth });
  return copy.problem === undefined ? copy.value : new Problem(copy.problem);
};

export const jsonObject: Reader<JsonObject> = (value, limits) => {
  const copy = json(value, limits);
  if (copy instanceof Problem || isJsonObject(copy)) return copy;
  return new Problem('is not an object');
};

/** Bytes cannot be frozen, so they are copied: whoever made them cannot change what was read. */
const bytes: Reader<string | Uint8Array> = (value) => {
  if (typeof value === 'string') return value;
  return ArrayBuffer.isView(value) && value instanceof Uint8Array
    ? new Uint8Array(value)
    : new Problem('is neither text nor bytes');
};

/** A prompt is bounded as a whole, piece by piece, so that reading stops where it gets too large. */
export const prompt: Reader<Prompt> = (value, limits) => {
  const budget = { left: limits.mediaBytes };
  const item = record<Media>({
    mediaType: spending(budget, words),
    data: spending(budget, bytes),
    name: spending(budget, optional(words)),
  });
  const media = list(item);
  return record<Prompt>({
    text: spending(budget, text),
    media: (given) => (given === undefined ? [] : media(given, limits)),
  })(value, limits);
};

function spending<T extends string | Uint8Array | undefined>(budget: { left: number }, reader: Reader<T>): Reader<T> {
  return (value, limits) => {
    const read = reader(value, limits);
    if (read instanceof Problem || read === undefined) return read;
    budget.left -= sizeOf(read, budget.left);
    return budget.left < 0 ? new Problem(`makes the prompt larger than ${limits.mediaBytes} bytes`) : read;
  };
}

/** In bytes; of text that is too long anyway only the length is looked at. */
function sizeOf(data: string | Uint8Array, left: number): number {
  if (typeof data !== 'string') return data.byteLength;
  return data.length > left ? data.length : utf8Length(data.toWellFormed());
}

const usage: Reader<Usage> = record<Usage>({
  inputTokens: count,
  outputTokens: count,
  cachedInputTokens: count,
  cacheCreationTokens: count,
});

export const turnOutput: Reader<TurnOutput> = record<TurnOutput>({
  text,
  thinking: text,
  steps: count,
  usage,
  stopReason: words,
  toolCalls: ignored,
});

const roles: readonly unknown[] = ['system', 'user', 'assistant', 'tool'] satisfies readonly Message['role'][];
const role: Reader<Message['role']> = (value) =>
  roles.includes(value) ? (value as Message['role']) : new Problem(`is none of ${roles.join(', ')}`);

const part: Reader<{ readonly type: string }> = (value) =>
  typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string'
    ? (value as { readonly type: string })
    : new Problem('is not a part with a type');

export const llmRequest: Reader<LlmRequest> = record<LlmRequest>({
  model: optional(text),
  messages: list(
    record({
      role,
      content: (value, limits) => (typeof value === 'string' ? text(value, limits) : list(part)(value, limits)),
    }),
  ),
  tools: list(
    record({ name: words, server: optional(words), description: optional(text), inputSchema: optional(anything) }),
  ),
  settings: jsonObject,
});

export const llmResponse: Reader<LlmResponse> = record<LlmResponse>({
  text,
  thinking: text,
  toolCalls: list(record({ id: words, tool: words, server: optional(words), args: json })),
  usage,
  model: text,
  responseId: optional(text),
  finishReason: words,
});

export const responses: Reader<readonly QuestionResponse[]> = list(
  record<QuestionResponse>({ selected: optional(list(count)), text: optional(text), skipped: optional(flag) }),
);
