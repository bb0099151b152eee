/** Readers for values from hooks. Each returns a checked, frozen value or a problem. */

import { copyJson, fitsBytes, isJsonObject, type JsonObject, type JsonValue, utf8Length } from '../../json.ts';
import { isRecord } from '../../kind-of.ts';
import type { Limits } from '../../limits.ts';
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

export class ReadProblem {
  constructor(readonly text: string) {}
}

export type ValueReader<T> = (value: unknown, limits: Limits) => T | ReadProblem;

type Shape<T> = { readonly [K in keyof T]-?: ValueReader<T[K]> };

/** Reads a plain object with exactly these fields. A reader that accepts undefined makes its field optional. */
export function recordReader<T extends object>(shape: Shape<T>): ValueReader<T> {
  return (value, limits) => {
    if (!isRecord(value)) return new ReadProblem('is not an object');
    const extra = Object.keys(value).find((key) => !Object.hasOwn(shape, key));
    if (extra !== undefined) return new ReadProblem(`has an unknown field "${extra}"`);
    const copy: Record<string, unknown> = {};
    for (const key of Object.keys(shape) as (keyof T & string)[]) {
      const read = shape[key]((value as Partial<T>)[key], limits);
      if (read instanceof ReadProblem) return new ReadProblem(`${key} ${read.text}`);
      if (read !== undefined) copy[key] = read;
    }
    return Object.freeze(copy) as T;
  };
}

export function listReader<T>(item: ValueReader<T>): ValueReader<readonly T[]> {
  return (value, limits) => {
    if (!Array.isArray(value)) return new ReadProblem('is not a list');
    const { length } = value;
    if (length > limits.answerBytes) return new ReadProblem('is too long');
    const copy: T[] = [];
    // By index, because a list may have a custom iterator.
    for (let index = 0; index < length; index++) {
      const read = item(value[index], limits);
      if (read instanceof ReadProblem) return new ReadProblem(`[${index}] ${read.text}`);
      copy.push(read);
    }
    return Object.freeze(copy);
  };
}

export function optionalReader<T>(reader: ValueReader<T>): ValueReader<T | undefined> {
  return (value, limits) => (value === undefined ? undefined : reader(value, limits));
}

function textReaderWithin(limit: 'answerBytes' | 'promptBytes'): ValueReader<string> {
  return (value, limits) => {
    if (typeof value !== 'string') return new ReadProblem('is not a string');
    return fitsBytes(value, limits[limit]) ? value : new ReadProblem(`is larger than ${limits[limit]} bytes`);
  };
}

export const textReader = textReaderWithin('promptBytes');
const shortTextReader = textReaderWithin('answerBytes');

/** Reads non-empty text, such as a reason or a question. It is cut to length where it is used. */
export const nonEmptyTextReader: ValueReader<string> = (value, limits) => {
  const read = shortTextReader(value, limits);
  return typeof read === 'string' && read.trim() === '' ? new ReadProblem('is empty') : read;
};

export const anyReader: ValueReader<unknown> = (value) => (value === undefined ? new ReadProblem('is missing') : value);

export const absentReader: ValueReader<undefined> = (value) =>
  value === undefined ? undefined : new ReadProblem('does not belong here');

/** Accepts and drops any value, for fields that hooks cannot set. */
const ignoredReader: ValueReader<undefined> = () => undefined;

export const countReader: ValueReader<number> = (value) =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0
    ? value
    : new ReadProblem('is not a number from 0 up');

export const booleanReader: ValueReader<boolean> = (value) =>
  typeof value === 'boolean' ? value : new ReadProblem('is not true or false');

export const jsonReader: ValueReader<JsonValue> = (value, limits) => {
  const copy = copyJson(value, { bytes: limits.answerBytes, depth: limits.depth });
  return copy.problem === undefined ? copy.value : new ReadProblem(copy.problem);
};

export const jsonObjectReader: ValueReader<JsonObject> = (value, limits) => {
  const copy = jsonReader(value, limits);
  if (copy instanceof ReadProblem || isJsonObject(copy)) return copy;
  return new ReadProblem('is not an object');
};

