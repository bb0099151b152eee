/** Runs a decided call under its grant: with a time limit, cancellation, and a limit on the size of the result. */

import type { CheckedPath, Grant, ToolCall } from '../../call.ts';
import { TimedWait } from '../../deadlines.ts';
import { BridleError, messageOf } from '../../errors.ts';
import type { Outcome } from '../../hooks/points/payloads.ts';
import { copyJson, cutText, cutToBytes, isJsonObject, type JsonObject, type JsonValue } from '../../json.ts';
import { isPromise, type MaybePromise, whenSettled } from '../../maybe-promise.ts';
import type { Scope } from '../../scope/scope.ts';
import type { Refusal } from './call-result.ts';
import type { PendingCall } from './pending-call.ts';

/** What a tool gets in addition to its call. */
export interface RunContext {
  /** Aborted when the call is cancelled or exceeds its time limit. */
  readonly signal: AbortSignal;
  readonly grant: Grant;
  /** The resolved path arguments of the call. Open exactly these. */
  readonly paths: readonly CheckedPath[];
  /** Equal for every attempt at this call. */
  readonly idempotencyKey: string;
  /** State of the tools of this session. */
  readonly store: Scope;
}

/** Runs tools. `run` gets the decided call, with resolved path arguments. */
export interface ToolHost {
  run(call: ToolCall, context: RunContext): unknown;
}

/** How a call ended, and what the model sees of it. */
export interface CallOutcome extends Outcome {
  readonly value: JsonValue;
}

/** Never throws and never rejects, whatever the host returns. A refusal means that the call is suspended. */
export function runTool(pending: PendingCall, host: ToolHost): MaybePromise<CallOutcome | Refusal> {
  if (pending.turn.isCancelled) return cancelledOutcome(pending);
  const run = new ToolRun(pending);
  try {
    const result: unknown = host.run(withResolvedPaths(pending), run.context);
    return isPromise(result) ? run.wait(result) : run.ended(boundedOutcome(pending, result));
  } catch (error) {
    return run.ended(thrown(pending, error));
  }
}

/** Creates rarely used values on demand. */
class ToolContext implements RunContext {
  readonly grant: Grant;
  readonly paths: readonly CheckedPath[];
  readonly store: Scope;
  readonly #run: ToolRun;

  constructor(run: ToolRun, { grant, paths, session }: PendingCall) {
    this.grant = grant;
    this.paths = paths;
    this.store = session.toolStore;
    this.#run = run;
  }

  get signal(): AbortSignal {
    return this.#run.signal;
  }

  get idempotencyKey(): string {
    return this.#run.idempotencyKey;
  }
}

class ToolRun extends TimedWait {
  readonly context: RunContext;
  private readonly started: number;
  private controller: AbortController | undefined;
  private resolve: ((outcome: CallOutcome | Refusal) => void) | undefined;
  private unsubscribe: (() => void) | undefined;
  /** Why the call ended before its tool did. */
  private stopped: Outcome['type'] | undefined;

  constructor(private readonly pending: PendingCall) {
    super();
    this.context = new ToolContext(this, pending);
    this.started = pending.clock.now();
  }

  get signal(): AbortSignal {
    if (this.controller === undefined) {
      this.controller = new AbortController();
      const why = this.stopped ?? (this.pending.turn.isCancelled ? 'cancelled' : undefined);
      if (why !== undefined) this.controller.abort(why);
    }
    return this.controller.signal;
  }

  /** Models restart their call ids in every answer, so turn and step are part of the key. */
  get idempotencyKey(): string {
    const { call, session: state } = this.pending;
    const { session, turn, step, id } = call;
    const prefix = state.parts.keyspace?.(session) ?? '';
    return `${prefix}${encodeURIComponent(session)}/${turn}/${step}/${encodeURIComponent(id)}`;
  }

