/** Calling a model until it answers: tries again, goes on with the next model, or gives up, as hooks or defaults say. */

import type { Clock } from '../clock.ts';
import { deadlinesOf, timedOut, within } from '../deadlines.ts';
import { BridleError } from '../errors.ts';
import type { Turn } from '../guard/turn.ts';
import type { EventBody } from '../hooks/events.ts';
import type { Usage } from '../hooks/payloads.ts';
import { isPromise, type MaybePromise } from '../maybe-promise.ts';
import { AnswerReader, type Delta, type ModelAnswer } from './answer-reader.ts';
import { attemptAnswer } from './model-attempt.ts';
import type { CallOptions } from './model-messages.ts';
import { isLanguageModel, type LanguageModel, modelKeyOf } from './models/language-model.ts';
import { backoffMs, describeFailure, isRetryable, retryAfterMs } from './models/model-failure.ts';

export interface CallerOptions {
  readonly models: readonly LanguageModel[];
  /** How many times one model is tried again after a failure that may pass. */
  readonly retries: number;
  readonly silenceMs: number;
  readonly clock: Clock;
  /** Finds the model a hook names. */
  readonly load: (spec: string) => Promise<LanguageModel>;
}

export interface ModelOrder {
  readonly turn: Turn;
  readonly options: CallOptions;
  readonly mayHoldMedia: boolean;
  readonly purpose: 'turn' | 'compaction';
  /** Counts the tries at this answer, those before included. */
  readonly attempts: { count: number };
  /** Called before every try; throws if there must be none. */
  readonly admit: (model: LanguageModel) => MaybePromise<Admission>;
  readonly onDelta: (type: Delta, text: string) => void;
}

export interface GivenAnswer {
  readonly answer: ModelAnswer;
  readonly model: string;
}

/** What is set aside for one try. */
export interface Admission {
  readonly maxOutputTokens: number | undefined;
  readonly settle: (usage: Usage) => MaybePromise<void>;
}

/** A hook that says "again" for ever must not hold the turn for ever. */
const mostAttempts = 32;

type Next =
  | { readonly type: 'retry'; readonly afterMs: number }
  | { readonly type: 'fallback'; readonly model: LanguageModel }
  | { readonly type: 'fail' };

export class ModelCaller {
  private place = 0;
  private current: LanguageModel;
  private triesOfCurrent = 0;
  /** Left over from a try that went well; making one is dear. */
  private spare: AbortController | undefined;

  constructor(private readonly options: CallerOptions) {
    this.current = options.models[0] as LanguageModel;
  }

  /** The model that would be called now. */
  get model(): LanguageModel {
    return this.current;
  }

  /** A new turn starts with the first model again. */
  reset(): void {
    this.place = 0;
    this.current = this.options.models[0] as LanguageModel;
    this.triesOfCurrent = 0;
    this.spare = undefined;
  }

  /** The answer, and the id of the model that gave it. */
  async call(order: ModelOrder): Promise<GivenAnswer> {
    for (;;) {
      order.attempts.count++;
      this.triesOfCurrent++;
      try {
        return await this.attempt(order);
      } catch (error) {
        if (order.turn.isCancelled || isStop(error)) throw error;
        await this.recover(order, error);
      }
    }
  }

  private async attempt(order: ModelOrder): Promise<GivenAnswer> {
    const { turn, purpose, mayHoldMedia, onDelta, attempts } = order;
    const { current: model } = this;
    const { clock, silenceMs } = this.options;
    const deadlines = deadlinesOf(clock);
    const admitting = order.admit(model);
    const admission = isPromise(admitting) ? await admitting : admitting;
    const { maxOutputTokens } = admission;
    const head = { model: modelKeyOf(model), attempt: attempts.count };
    turn.emit(() => ({ type: 'llm_started', purpose, ...head }));
    const started = clock.now();
    const controller = this.spare ?? new AbortController();
    this.spare = undefined;
    const reader = new AnswerReader(onDelta);
    try {
      const options = maxOutputTokens === undefined ? order.options : { ...order.options, maxOutputTokens };
      const answer = await attemptAnswer({
        model,
        options,
        mayHoldMedia,
        turn,
        deadlines,
        silenceMs,
        controller,
        reader,
      });
      this.triesOfCurrent = 0;
      this.spare = controller;
      const { usage, finishReason, responseId } = answer;
      const elapsedMs = clock.now() - started;
      turn.emit(() => ({ type: 'llm_settled', ...head, usage, finishReason, responseId, elapsedMs }));
      return { answer, model: head.model };
    } finally {
      // A try that failed may have cost something, too.
      const settling = admission.settle(reader.reported);
      if (isPromise(settling)) await settling;
    }
  }

