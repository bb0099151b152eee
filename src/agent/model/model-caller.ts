/** Calls a model until it answers: retries, falls back to the next model, or fails, as hooks or the defaults decide. */

import type { Clock } from '../../kernel/clock.ts';
import { timedOut, withTimeout } from '../../kernel/deadlines.ts';
import { BridleError } from '../../kernel/errors.ts';
import type { Turn } from '../../kernel/guard/turn.ts';
import type { EventBody } from '../../kernel/hooks/points/events.ts';
import type { Usage } from '../../kernel/hooks/points/payloads.ts';
import type { MaybePromise } from '../../kernel/maybe-promise.ts';
import { AnswerAttempt, type AttemptLimits, type AttemptRequest } from './answer-attempt.ts';
import { isLanguageModel, type ModelAnswer, modelKeyOf } from './language-model.ts';
import type { LanguageModel } from './model-interface.ts';
import { backoffMs, describeFailure, isRetryable, retryAfterMs } from './model-failure.ts';

export interface ModelCallerOptions extends AttemptLimits {
  readonly models: readonly LanguageModel[];
  /** How often each model is retried after a transient failure. */
  readonly retries: number;
  readonly clock: Clock;
  /** Loads a model that a hook names. */
  readonly load: (spec: string) => Promise<LanguageModel>;
}

export interface ModelCallRequest extends AttemptRequest {
  readonly purpose: 'turn' | 'compaction';
  /** Counts the attempts at this answer, including those of earlier calls. */
  readonly attempts: { count: number };
  /** Called before every attempt. Throws if the budget does not allow it. */
  readonly reserve: (model: LanguageModel) => MaybePromise<CallReservation>;
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
  private models: readonly LanguageModel[];
  private attemptsOfCurrent = 0;
  /** The name of the model for the next attempt, as in {@link modelKeyOf}. */
  modelKey: string;

  constructor(private readonly options: ModelCallerOptions) {
    this.models = options.models;
    this.current = this.models[0] as LanguageModel;
    this.modelKey = modelKeyOf(this.current);
  }

  /** Uses this model from now on, without a fallback. */
  async switchTo(model: LanguageModel | string): Promise<void> {
    this.models = [await this.findModel(model)];
    this.reset();
  }

  /** Called after each turn, so that the next one starts with the first model. */
  reset(): void {
    this.modelIndex = 0;
    this.use(this.models[0] as LanguageModel);
  }

  private use(model: LanguageModel): void {
    this.attemptsOfCurrent = 0;
    if (model === this.current) return;
    this.current = model;
    this.modelKey = modelKeyOf(model);
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
    const { turn, purpose, attempts } = request;
    const { current, modelKey: model } = this;
    const { clock } = this.options;
    const reservation = await request.reserve(current);
    turn.emit(() => ({ type: 'llm_started', purpose, model, attempt: attempts.count }));
    const started = clock.now();
    const { maxOutputTokens } = reservation;
    const bounded =
      maxOutputTokens === undefined ? request : { ...request, options: { ...request.options, maxOutputTokens } };
    const attempt = new AnswerAttempt(bounded, this.options, current);
    try {
      const answer = await attempt.run();
      this.attemptsOfCurrent = 0;
      const { usage, finishReason, responseId } = answer;
      turn.emit(() => ({
        type: 'llm_settled',
        model,
        attempt: attempts.count,
        usage,
        finishReason,
        responseId,
        elapsedMs: clock.now() - started,
      }));
      return { answer, model };
    } finally {
      // A failed attempt may have used tokens too.
      await reservation.settle(attempt.reportedUsage);
    }
  }

  private async recover(request: ModelCallRequest, error: unknown): Promise<void> {
    const { turn, attempts } = request;
    const { modelKey: model } = this;
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
        this.use(next.model);
        return;
      case 'retry':
        return this.pause(turn, afterMs);
      default:
        return next satisfies never;
    }
  }

  private async next(request: ModelCallRequest, error: unknown): Promise<NextAction> {
    const { turn, attempts } = request;
    const { modelKey: model } = this;
    const result = await turn.dispatch('onLlmError', { error, attempt: attempts.count, model });
    if (result.type === 'failed') throw new BridleError('HOOK_FATAL', result.reason, { cause: error });
    if (result.type !== 'answered') return this.defaultAction(error);
    const { action } = result;
    if (action.type === 'retry') return { type: 'retry', afterMs: action.afterMs ?? 0 };
    return action.type === 'fail' ? { type: 'fail' } : { type: 'fallback', model: await this.findModel(action.model) };
  }

  private defaultAction(error: unknown): NextAction {
    const { retries } = this.options;
    const isTransient = isRetryable(error) || isStreamFailure(error);
    if (isTransient && this.attemptsOfCurrent <= retries) {
      return { type: 'retry', afterMs: retryAfterMs(error) ?? backoffMs(this.attemptsOfCurrent) };
    }
    const model = this.models[this.modelIndex + 1];
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
    const ended = await withTimeout(cancelled, ms, this.options);
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
