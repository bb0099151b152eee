/** One try at an answer: it ends with the whole answer or an error, whatever the model does or leaves undone. */

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
  /** How long the model may say nothing. */
  readonly silenceTimeoutMs: number;
  /** Aborted when the answer is of no use any more. */
  readonly controller: AbortController;
  readonly reader: AnswerReader;
}

export function attemptAnswer(request: AttemptRequest): Promise<ModelAnswer> {
  return new Attempt(request).run();
}

class Attempt extends TimedWait {
  private source: ReadableStreamDefaultReader<StreamPart> | undefined;
  private stopped: BridleError | undefined;
  private onStop: ((why: BridleError) => void) | undefined;

  constructor(private readonly request: AttemptRequest) {
    super();
  }

  async run(): Promise<ModelAnswer> {
    const { turn, deadlines, silenceTimeoutMs: silenceMs, reader } = this.request;
    const forget = turn.whenCancelled(() => this.stop(new BridleError('TURN_STOPPED', 'the turn was cancelled')));
    try {
      deadlines.set(this, silenceMs);
      this.source = (await this.open()).getReader();
      for (;;) {
        const { done, value } = await this.source.read();
        if (this.stopped !== undefined) throw this.stopped;
        if (done) return reader.finish();
        deadlines.set(this, silenceMs);
        reader.addPart(value);
      }
    } catch (error) {
      this.stop(this.stopped ?? new BridleError('TURN_STOPPED', 'the answer is of no use'));
      throw this.stopped?.code === 'LLM_TIMEOUT' ? this.stopped : error;
    } finally {
      deadlines.clear(this);
      forget();
    }
  }

  override expire(): void {
    this.stop(new BridleError('LLM_TIMEOUT', `the model said nothing for ${this.request.silenceTimeoutMs} ms`));
  }

  /** A model that heeds no signal is left alone: nothing it still does reaches anybody. */
  private open(): Promise<ReadableStream<StreamPart>> {
    const { model, options: asked, mayContainMedia: mayHoldMedia } = this.request;
    const prompt = mayHoldMedia ? separateMedia(model, asked.prompt) : asked.prompt;
    const options = { ...asked, prompt, abortSignal: this.request.controller.signal };
    return new Promise((resolve, reject) => {
      this.onStop = reject;
      if (this.stopped !== undefined) reject(this.stopped);
      openStream(model, options).then(
        (stream) => (this.stopped === undefined ? resolve(stream) : void cancelQuietly(stream)),
        reject,
      );
    });
  }

  private stop(why: BridleError): void {
    if (this.stopped !== undefined) return;
    this.stopped = why;
    this.request.controller.abort();
    this.onStop?.(why);
    if (this.source !== undefined) void cancelQuietly(this.source);
  }
}

/** Whether a stream that nobody reads any more ends well does not matter. */
async function cancelQuietly(source: Pick<ReadableStream, 'cancel'>): Promise<void> {
  await source.cancel().catch(() => undefined);
}