  private async recover(order: ModelOrder, error: unknown): Promise<void> {
    const { turn, attempts } = order;
    const model = modelKeyOf(this.current);
    const next: Next = attempts.count >= mostAttempts ? { type: 'fail' } : await this.next(order, error);
    const afterMs = next.type === 'retry' ? next.afterMs : 0;
    const told: EventBody = {
      type: 'llm_failed',
      model,
      attempt: attempts.count,
      error: describeFailure(error),
      next: next.type,
      afterMs,
    };
    turn.emit(() => told);
    switch (next.type) {
      case 'fail':
        throw new BridleError('LLM_FAILED', `the model ${model} failed: ${told.error}`, { cause: error });
      case 'fallback':
        this.current = next.model;
        this.triesOfCurrent = 0;
        return;
      case 'retry':
        return this.pause(turn, afterMs);
      default:
        return next satisfies never;
    }
  }

  private async next(order: ModelOrder, error: unknown): Promise<Next> {
    const { turn, attempts } = order;
    const model = modelKeyOf(this.current);
    const result = await turn.dispatch('onLlmError', { error, attempt: attempts.count, model });
    if (result.type === 'failed') throw new BridleError('HOOK_FATAL', result.reason, { cause: error });
    if (result.type !== 'answered') return this.byDefault(error);
    const { action } = result;
    if (action.type === 'retry') return { type: 'retry', afterMs: action.afterMs ?? 0 };
    return action.type === 'fail' ? { type: 'fail' } : { type: 'fallback', model: await this.find(action.model) };
  }

  private byDefault(error: unknown): Next {
    const { retries, models } = this.options;
    const passing = isRetryable(error) || ownFailure(error);
    if (passing && this.triesOfCurrent <= retries) {
      return { type: 'retry', afterMs: retryAfterMs(error) ?? backoffMs(this.triesOfCurrent) };
    }
    const model = models[this.place + 1];
    if (model === undefined) return { type: 'fail' };
    this.place++;
    return { type: 'fallback', model };
  }

  private async find(model: unknown): Promise<LanguageModel> {
    if (isLanguageModel(model)) return model;
    if (typeof model === 'string') return this.options.load(model);
    throw new BridleError('LLM_FAILED', 'a hook answered fallback with something that is not a model');
  }

  /** Waits, but no longer than the turn lasts. */
  private async pause(turn: Turn, ms: number): Promise<void> {
    if (ms <= 0) return;
    let forget: (() => void) | undefined;
    const cancelled = new Promise<void>((resolve) => {
      forget = turn.whenCancelled(resolve);
    });
    const ended = await within(cancelled, ms, { deadlines: deadlinesOf(this.options.clock) });
    forget?.();
    if (ended !== timedOut) throw new BridleError('TURN_STOPPED', 'the turn was cancelled');
  }
}

/** What no other try and no other model can mend; a store that cannot count is no failure of a model. */
function isStop(error: unknown): boolean {
  if (!(error instanceof BridleError)) return false;
  return error.code === 'TURN_STOPPED' || error.code === 'HOOK_FATAL' || error.code.startsWith('STORE_');
}

/** A stream that was cut, or a model that went silent: the next try may go well. */
function ownFailure(error: unknown): boolean {
  return error instanceof BridleError && (error.code === 'LLM_STREAM_CUT' || error.code === 'LLM_TIMEOUT');
}
