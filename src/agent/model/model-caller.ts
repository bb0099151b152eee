/** Calls a model until it answers: retries, falls back to the next model, or fails, as hooks or the defaults decide. */

import type { Clock } from '../../kernel/clock.ts';
import { deadlinesOf, timedOut, withTimeout } from '../../kernel/deadlines.ts';
import { BridleError } from '../../kernel/errors.ts';
import type { Turn } from '../../kernel/guard/turn.ts';
import type { EventBody } from '../../kernel/hooks/points/events.ts';
import type { Usage } from '../../kernel/hooks/points/payloads.ts';
import { isPromise, type MaybePromise } from '../../kernel/maybe-promise.ts';
import { AnswerReader, type DeltaType, type ModelAnswer } from './answer-reader.ts';
import { attemptAnswer } from './model-attempt.ts';
import type { ModelCallOptions } from './model-messages.ts';
import { isLanguageModel, type LanguageModel, modelKeyOf } from './providers/language-model.ts';
import { backoffMs, describeFailure, isRetryable, retryAfterMs } from './model-failure.ts';

export interface ModelCallerOptions {
  readonly models: readonly LanguageModel[];
  /** How often each model is retried after a transient failure. */
  readonly retries: number;
  readonly idleTimeoutMs: number;
  readonly clock: Clock;
  /** Loads a model that a hook names. */
  readonly load: (spec: string) => Promise<LanguageModel>;
}

export interface ModelCallRequest {
  readonly turn: Turn;
  readonly options: ModelCallOptions;
  readonly mayContainMedia: boolean;
  readonly purpose: 'turn' | 'compaction';
  /** Counts the attempts at this answer, including those of earlier calls. */
  readonly attempts: { count: number };
  /** Called before every attempt. Throws if the budget does not allow it. */
  readonly reserve: (model: LanguageModel) => MaybePromise<CallReservation>;
  readonly onDelta: (type: DeltaType, text: string) => void;
}

export interface AnswerWithModel {
  readonly answer: ModelAnswer;
  readonly model: string;
}

/** The part of the budget that is reserved for one attempt. */
export interface CallReservation {
  readonly maxOutputTokens: number | undefined;
  readonly settle: (usage: Usage) => MaybePromise<void>;
}

/** A hook that always answers `retry` must not block the turn forever. */
const maxAttempts = 32;

type NextAction =
  | { readonly type: 'retry'; readonly afterMs: number }
  | { readonly type: 'fallback'; readonly model: LanguageModel }
  | { readonly type: 'fail' };

export class ModelCaller {
  private modelIndex = 0;
  private current: LanguageModel;
  private attemptsOfCurrent = 0;
  /** Reused after a successful attempt, because AbortControllers are expensive to create. */
  private spareController: AbortController | undefined;

  constructor(private readonly options: ModelCallerOptions) {
    this.current = options.models[0] as LanguageModel;
  }

  /** The model for the next attempt. */
  get model(): LanguageModel {
    return this.current;
  }

  /** Called after each turn, so that the next one starts with the first model. */
  reset(): void {
    this.modelIndex = 0;
    this.current = this.options.models[0] as LanguageModel;
    this.attemptsOfCurrent = 0;
    this.spareController = undefined;
  }

  /** Returns the answer and the key of the model that gave it. */
  async call(request: ModelCallRequest): Promise<AnswerWithModel> {
    for (;;) {
      request.attempts.count++;
      this.attemptsOfCurrent++;
      try {
        return await this.attempt(request);
      } catch (error) {
        if (request.turn.isCancelled || isFinal(error)) throw error;
        await this.recover(request, error);
      }
    }
  }

