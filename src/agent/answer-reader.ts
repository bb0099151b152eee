/** Puts the parts of a model's stream together: the text, the thinking, the tool calls, and the message to keep. */

import type { Usage } from '../hooks/payloads.ts';
import { BridleError } from '../errors.ts';
import { isJsonObject, type JsonValue } from '../json.ts';
import type { ModelMessage, StreamPart } from './model-messages.ts';
import { wireName } from './tool-kit.ts';
import { noUsage, readUsage } from './usage.ts';

type AssistantContent = Extract<ModelMessage, { role: 'assistant' }>['content'];
type AssistantPart = AssistantContent[number];

/** A tool call as the model wrote it; `args` is the text itself where it is not JSON. */
export interface WireCall {
  readonly id: string;
  readonly name: string;
  readonly args: unknown;
}

export interface ModelAnswer {
  readonly text: string;
  readonly thinking: string;
  readonly calls: readonly WireCall[];
  /** What the history keeps. */
  readonly content: AssistantContent;
  readonly usage: Usage;
  readonly finishReason: string;
  /** The id that the provider gave the answer, if it gave one. */
  readonly responseId: string | undefined;
}

export type Delta = 'text_delta' | 'thinking_delta';

/** No useful answer is longer. */
export const mostCharacters = 16 * 1024 * 1024;
const mostCalls = 1000;
const mostParts = 1_000_000;
const longestId = 256;

/** A part of the answer that is still being written. */
interface Growing {
  readonly type: 'text' | 'reasoning';
  text: string;
  providerOptions?: NonNullable<Extract<AssistantPart, { type: 'text' }>['providerOptions']>;
}

export class AnswerReader {
  private text = '';
  private thinking = '';
  private readonly content: AssistantPart[] = [];
  private readonly growing = new Map<string, Growing>();
  private readonly calls: WireCall[] = [];
  private usage = noUsage;
  private finishReason: string | undefined;
  private responseId: string | undefined;
  private parts = 0;
  private fileCharacters = 0;

  constructor(private readonly onDelta: (type: Delta, text: string) => void) {}

  /** Takes one part. A part that tells of an error throws it, and so does an answer without end. */
  take(part: StreamPart): void {
    this.checkSize();
    switch (part.type) {
      case 'text-start':
      case 'reasoning-start':
        this.start(part.type === 'text-start' ? 'text' : 'reasoning', part);
        return;
      case 'text-delta':
        this.grow('text', part);
        return;
      case 'reasoning-delta':
        this.grow('reasoning', part);
        return;
      case 'text-end':
      case 'reasoning-end':
        this.note(part.type === 'text-end' ? 'text' : 'reasoning', part);
        return;
      case 'tool-call':
        this.takeCall(part);
        return;
      case 'file':
        this.takeFile(part);
        return;
      case 'finish':
        this.usage = readUsage(part.usage);
        this.finishReason = part.finishReason?.unified ?? 'other';
        return;
      case 'response-metadata':
        if (typeof part.id === 'string') this.responseId = part.id.slice(0, longestId);
        return;
      case 'error':
        throw part.error;
      default:
        // Sources and the like say nothing the agent acts on.
        return;
    }
  }

  finish(): ModelAnswer {
    // `interrupted`: the provider's stream ended without saying that the answer is complete.
    if (this.finishReason === undefined || ['interrupted', 'error'].includes(this.finishReason)) {
      throw new BridleError('LLM_STREAM_CUT', 'the stream of the model ended before the answer was complete');
    }
    const { text, thinking, calls, usage, finishReason, responseId } = this;
    const content = this.content.filter((part) => part.type !== 'text' || part.text !== '');
    return { text, thinking, calls, content, usage, finishReason, responseId };
  }

  /** What the model has reported so far. */
  get reported(): Usage {
    return this.usage;
  }

