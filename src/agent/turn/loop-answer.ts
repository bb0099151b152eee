/**
 * Makes the text of a custom loop the answer of the turn. Text counts as the model's only if it equals, character for
 * character, an answer that the model gave in this turn after the hooks. All other text passes `postLlmCall` first.
 */

import type { LlmResponse } from '../../kernel/hooks/points/payloads.ts';
import { handleRejection } from './model-request.ts';
import { maxMismatches } from './structured-output.ts';
import { fillPending } from './tool-step.ts';
import type { TurnWork } from './turn-work.ts';
import { noUsage } from '../budget/usage.ts';
import { BridleError } from '../../kernel/errors.ts';
import { kindOf } from '../../kernel/kind-of.ts';
import { maxCharacters } from '../model/answer-attempt.ts';
import type { LoopAnswer } from './agent-loop.ts';

/** Accepts and streams the answer, or returns feedback if the loop has to answer again. */
export async function acceptAnswer(
  work: TurnWork,
  reader: LoopText,
  text: string | undefined,
): Promise<string | undefined> {
  const isLastAnswer = work.steps > 0 && text === work.text;
  if (text === undefined || isLastAnswer) return undefined;
  // An earlier answer of the model has already passed the hooks.
  const own = loopResponseOf(work, text);
  const response = work.answers.includes(text) ? own : await reviewAnswer(work, own, reader.attempt - 1);
  if (typeof response === 'string') return response;
  const mismatch = await mismatchOf(work, response.text, reader.attempt - 1);
  if (mismatch !== undefined) return mismatch;
  recordAnswer(work, response);
  reader.streamRest(response.text);
  return undefined;
}

/** The text of a loop in the form in which hooks see answers. No model was called for it, so its usage is zero. */
function loopResponseOf({ agent }: TurnWork, text: string): LlmResponse {
  const model = `loop/${agent.parts.loop.name}`;
  return Object.freeze({
    text,
    thinking: '',
    toolCalls: Object.freeze([]),
    usage: noUsage,
    model,
    responseId: undefined,
    finishReason: 'stop',
  });
}

/** The answer after the hooks, or feedback for the loop. */
async function reviewAnswer(work: TurnWork, response: LlmResponse, before: number): Promise<LlmResponse | string> {
  const { turn, agent } = work;
  if (!work.reviewsAnswers) return response;
  const result = await turn.dispatch('postLlmCall', Object.freeze({ response }));
  work.checkOpen();
  if (result.type === 'passed') {
    const reviewed = result.payload?.response ?? response;
    if (reviewed.toolCalls.length === 0) return reviewed;
    return work.stop('rejected', `A hook added tool calls to text from the loop "${agent.parts.loop.name}".`);
  }
  const { reason, next, error } = handleRejection(
    work,
    result,
    agent.parts.loop.revise === undefined ? 'last' : before,
  );
  if (error !== undefined) throw error;
  return next === 'fail' ? work.stop('rejected', reason) : reason;
}

/** Feedback for a text that does not match the schema, if the loop can answer again. */
async function mismatchOf(work: TurnWork, text: string, before: number): Promise<string | undefined> {
  const { schema } = work.request;
  if (schema === undefined) return undefined;
  const checked = await schema.check(text);
  work.problem = checked.problem;
  work.data = checked.problem === undefined ? checked.data : undefined;
  if (checked.problem === undefined || before >= maxMismatches) return undefined;
  if (work.agent.parts.loop.revise === undefined) return undefined;
  return `The answer does not match the schema: ${checked.problem}. Answer again with JSON that matches it.`;
}

function recordAnswer(work: TurnWork, { text, thinking, finishReason }: LlmResponse): void {
  fillPending(work);
  // Providers refuse empty messages.
  if (text.trim() !== '') work.agent.own.history.append({ role: 'assistant', content: [{ type: 'text', text }] });
  work.calls = [];
  work.text = text;
  work.thinking += thinking;
  work.finishReason = finishReason;
}

/**
 * Reads the answer of a custom loop. Pieces are streamed as they arrive, unless a hook must see the complete text
 * first, or the text may still turn out to be an answer of the model, which was already streamed.
 */
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
    this.isHeld = work.holdsAnswers;
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
