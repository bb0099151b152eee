/**
 * Reads what a core gives as its answer. Pieces are streamed as they come, unless an output gate has to see the whole
 * text first, or the text may still turn out to be an answer of the model, which was streamed already.
 */

import { BridleError } from '../errors.ts';
import { kindOf } from '../kind-of.ts';
import { mostCharacters } from './answer-reader.ts';
import type { CoreAnswer } from './core.ts';
import type { TurnWork } from './turn-work.ts';

export class CoreText {
  private text = '';
  /** How much of the text was streamed. */
  private shown = 0;
  /** Answers of the model that begin with the text so far. */
  private candidates: readonly string[];
  private readonly held: boolean;

  constructor(
    private readonly work: TurnWork,
    /** Counts the tries at this answer, from 1. */
    readonly attempt: number,
  ) {
    this.candidates = work.answers;
    this.held = work.turn.canAnswer('postLlmCall');
  }

  /** The whole text; undefined if the core gave none. */
  async read(answer: CoreAnswer): Promise<string | undefined> {
    if (answer === undefined) return undefined;
    if (typeof answer === 'string') this.add(answer);
    else if (isAsyncIterable(answer)) await this.readPieces(answer);
    else throw this.refused(`gave ${kindOf(answer)} as its answer, not text`);
    return this.text;
  }

  /** Streams the part that was not streamed yet, as `final` has it: hooks may have changed a text that was held. */
  show(final: string): void {
    const rest = this.shown === 0 ? final : final.slice(this.shown);
    this.shown = final.length;
    const { attempt } = this;
    if (rest !== '') this.work.turn.emit(() => ({ type: 'text_delta', text: rest, attempt }));
  }

  private async readPieces(pieces: AsyncIterable<unknown>): Promise<void> {
    for await (const piece of pieces) {
      if (this.work.turn.isCancelled) return;
      if (typeof piece !== 'string') throw this.refused(`gave ${kindOf(piece)} as a piece of its answer, not text`);
      this.add(piece);
      if (!this.held && this.candidates.length === 0) this.show(this.text);
    }
  }

  private add(piece: string): void {
    const { length } = this.text;
    if (length + piece.length > mostCharacters) throw this.refused(`gave more than ${mostCharacters} characters`);
    this.candidates = this.candidates.filter((each) => each.startsWith(piece, length));
    this.text += piece;
  }

  private refused(problem: string): BridleError {
    return new BridleError('CORE_FAILED', `the core "${this.work.actor.parts.core.name}" ${problem}`);
  }
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}