  private checkSize(): void {
    const characters = this.text.length + this.thinking.length + this.fileCharacters;
    if (++this.parts <= mostParts && characters <= mostCharacters && this.calls.length <= mostCalls) return;
    const limits = `${mostCharacters} characters, ${mostCalls} tool calls or ${mostParts} parts`;
    throw new BridleError('LLM_FAILED', `the answer has more than ${limits}`);
  }

  private takeFile({ mediaType, data }: Extract<StreamPart, { type: 'file' }>): void {
    const kept = keptData(data);
    this.fileCharacters += JSON.stringify(kept).length;
    this.content.push({ type: 'file', mediaType, data: kept });
  }

  private start(type: Growing['type'], { id, providerMetadata }: Started): Growing {
    const part: Growing = { type, text: '' };
    if (providerMetadata !== undefined) part.providerOptions = providerMetadata;
    this.growing.set(`${type}:${id}`, part);
    this.content.push(part);
    return part;
  }

  private grow(type: Growing['type'], part: Started & { readonly delta: string }): void {
    const growing = this.growing.get(`${type}:${part.id}`) ?? this.start(type, part);
    growing.text += part.delta;
    if (part.providerMetadata !== undefined) growing.providerOptions = part.providerMetadata;
    if (part.delta === '') return;
    if (type === 'text') this.text += part.delta;
    else this.thinking += part.delta;
    this.onDelta(type === 'text' ? 'text_delta' : 'thinking_delta', part.delta);
  }

  /** Signatures of thinking often come with its end. */
  private note(type: Growing['type'], { id, providerMetadata }: Started): void {
    const growing = this.growing.get(`${type}:${id}`);
    if (growing !== undefined && providerMetadata !== undefined) growing.providerOptions = providerMetadata;
  }

  private takeCall(part: Extract<StreamPart, { type: 'tool-call' }>): void {
    const { toolName: name, providerMetadata } = part;
    if (part.providerExecuted === true) return;
    const args = parseArgs(part.input);
    const id = this.idFor(part.toolCallId, name, args);
    if (id === undefined) return;
    this.calls.push({ id, name, args });
    // Providers want an object here, also for a call that could not be read.
    const input = isJsonObject(args as JsonValue) ? args : {};
    const kept: AssistantPart = { type: 'tool-call', toolCallId: id, toolName: wireName(undefined, name), input };
    if (providerMetadata !== undefined) kept.providerOptions = providerMetadata;
    this.content.push(kept);
  }

  /** The same call twice is one call; another call under the same id gets an id of its own. */
  private idFor(given: string | undefined, name: string, args: unknown): string | undefined {
    if (given === undefined || given === '' || given.length > longestId) return this.freeId('call');
    const same = this.calls.find(({ id }) => id === given);
    if (same === undefined) return given;
    if (same.name === name && JSON.stringify(same.args) === JSON.stringify(args)) return undefined;
    return this.freeId(given);
  }

  private freeId(stem: string): string {
    for (let count = this.calls.length + 1; ; count++) {
      const id = `${stem}-${count}`;
      if (this.calls.every((call) => call.id !== id)) return id;
    }
  }
}

type FileData = Extract<AssistantPart, { type: 'file' }>['data'];

/** Bytes are kept as text, so that a session can be saved; older models give them without a tag. */
function keptData(data: FileData | string | Uint8Array): FileData {
  if (typeof data === 'string') return { type: 'data', data };
  if (data instanceof Uint8Array) return { type: 'data', data: Buffer.from(data).toString('base64') };
  return data.type === 'data' ? keptData(data.data) : data;
}

interface Started {
  readonly id: string;
  readonly providerMetadata?: Growing['providerOptions'] | undefined;
}

/** Models write arguments as JSON text; nothing at all means none. Hooks see what comes of it, and cannot change it. */
function parseArgs(input: unknown): unknown {
  if (typeof input !== 'string') return input;
  if (input.trim() === '') return Object.freeze({});
  try {
    return JSON.parse(input, (_key, value: unknown) => Object.freeze(value));
  } catch {
    return input;
  }
}
