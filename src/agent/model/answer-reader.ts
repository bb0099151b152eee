/** Assembles a model's stream into an answer: text, thinking, tool calls, and the message for the history. */

import type { Usage } from '../../kernel/hooks/points/payloads.ts';
import { BridleError } from '../../kernel/errors.ts';
import { isJsonObject, type JsonValue } from '../../kernel/json.ts';
import type { ModelMessage, StreamPart } from './model-messages.ts';
import { wireName } from './tool-registry.ts';
import { noUsage, readUsage } from './usage.ts';

type AssistantContent = Extract<ModelMessage, { role: 'assistant' }>['content'];
type AssistantPart = AssistantContent[number];

/** A tool call as the model wrote it. If the arguments are not JSON, `args` is their text. */
export interface WireCall {
  readonly id: string;
  readonly name: string;
  readonly args: unknown;
}

export interface ModelAnswer {
  readonly text: string;
  readonly thinking: string;
  readonly calls: readonly WireCall[];
  /** The content of the message for the history. */
  readonly content: AssistantContent;
  readonly usage: Usage;
  readonly finishReason: string;
  /** The provider's id of the answer, if there is one. */
  readonly responseId: string | undefined;
}

export type DeltaType = 'text_delta' | 'thinking_delta';

/** A longer answer is treated as a failure. */
export const maxCharacters = 16 * 1024 * 1024;
const maxCalls = 1000;
const maxParts = 1_000_000;
const maxIdLength = 256;

/** A part of the answer that is still being streamed. */
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

  /** Adds one part. Throws for an error part, and if the answer gets too long. */
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
        // The agent does not use sources and other parts.
        return;
    }
  }

  finish(): ModelAnswer {
    // `interrupted`: the stream ended before the provider reported a complete answer.
    if (this.finishReason === undefined || ['interrupted', 'error'].includes(this.finishReason)) {
      throw new BridleError('LLM_STREAM_CUT', "the model's stream ended before the answer was complete");
    }
    const { text, thinking, calls, usage, finishReason, responseId } = this;
    const content = this.content.filter((part) => part.type !== 'text' || part.text !== '');
    return { text, thinking, calls, content, usage, finishReason, responseId };
  }

  /** The usage that the model has reported so far. */
  get reportedUsage(): Usage {
    return this.usage;
  }

  private checkSize(): void {
    const characters = this.text.length + this.thinking.length + this.fileCharacters;
    if (++this.parts <= maxParts && characters <= maxCharacters && this.calls.length <= maxCalls) return;
    const limits = `${maxCharacters} characters, ${maxCalls} tool calls or ${maxParts} parts`;
    throw new BridleError('LLM_FAILED', `the model's answer has more than ${limits}`);
  }

  private addFile({ mediaType, data }: Extract<StreamPart, { type: 'file' }>): void {
    const encoded = toBase64Data(data);
    this.fileCharacters += JSON.stringify(encoded).length;
    this.content.push({ type: 'file', mediaType, data: encoded });
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

  /** Providers often send the signature of thinking with its end. */
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
    // Providers require an object here, even for arguments that could not be parsed.
    const input = isJsonObject(args as JsonValue) ? args : {};
    const callPart: AssistantPart = { type: 'tool-call', toolCallId: id, toolName: wireName(undefined, name), input };
    if (providerMetadata !== undefined) callPart.providerOptions = providerMetadata;
    this.content.push(callPart);
  }

  /** Undefined for an exact repeat of a call. A different call with an id that is already used gets a new id. */
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

/** Encodes bytes as text so that the session can be saved. v3 models send data without a type tag. */
function toBase64Data(data: FileData | string | Uint8Array): FileData {
  if (typeof data === 'string') return { type: 'data', data };
  if (data instanceof Uint8Array) return { type: 'data', data: Buffer.from(data).toString('base64') };
  return data.type === 'data' ? toBase64Data(data.data) : data;
}

interface PartStart {
  readonly id: string;
  readonly providerMetadata?: OpenPart['providerOptions'] | undefined;
}

/** Parses arguments from JSON text; an empty text means no arguments. The result is frozen, because hooks see it. */
function parseArgs(input: unknown): unknown {
  if (typeof input !== 'string') return input;
  if (input.trim() === '') return Object.freeze({});
  try {
    return JSON.parse(input, (_key, value: unknown) => Object.freeze(value));
  } catch {
    return input;
  }
}
