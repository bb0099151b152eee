/**
 * Reads the answer of a custom loop. Pieces are streamed as they arrive, unless a hook must see the complete text
 * first, or the text may still turn out to be an answer of the model, which was already streamed.
 */

import { BridleError } from '../../kernel/errors.ts';
import { kindOf } from '../../kernel/kind-of.ts';
import { maxCharacters } from '../model/answer-reader.ts';
import type { LoopAnswer } from './state/agent-loop.ts';
import type { TurnWork } from './state/turn-work.ts';

export class LoopText {
  private text = '';
  /** How many characters were streamed. */
  private streamedLength = 0;
  /** Answers of the model that start with the text so far. */
  private candidates: readonly string[];
  private readonly isHeld: boolean;

  constructor(
    private readonly work: TurnWork,
    /** The number of the attempt at this answer, from 1. */
    readonly attempt: number,
  ) {
    this.candidates = work.answers;
    this.isHeld = work.turn.canAnswer('postLlmCall');
  }

  /** The complete text; undefined if the loop returned none. */
  async read(answer: LoopAnswer): Promise<string | undefined> {
    if (answer === undefined) return undefined;
    if (typeof answer === 'string') this.add(answer);
    else if (isAsyncIterable(answer)) await this.readPieces(answer);
    else throw this.failure(`returned ${kindOf(answer)} as its answer instead of text`);
    return this.text;
  }

  /** Streams the rest of `final`, which hooks may have changed if the text was held back. */
  streamRest(final: string): void {
    const rest = this.streamedLength === 0 ? final : final.slice(this.streamedLength);
    this.streamedLength = final.length;
    const { attempt } = this;
    if (rest !== '') this.work.turn.emit(() => ({ type: 'text_delta', text: rest, attempt }));
  }

  private async readPieces(pieces: AsyncIterable<unknown>): Promise<void> {
    for await (const piece of pieces) {
      if (this.work.turn.isCancelled) return;
      if (typeof piece !== 'string')
        throw this.failure(`yielded ${kindOf(piece)} as a piece of its answer instead of text`);
      this.add(piece);
      if (!this.isHeld && this.candidates.length === 0) this.streamRest(this.text);
    }
  }

  private add(piece: string): void {
    const { length } = this.text;
    if (length + piece.length > maxCharacters) throw this.failure(`returned more than ${maxCharacters} characters`);
    this.candidates = this.candidates.filter((each) => each.startsWith(piece, length));
    this.text += piece;
  }

  private failure(problem: string): BridleError {
    return new BridleError('LOOP_FAILED', `the loop "${this.work.agent.parts.loop.name}" ${problem}`);
  }
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}
