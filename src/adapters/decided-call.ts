/**
 * A call that is decided at one integration point of a framework and runs at another. Between them, it waits inside the
 * guard's one path, so hooks and records happen once and in order.
 */

import type { ToolCall } from '../kernel/call.ts';
import { BridleError, messageOf } from '../kernel/errors.ts';
import type { CallResult, DeniedResult, InvalidResult } from '../kernel/guard/calls/call-result.ts';
import type { RunContext, ToolHost } from '../kernel/guard/calls/run-tool.ts';
import type { JsonObject, JsonValue } from '../kernel/json.ts';
import { isPromise, whenSettled } from '../kernel/maybe-promise.ts';
import type { PausedQuestion } from './paused-questions.ts';
import { sameData } from './same-data.ts';

/** Runs the framework's tool with the decided args. */
export type ToolRun = (args: JsonObject, context: RunContext) => unknown;

/** A call that the guard has decided. */
export type DecidedCall =
  | {
      readonly type: 'runs';
      readonly args: JsonObject;
      readonly isChanged: boolean;
      /** Runs it. The framework's `signal` aborts it, too. */
      readonly run: (execute: ToolRun, signal?: AbortSignal) => Promise<EndedCall>;
      /** Settles the call without running it. */
      readonly abandon: (reason: string) => void;
    }
  /** A person must answer first. */
  | { readonly type: 'asks'; readonly question: PausedQuestion }
  | { readonly type: 'refused'; readonly result: DeniedResult | InvalidResult };

/** A call that does not run now. */
export type RefusedCall = Exclude<DecidedCall, { type: 'runs' }>;

/** A call that ran. */
export interface EndedCall {
  readonly type: 'ended';
  readonly result: CallResult;
  /** What the framework gets: the tool's own value, unless a hook or a limit changed it. */
  readonly value: unknown;
  /** What the tool threw, if the model is to see that error. */
  readonly thrown: unknown;
}

interface GuardedPath {
  /** Starts the guard's path for a call. */
  readonly guard: (host: ToolHost) => Promise<CallResult>;
  /** Returns the question that the path has asked. */
  readonly question: () => PausedQuestion | undefined;
  /** True if the turn of the call was cancelled or has ended. */
  readonly isCancelled: () => boolean;
  /** Called when the path has ended. */
  readonly onEnd: () => unknown;
}

/** Starts the guard's path for a call. Resolves when the call may run, or when the path has ended without that. */
export function decideCall({ guard, question, isCancelled, onEnd }: GuardedPath): Promise<DecidedCall> {
  return new Promise((resolve, reject) => {
    const execution = new DeferredExecution(({ call }) =>
      resolve({
        type: 'runs',
        args: call.args,
        get isChanged() {
          return !sameData(call.args, call.requested);
        },
        run: (execute, signal) => {
          if (!isCancelled() && execution.canStart) execution.start(execute, signal);
          return settled.then((result) => execution.ended(result));
        },
        abandon: (reason) => execution.abandon(reason),
      }),
    );
    const settled = guard(execution);
    const onResult = (result: CallResult): void => {
      onEnd();
      execution.isSettled = true;
      if (!execution.isReleased) resolve(notRun(result, question));
    };
    const onFailed = (error: unknown): void => {
      onEnd();
      reject(error);
    };
    settled.then(onResult, onFailed);
  });
}

/** What became of a call that did not run. */
function notRun(result: CallResult, question: GuardedPath['question']): RefusedCall {
  const asked = result.type === 'denied' && result.status === 'suspended' ? question() : undefined;
  if (asked !== undefined) return { type: 'asks', question: asked };
  if (result.type === 'denied' || result.type === 'invalid') return { type: 'refused', result };
  // A call that was cancelled before it could run.
  const { call, text, value, isError } = result;
  const refusal = { status: 'cancelled', reason: text, rule: undefined, hook: undefined } as const;
  return { type: 'refused', result: { type: 'denied', call, text, value, isError, ...refusal } };
}

interface Released {
  readonly call: ToolCall;
  readonly context: RunContext;
}