  wait(result: PromiseLike<unknown>): Promise<CallOutcome | Refusal> {
    const { pending } = this;
    const { deadlines, grant, turn } = pending;
    return new Promise((resolve) => {
      this.resolve = (outcome) => {
        this.resolve = undefined;
        deadlines.clear(this);
        this.unsubscribe?.();
        resolve(this.ended(outcome));
      };
      if (grant.timeoutMs !== undefined) deadlines.set(this, grant.timeoutMs);
      this.unsubscribe = turn.whenCancelled(() => this.stop(cancelledOutcome(pending)));
      const onFailed = (error: unknown): void =>
        this.resolve === undefined ? pending.noteLate(messageOf(error)) : this.resolve(thrown(pending, error));
      const onResult = (value: unknown): void =>
        this.resolve === undefined ? pending.noteLate('a result') : this.resolve(boundedOutcome(pending, value));
      try {
        whenSettled(result, onResult, onFailed);
      } catch (error) {
        onFailed(error);
      }
    });
  }

  /** A tool that blocks the event loop cannot be stopped at its limit, but its late result is still refused. */
  ended(outcome: CallOutcome | Refusal): CallOutcome | Refusal {
    const { pending } = this;
    pending.elapsedMs = pending.clock.now() - this.started;
    const inTime = pending.elapsedMs <= (pending.grant.timeoutMs ?? Number.POSITIVE_INFINITY);
    if (inTime || 'status' in outcome || (outcome.type !== 'ok' && outcome.type !== 'error')) return outcome;
    pending.noteLate(outcome.error?.message ?? 'a result');
    return this.timeout();
  }

  override expire(): void {
    this.stop(this.timeout());
  }

  private stop(outcome: CallOutcome): void {
    this.stopped = outcome.type;
    this.resolve?.(outcome);
    this.controller?.abort(outcome.type);
  }

  private timeout(): CallOutcome {
    const { pending } = this;
    return failedOutcome(pending, 'timeout', `The tool did not finish within ${pending.grant.timeoutMs} ms.`);
  }
}

/** Limits the size of a result: text is cut, other data is refused. */
export function boundedOutcome(pending: PendingCall, result: unknown): CallOutcome {
  const { grant, limits } = pending;
  const bytes = Math.min(grant.outputBytes ?? Number.POSITIVE_INFINITY, limits.resultBytes);
  // A part of a text is still useful.
  if (typeof result === 'string') return succeeded(cutToBytes(result.toWellFormed(), bytes));
  const copy = copyJson(result ?? null, { bytes, depth: limits.depth });
  if (copy.problem === undefined) return succeeded(copy.value);
  return failedOutcome(pending, 'error', `The tool ran, but its result ${copy.problem}.`);
}

function succeeded(value: JsonValue): CallOutcome {
  return { type: 'ok', value, error: undefined };
}

function thrown(pending: PendingCall, cause: unknown): CallOutcome | Refusal {
  if (cause instanceof BridleError && cause.code === 'CALL_SUSPENDED') {
    return { status: 'suspended', reason: cause.message };
  }
  const message = messageOf(cause).trim() || 'The tool failed without an error message.';
  const failed = failedOutcome(pending, 'error', message);
  return { ...failed, error: Object.freeze({ ...failed.error, cause }) };
}

function cancelledOutcome(pending: PendingCall): CallOutcome {
  return failedOutcome(pending, 'cancelled', 'The call was cancelled.');
}

export function failedOutcome(
  { call, limits }: PendingCall,
  type: Exclude<Outcome['type'], 'ok'>,
  text: string,
): CallOutcome & { readonly error: NonNullable<Outcome['error']> } {
  const { tool, server, id: callId, step } = call;
  const message = cutText(text, limits.reasonLength);
  return { type, value: message, error: Object.freeze({ message, tool, server, callId, step, cause: undefined }) };
}

/** The call with each path replaced by the resolved one that was checked, for tools that open files themselves. */
function withResolvedPaths({ call, paths }: PendingCall): ToolCall {
  if (paths.length === 0) return call;
  const args = paths.reduce((copy: JsonValue, { at, path }) => replaceAt(copy, at, path), call.args);
  return Object.freeze({ ...call, args: args as JsonObject });
}

function replaceAt(value: JsonValue, at: CheckedPath['at'], path: string): JsonValue {
  const [step, ...rest] = at;
  if (step === undefined) return path;
  if (Array.isArray(value)) {
    return Object.freeze(value.map((item: JsonValue, index) => (index === step ? replaceAt(item, rest, path) : item)));
  }
  const inner = isJsonObject(value) && Object.hasOwn(value, step) ? value[step] : undefined;
  if (inner === undefined) return value;
  return Object.freeze({ ...(value as JsonObject), [step]: replaceAt(inner, rest, path) });
}
