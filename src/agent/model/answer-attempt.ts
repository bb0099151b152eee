/**
 * One attempt at an answer: opens the model's stream and assembles its parts. It always ends, with the complete answer or
 * an error, even if the model hangs.
 */

import { type Deadlines, TimedWait } from '../../kernel/deadlines.ts';
import { BridleError } from '../../kernel/errors.ts';
import type { Turn } from '../../kernel/guard/turn.ts';
import type { Usage } from '../../kernel/hooks/points/payloads.ts';
import { isJsonObject, type JsonValue } from '../../kernel/json.ts';
import {
  type DeltaType,
  type ModelAnswer,
  openStream,
  readUsage,
  separateMedia,
  toBase64Data,
  type WireCall,
} from './language-model.ts';
import type { AssistantPart, LanguageModel, ModelCallOptions, StreamPart } from './model-interface.ts';
import { wireName } from './tool-registry.ts';
import { freezeDeeply } from './history.ts';
import { noUsage } from '../budget/usage.ts';

/** A longer answer is treated as a failure. */
export const maxCharacters = 16 * 1024 * 1024;
const maxCalls = 1000;
const maxParts = 1_000_000;
const maxIdLength = 256;

export interface AttemptRequest {
  readonly turn: Turn;
  readonly options: ModelCallOptions;
  readonly mayContainMedia: boolean;
  readonly onDelta: (type: DeltaType, text: string) => void;
}

export interface AttemptLimits {
  readonly deadlines: Deadlines;
  /** How long the model may send nothing. */
  readonly idleTimeoutMs: number;
}

export class AnswerAttempt extends TimedWait {
  private readonly reader: AnswerReader;
  private source: ReadableStreamDefaultReader<StreamPart> | undefined;
  private stopped: BridleError | undefined;
  private onStop: ((reason: BridleError) => void) | undefined;
  private controller: AbortController | undefined;

  constructor(
    private readonly request: AttemptRequest,
    private readonly limits: AttemptLimits,
    private readonly model: LanguageModel,
  ) {
    super();
    this.reader = new AnswerReader(request.onDelta);
  }

  /** The usage that the model has reported so far. */
  get reportedUsage(): Usage {
    return this.reader.usage;
  }

  async run(): Promise<ModelAnswer> {
    const { deadlines, idleTimeoutMs } = this.limits;
    const { reader } = this;
    const unsubscribe = this.request.turn.whenCancelled(() =>
      this.stop(new BridleError('TURN_STOPPED', 'the turn was cancelled')),
    );
    try {
      deadlines.set(this, idleTimeoutMs);
      this.source = (await this.open()).getReader();
      for (;;) {
        const { done, value } = await this.source.read();
        if (this.stopped !== undefined) throw this.stopped;
        if (done) return reader.finish();
        // Restarts the time limit.
        this.dueAt = Number.POSITIVE_INFINITY;
        reader.addPart(value);
      }
    } catch (error) {
      this.stop(this.stopped ?? new BridleError('TURN_STOPPED', 'the answer is no longer needed'));
      throw this.stopped?.code === 'LLM_TIMEOUT' ? this.stopped : error;
    } finally {
      deadlines.clear(this);
      unsubscribe();
    }
  }

  override expire(): void {
    this.stop(new BridleError('LLM_TIMEOUT', `the model sent nothing for ${this.limits.idleTimeoutMs} ms`));
  }

  /** If the model ignores the abort signal, its stream is cancelled and its output dropped. */
  private open(): Promise<ReadableStream<StreamPart>> {
    const { model } = this;
    const { options, mayContainMedia } = this.request;
    const signal = (): AbortSignal => this.signal();
    const callOptions = {
      ...options,
      prompt: mayContainMedia ? separateMedia(model, options.prompt) : options.prompt,
      // AbortControllers are expensive to create, so a model that never reads its signal gets none.
      get abortSignal(): AbortSignal {
        return signal();
      },
    };
    return new Promise((resolve, reject) => {
      this.onStop = reject;
      if (this.stopped !== undefined) reject(this.stopped);
      openStream(model, callOptions).then(
        (stream) => (this.stopped === undefined ? resolve(stream) : void cancelQuietly(stream)),
        reject,
      );
    });
  }

  /** Aborted when the answer is no longer needed. */
  private signal(): AbortSignal {
    this.controller ??= new AbortController();
    if (this.stopped !== undefined) this.controller.abort();
    return this.controller.signal;
  }

  private stop(reason: BridleError): void {
    if (this.stopped !== undefined) return;
    this.stopped = reason;
    this.controller?.abort();
    this.onStop?.(reason);
    if (this.source !== undefined) void cancelQuietly(this.source);
  }
}

/** Cancels a stream and ignores errors, because nobody reads it any more. */
async function cancelQuietly(source: Pick<ReadableStream, 'cancel'>): Promise<void> {
  await source.cancel().catch(() => undefined);
}

/** A part of the answer that is still being streamed. */
interface OpenPart {
  readonly type: 'text' | 'reasoning';
  text: string;
  providerOptions?: NonNullable<Extract<AssistantPart, { type: 'text' }>['providerOptions']>;
}

/** Assembles a model's stream into an answer: text, thinking, tool calls, and the message for the history. */
class AnswerReader {
  private text = '';
  private thinking = '';
  private readonly content: AssistantPart[] = [];
  private openParts: Map<string, OpenPart> | undefined;
  private readonly calls: WireCall[] = [];
  /** The usage that the model has reported so far. */
  usage = noUsage;
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
    (this.openParts ??= new Map()).set(`${type}:${id}`, part);
    this.content.push(part);
    return part;
  }

  private append(type: OpenPart['type'], part: PartStart & { readonly delta: string }): void {
    const openPart = this.openParts?.get(`${type}:${part.id}`) ?? this.start(type, part);
    openPart.text += part.delta;
    if (part.providerMetadata !== undefined) openPart.providerOptions = part.providerMetadata;
    if (part.delta === '') return;
    if (type === 'text') this.text += part.delta;
    else this.thinking += part.delta;
    this.onDelta(type === 'text' ? 'text_delta' : 'thinking_delta', part.delta);
  }

  /** Providers often send the signature of thinking with its end. */
  private end(type: OpenPart['type'], { id, providerMetadata }: PartStart): void {
    const openPart = this.openParts?.get(`${type}:${id}`);
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

interface PartStart {
  readonly id: string;
  readonly providerMetadata?: OpenPart['providerOptions'] | undefined;
}

/** Parses arguments from JSON text; an empty text means no arguments. The result is frozen, because hooks see it. */
function parseArgs(input: unknown): unknown {
  if (typeof input !== 'string') return input;
  if (input.trim() === '') return Object.freeze({});
  try {
    return freezeDeeply(JSON.parse(input));
  } catch {
    return input;
  }
}