/** The host of one call. The call waits here until the framework runs it. */
class DeferredExecution implements ToolHost {
  /** True if the guard's path has ended. */
  isSettled = false;
  private decided: Released | undefined;
  private releasedAt = 0;
  private settle!: { readonly resolve: (value: JsonValue) => void; readonly reject: (error: unknown) => void };
  private raw: unknown;
  private view: JsonValue = null;
  private thrown: unknown;

  constructor(private readonly release: (released: Released) => void) {}

  get isReleased(): boolean {
    return this.decided !== undefined;
  }

  /** False if the call has ended while the framework did something else: then the journal says that its tool did not run. */
  get canStart(): boolean {
    const { grant } = (this.decided as Released).context;
    if (this.isSettled) return false;
    const isLate = performance.now() - this.releasedAt >= (grant.timeoutMs ?? Number.POSITIVE_INFINITY);
    // Signals are expensive to create, so it is asked only if the time limit may have passed.
    return !isLate || !(this.decided as Released).context.signal.aborted;
  }

  run(call: ToolCall, context: RunContext): Promise<JsonValue> {
    return new Promise((resolve, reject) => {
      this.settle = { resolve, reject };
      this.decided = { call, context };
      this.releasedAt = performance.now();
      this.release(this.decided);
    });
  }

  /** Starts the tool. The guard's path does not wait for a tool that outlives its time limit. */
  start(execute: ToolRun, signal: AbortSignal | undefined): void {
    const { call, context } = this.decided as Released;
    const onFailed = (error: unknown): void => {
      this.thrown = error;
      this.settle.reject(error);
    };
    const onResult = (raw: unknown): void => {
      try {
        this.raw = raw;
        this.view = jsonView(raw);
        this.settle.resolve(this.view);
      } catch (error) {
        onFailed(error);
      }
    };
    try {
      const raw = execute(call.args, signal === undefined ? context : new LinkedContext(context, signal));
      if (isPromise(raw)) whenSettled(raw, onResult, onFailed);
      else onResult(raw);
    } catch (error) {
      onFailed(error);
    }
  }

  abandon(reason: string): void {
    this.settle.reject(new BridleError('CALL_REFUSED', reason));
  }

  ended(result: CallResult): EndedCall {
    if (result.isError) {
      // A hook may have replaced the message, perhaps to hide something, so the original is thrown only if it did not.
      const isOwn = this.thrown !== undefined && result.text === messageOf(this.thrown);
      const thrown = isOwn ? this.thrown : new BridleError('TOOL_FAILED', result.text);
      return { type: 'ended', result, value: result.value, thrown };
    }
    const isUnchanged = result.type === 'ok' && sameData(result.value, this.view);
    return { type: 'ended', result, value: isUnchanged ? this.raw : result.value, thrown: undefined };
  }
}

/** The context of a call that the framework can abort, too. Most tools do not read the signal, and it is expensive to create. */
class LinkedContext implements RunContext {
  readonly grant: RunContext['grant'];
  readonly paths: RunContext['paths'];
  readonly store: RunContext['store'];
  readonly #own: RunContext;
  readonly #given: AbortSignal;
  #signal: AbortSignal | undefined;

  constructor(own: RunContext, given: AbortSignal) {
    this.grant = own.grant;
    this.paths = own.paths;
    this.store = own.store;
    this.#own = own;
    this.#given = given;
  }

  get signal(): AbortSignal {
    return (this.#signal ??= AbortSignal.any([this.#given, this.#own.signal]));
  }

  get idempotencyKey(): string {
    return this.#own.idempotencyKey;
  }
}

/** A result as JSON data, as a model would get it. */
function jsonView(value: unknown): JsonValue {
  if (value === null || value === undefined) return null;
  if (typeof value === 'string' || typeof value === 'boolean') return value;
  return (JSON.parse(JSON.stringify(value) ?? 'null') as JsonValue) ?? null;
}

/** The error that a framework turns into a tool error: its message is the text that the model sees. */
export function refusalError(decided: RefusedCall): BridleError {
  const error = new BridleError('CALL_REFUSED', refusalText(decided));
  // Frameworks show the model `String(error)`, which is the message alone if there is no name.
  error.name = '';
  return error;
}

/** Why a call does not run, as text for the model. */
export function refusalText(decided: RefusedCall): string {
  if (decided.type === 'refused') return decided.result.text;
  return `The call needs approval, and nobody has answered yet: ${decided.question.text}`;
}