  private async attempt(request: ModelCallRequest): Promise<AnswerWithModel> {
    const { turn, purpose, mayContainMedia, onDelta, attempts } = request;
    const { current: model } = this;
    const { clock, idleTimeoutMs } = this.options;
    const deadlines = deadlinesOf(clock);
    const reserving = request.reserve(model);
    const reservation = isPromise(reserving) ? await reserving : reserving;
    const { maxOutputTokens } = reservation;
    const head = { model: modelKeyOf(model), attempt: attempts.count };
    turn.emit(() => ({ type: 'llm_started', purpose, ...head }));
    const started = clock.now();
    const controller = this.spareController ?? new AbortController();
    this.spareController = undefined;
    const reader = new AnswerReader(onDelta);
    try {
      const options = maxOutputTokens === undefined ? request.options : { ...request.options, maxOutputTokens };
      const answer = await attemptAnswer({
        model,
        options,
        mayContainMedia,
        turn,
        deadlines,
        idleTimeoutMs,
        controller,
        reader,
      });
      this.attemptsOfCurrent = 0;
      this.spareController = controller;
      const { usage, finishReason, responseId } = answer;
      const elapsedMs = clock.now() - started;
      turn.emit(() => ({ type: 'llm_settled', ...head, usage, finishReason, responseId, elapsedMs }));
      return { answer, model: head.model };
    } finally {
      // A failed attempt may have used tokens too.
      const settling = reservation.settle(reader.reportedUsage);
      if (isPromise(settling)) await settling;
    }
  }

  private async recover(request: ModelCallRequest, error: unknown): Promise<void> {
    const { turn, attempts } = request;
    const model = modelKeyOf(this.current);
    const next: NextAction = attempts.count >= maxAttempts ? { type: 'fail' } : await this.next(request, error);
    const afterMs = next.type === 'retry' ? next.afterMs : 0;
    const event: EventBody = {
      type: 'llm_failed',
      model,
      attempt: attempts.count,
      error: describeFailure(error),
      next: next.type,
      afterMs,
    };
    turn.emit(() => event);
    switch (next.type) {
      case 'fail':
        throw new BridleError('LLM_FAILED', `the model ${model} failed: ${event.error}`, { cause: error });
      case 'fallback':
        this.current = next.model;
        this.attemptsOfCurrent = 0;
        return;
      case 'retry':
        return this.pause(turn, afterMs);
      default:
        return next satisfies never;
    }
  }

  private async next(request: ModelCallRequest, error: unknown): Promise<NextAction> {
    const { turn, attempts } = request;
    const model = modelKeyOf(this.current);
    const result = await turn.dispatch('onLlmError', { error, attempt: attempts.count, model });
    if (result.type === 'failed') throw new BridleError('HOOK_FATAL', result.reason, { cause: error });
    if (result.type !== 'answered') return this.defaultAction(error);
    const { action } = result;
    if (action.type === 'retry') return { type: 'retry', afterMs: action.afterMs ?? 0 };
    return action.type === 'fail' ? { type: 'fail' } : { type: 'fallback', model: await this.findModel(action.model) };
  }

  private defaultAction(error: unknown): NextAction {
    const { retries, models } = this.options;
    const isTransient = isRetryable(error) || isStreamFailure(error);
    if (isTransient && this.attemptsOfCurrent <= retries) {
      return { type: 'retry', afterMs: retryAfterMs(error) ?? backoffMs(this.attemptsOfCurrent) };
    }
    const model = models[this.modelIndex + 1];
    if (model === undefined) return { type: 'fail' };
    this.modelIndex++;
    return { type: 'fallback', model };
  }

  private async findModel(model: unknown): Promise<LanguageModel> {
    if (isLanguageModel(model)) return model;
    if (typeof model === 'string') return this.options.load(model);
    throw new BridleError('LLM_FAILED', 'a hook answered fallback with a value that is not a model');
  }

  /** Waits before a retry. Throws if the turn is cancelled meanwhile. */
  private async pause(turn: Turn, ms: number): Promise<void> {
    if (ms <= 0) return;
    let unsubscribe: (() => void) | undefined;
    const cancelled = new Promise<void>((resolve) => {
      unsubscribe = turn.whenCancelled(resolve);
    });
    const ended = await withTimeout(cancelled, ms, { deadlines: deadlinesOf(this.options.clock) });
    unsubscribe?.();
    if (ended !== timedOut) throw new BridleError('TURN_STOPPED', 'the turn was cancelled');
  }
}

/** True for errors that neither a retry nor another model can fix. A failed store is one: the model is not to blame. */
function isFinal(error: unknown): boolean {
  if (!(error instanceof BridleError)) return false;
  return error.code === 'TURN_STOPPED' || error.code === 'HOOK_FATAL' || error.code.startsWith('STORE_');
}

/** True if the stream was cut or the model went silent, so a retry may succeed. */
function isStreamFailure(error: unknown): boolean {
  return error instanceof BridleError && (error.code === 'LLM_STREAM_CUT' || error.code === 'LLM_TIMEOUT');
}