/** Bytes cannot be frozen, so they are copied: later changes by the hook have no effect. */
const bytesReader: ValueReader<string | Uint8Array> = (value) => {
  if (typeof value === 'string') return value;
  return ArrayBuffer.isView(value) && value instanceof Uint8Array
    ? new Uint8Array(value)
    : new ReadProblem('is not text or bytes');
};

/** Limits the total size of a prompt while reading, so that reading stops as soon as it is too large. */
export const promptReader: ValueReader<Prompt> = (value, limits) => {
  const budget = { left: limits.mediaBytes };
  const item = recordReader<Media>({
    mediaType: chargedReader(budget, nonEmptyTextReader),
    data: chargedReader(budget, bytesReader),
    name: chargedReader(budget, optionalReader(nonEmptyTextReader)),
  });
  const media = listReader(item);
  return recordReader<Prompt>({
    text: chargedReader(budget, textReader),
    media: (given) => (given === undefined ? [] : media(given, limits)),
  })(value, limits);
};

function chargedReader<T extends string | Uint8Array | undefined>(
  budget: { left: number },
  reader: ValueReader<T>,
): ValueReader<T> {
  return (value, limits) => {
    const read = reader(value, limits);
    if (read instanceof ReadProblem || read === undefined) return read;
    budget.left -= sizeOf(read, budget.left);
    return budget.left < 0 ? new ReadProblem(`makes the prompt larger than ${limits.mediaBytes} bytes`) : read;
  };
}

/** Size in bytes. For text that is too long in any case, the number of characters is enough. */
function sizeOf(data: string | Uint8Array, left: number): number {
  if (typeof data !== 'string') return data.byteLength;
  return data.length > left ? data.length : utf8Length(data.toWellFormed());
}

const usageReader: ValueReader<Usage> = recordReader<Usage>({
  inputTokens: countReader,
  outputTokens: countReader,
  cachedInputTokens: countReader,
  cacheCreationTokens: countReader,
});

export const turnOutputReader: ValueReader<TurnOutput> = recordReader<TurnOutput>({
  text: textReader,
  thinking: textReader,
  steps: countReader,
  usage: usageReader,
  stopReason: nonEmptyTextReader,
  toolCalls: ignoredReader,
});

const roles: readonly unknown[] = ['system', 'user', 'assistant', 'tool'] satisfies readonly Message['role'][];
const roleReader: ValueReader<Message['role']> = (value) =>
  roles.includes(value) ? (value as Message['role']) : new ReadProblem(`is not one of ${roles.join(', ')}`);

const partReader: ValueReader<{ readonly type: string }> = (value) =>
  typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string'
    ? (value as { readonly type: string })
    : new ReadProblem('is not a part with a type');

export const llmRequestReader: ValueReader<LlmRequest> = recordReader<LlmRequest>({
  model: optionalReader(textReader),
  messages: listReader(
    recordReader({
      role: roleReader,
      content: (value, limits) =>
        typeof value === 'string' ? textReader(value, limits) : listReader(partReader)(value, limits),
    }),
  ),
  tools: listReader(
    recordReader({
      name: nonEmptyTextReader,
      server: optionalReader(nonEmptyTextReader),
      description: optionalReader(textReader),
      inputSchema: optionalReader(anyReader),
    }),
  ),
  settings: jsonObjectReader,
});

export const llmResponseReader: ValueReader<LlmResponse> = recordReader<LlmResponse>({
  text: textReader,
  thinking: textReader,
  toolCalls: listReader(
    recordReader({
      id: nonEmptyTextReader,
      tool: nonEmptyTextReader,
      server: optionalReader(nonEmptyTextReader),
      args: jsonReader,
    }),
  ),
  usage: usageReader,
  model: textReader,
  responseId: optionalReader(textReader),
  finishReason: nonEmptyTextReader,
});

export const responsesReader: ValueReader<readonly QuestionResponse[]> = listReader(
  recordReader<QuestionResponse>({
    selected: optionalReader(listReader(countReader)),
    text: optionalReader(textReader),
    skipped: optionalReader(booleanReader),
  }),
);
