/** One attempt at an answer. It always ends, with the complete answer or an error, even if the model hangs. */

import { type Deadlines, TimedWait } from '../../kernel/deadlines.ts';
import { BridleError } from '../../kernel/errors.ts';
import type { Turn } from '../../kernel/guard/turn.ts';
import type { AnswerReader, ModelAnswer } from './answer-reader.ts';
import { type ModelCallOptions, openStream, type StreamPart } from './model-messages.ts';
import type { LanguageModel } from './providers/language-model.ts';
import { separateMedia } from './providers/separate-media.ts';

export interface AttemptRequest {
  readonly model: LanguageModel;
  readonly options: ModelCallOptions;
  readonly mayContainMedia: boolean;
  readonly turn: Turn;
  readonly deadlines: Deadlines;
  /** How long the model may send nothing. */
  readonly idleTimeoutMs: number;
  /** Aborted when the answer is no longer needed. */
  readonly controller: AbortController;
  readonly reader: AnswerReader;
}

export function attemptAnswer(request: AttemptRequest): Promise<ModelAnswer> {
  return new Attempt(request).run();
}

class Attempt extends TimedWait {
  private source: ReadableStreamDefaultReader<StreamPart> | undefined;
  private stopped: BridleError | undefined;
  private onStop: ((reason: BridleError) => void) | undefined;

  constructor(private readonly request: AttemptRequest) {
    super();
  }

  async run(): Promise<ModelAnswer> {
    const { turn, deadlines, idleTimeoutMs, reader } = this.request;
    const unsubscribe = turn.whenCancelled(() => this.stop(new BridleError('TURN_STOPPED', 'the turn was cancelled')));
    try {
      deadlines.set(this, idleTimeoutMs);
      this.source = (await this.open()).getReader();
      for (;;) {
        const { done, value } = await this.source.read();
        if (this.stopped !== undefined) throw this.stopped;
        if (done) return reader.finish();
        deadlines.set(this, idleTimeoutMs);
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
    this.stop(new BridleError('LLM_TIMEOUT', `the model sent nothing for ${this.request.idleTimeoutMs} ms`));
  }

  /** If the model ignores the abort signal, its stream is cancelled and its output dropped. */
  private open(): Promise<ReadableStream<StreamPart>> {
    const { model, options: callOptions, mayContainMedia } = this.request;
    const prompt = mayContainMedia ? separateMedia(model, callOptions.prompt) : callOptions.prompt;
    const options = { ...callOptions, prompt, abortSignal: this.request.controller.signal };
    return new Promise((resolve, reject) => {
      this.onStop = reject;
      if (this.stopped !== undefined) reject(this.stopped);
      openStream(model, options).then(
        (stream) => (this.stopped === undefined ? resolve(stream) : void cancelQuietly(stream)),
        reject,
      );
    });
  }

  private stop(reason: BridleError): void {
    if (this.stopped !== undefined) return;
    this.stopped = reason;
    this.request.controller.abort();
    this.onStop?.(reason);
    if (this.source !== undefined) void cancelQuietly(this.source);
  }
}

/** Cancels a stream and ignores errors, because nobody reads it any more. */
async function cancelQuietly(source: Pick<ReadableStream, 'cancel'>): Promise<void> {
  await source.cancel().catch(() => undefined);
}
