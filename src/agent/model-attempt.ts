/** One try at an answer: it ends with the whole answer or an error, whatever the model does or leaves undone. */

import { type Deadlines, Waiting } from '../deadlines.ts';
import { BridleError } from '../errors.ts';
import type { Turn } from '../guard/turn.ts';
import type { AnswerReader, ModelAnswer } from './answer-reader.ts';
import { type CallOptions, openStream, type StreamPart } from './model-messages.ts';
import type { LanguageModel } from './models/language-model.ts';
import { mediaBeside } from './models/media-beside.ts';

export interface AttemptOrder {
  readonly model: LanguageModel;
  readonly options: CallOptions;
  readonly mayHoldMedia: boolean;
  readonly turn: Turn;
  readonly deadlines: Deadlines;
  /** How long the model may say nothing. */
  readonly silenceMs: number;
  /** Aborted when the answer is of no use any more. */
  readonly controller: AbortController;
  readonly reader: AnswerReader;
}

export function attemptAnswer(order: AttemptOrder): Promise<ModelAnswer> {
  return new Attempt(order).run();
}

class Attempt extends Waiting {
  private source: ReadableStreamDefaultReader<StreamPart> | undefined;
  private stopped: BridleError | undefined;
  private onStop: ((why: BridleError) => void) | undefined;

  constructor(private readonly order: AttemptOrder) {
    super();
  }

  async run(): Promise<ModelAnswer> {
    const { turn, deadlines, silenceMs, reader } = this.order;
    const forget = turn.whenCancelled(() => this.stop(new BridleError('TURN_STOPPED', 'the turn was cancelled')));
    try {
      deadlines.set(this, silenceMs);
      this.source = (await this.open()).getReader();
      for (;;) {
        const { done, value } = await this.source.read();
        if (this.stopped !== undefined) throw this.stopped;
        if (done) return reader.finish();
        deadlines.set(this, silenceMs);
        reader.take(value);
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
    this.stop(new BridleError('LLM_TIMEOUT', `the model said nothing for ${this.order.silenceMs} ms`));
  }

  /** A model that heeds no signal is left alone: nothing it still does reaches anybody. */
  private open(): Promise<ReadableStream<StreamPart>> {
    const { model, options: asked, mayHoldMedia } = this.order;
    const prompt = mayHoldMedia ? mediaBeside(model, asked.prompt) : asked.prompt;
    const options = { ...asked, prompt, abortSignal: this.order.controller.signal };
    return new Promise((resolve, reject) => {
      this.onStop = reject;
      if (this.stopped !== undefined) reject(this.stopped);
      openStream(model, options).then(
        (stream) => (this.stopped === undefined ? resolve(stream) : void abandon(stream)),
        reject,
      );
    });
  }

  private stop(why: BridleError): void {
    if (this.stopped !== undefined) return;
    this.stopped = why;
    this.order.controller.abort();
    this.onStop?.(why);
    if (this.source !== undefined) void abandon(this.source);
  }
}

/** Whether a stream that nobody reads any more ends well does not matter. */
async function abandon(source: Pick<ReadableStream, 'cancel'>): Promise<void> {
  await source.cancel().catch(() => undefined);
}
