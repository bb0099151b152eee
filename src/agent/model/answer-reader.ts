/** Puts the parts of a model's stream together: the text, the thinking, the tool calls, and the message to keep. */

import type { Usage } from '../../kernel/hooks/points/payloads.ts';
import { BridleError } from '../../kernel/errors.ts';
import { isJsonObject, type JsonValue } from '../../kernel/json.ts';
import type { ModelMessage, StreamPart } from './model-messages.ts';
import { wireName } from './tool-registry.ts';
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

export type DeltaType = 'text_delta' | 'thinking_delta';

/** No useful answer is longer. */
export const maxCharacters = 16 * 1024 * 1024;
const maxCalls = 1000;
const maxParts = 1_000_000;
const maxIdLength = 256;

/** A part of the answer that is still being written. */
interface OpenPart {
  readonly type: 'text' | 'reasoning';
  text: string;
  providerOptions?: NonNullable<Extract<AssistantPart, { type: 'text' }>['providerOptions']>;
}

export class AnswerReader {
  private text = '';
  private thinking = '';
  private readonly content: AssistantPart[] = [];
  private readonly openParts = new Map<string, OpenPart>();
  private readonly calls: WireCall[] = [];
  private usage = noUsage;
  private finishReason: string | undefined;
  private responseId: string | undefined;
  private parts = 0;
  private fileCharacters = 0;

  constructor(private readonly onDelta: (type: DeltaType, text: string) => void) {}

  /** Takes one part. A part that tells of an error throws it, and so does an answer without end. */
  addPart(part: StreamPart): void {
    this.checkSize();
    switch (part.type) {
      case 'text-start':
      case 'reasoning-start':
        this.start(part.type === 'text-start' ? 'text' : 'reasoning', part);
        return;
      case 'text-delta':
        this.append('text', part);
        return;
      case 'reasoning-delta':
        this.append('reasoning', part);
        return;
      case 'text-end':
      case 'reasoning-end':
        this.end(part.type === 'text-end' ? 'text' : 'reasoning', part);
        return;
      case 'tool-call':
        this.addCall(part);
        return;
      case 'file':
        this.addFile(part);
        return;
      case 'finish':
        this.usage = readUsage(part.usage);
        this.finishReason = part.finishReason?.unified ?? 'other';
        return;
      case 'response-metadata':
        if (typeof part.id === 'string') this.responseId = part.id.slice(0, maxIdLength);
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
  get reportedUsage(): Usage {
    return this.usage;
  }

  private checkSize(): void {
    const characters = this.text.length + this.thinking.length + this.fileCharacters;
    if (++this.parts <= maxParts && characters <= maxCharacters && this.calls.length <= maxCalls) return;
    const limits = `${maxCharacters} characters, ${maxCalls} tool calls or ${maxParts} parts`;
    throw new BridleError('LLM_FAILED', `the answer has more than ${limits}`);
  }

  private addFile({ mediaType, data }: Extract<StreamPart, { type: 'file' }>): void {
    const kept = toBase64Data(data);
    this.fileCharacters += JSON.stringify(kept).length;
    this.content.push({ type: 'file', mediaType, data: kept });
  }

  private start(type: OpenPart['type'], { id, providerMetadata }: PartStart): OpenPart {
    const part: OpenPart = { type, text: '' };
    if (providerMetadata !== undefined) part.providerOptions = providerMetadata;
    this.openParts.set(`${type}:${id}`, part);
    this.content.push(part);
    return part;
  }

  private append(type: OpenPart['type'], part: PartStart & { readonly delta: string }): void {
    const openPart = this.openParts.get(`${type}:${part.id}`) ?? this.start(type, part);
    openPart.text += part.delta;
    if (part.providerMetadata !== undefined) openPart.providerOptions = part.providerMetadata;
    if (part.delta === '') return;
    if (type === 'text') this.text += part.delta;
    else this.thinking += part.delta;
    this.onDelta(type === 'text' ? 'text_delta' : 'thinking_delta', part.delta);
  }

  /** Signatures of thinking often come with its end. */
  private end(type: OpenPart['type'], { id, providerMetadata }: PartStart): void {
    const openPart = this.openParts.get(`${type}:${id}`);
    if (openPart !== undefined && providerMetadata !== undefined) openPart.providerOptions = providerMetadata;
  }

  private addCall(part: Extract<StreamPart, { type: 'tool-call' }>): void {
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
    if (given === undefined || given === '' || given.length > maxIdLength) return this.freeId('call');
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
function toBase64Data(data: FileData | string | Uint8Array): FileData {
  if (typeof data === 'string') return { type: 'data', data };
  if (data instanceof Uint8Array) return { type: 'data', data: Buffer.from(data).toString('base64') };
  return data.type === 'data' ? toBase64Data(data.data) : data;
}

interface PartStart {
  readonly id: string;
  readonly providerMetadata?: OpenPart['providerOptions'] | undefined;
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
