/** Runs a decided call under its grant: with a time limit, cancellation, and a limit on the size of the result. */

import type { CheckedPath, Grant, ToolCall } from '../../call.ts';
import { TimedWait } from '../../deadlines.ts';
import { BridleError, messageOf } from '../../errors.ts';
import { copyJson, cutToBytes, type JsonValue } from '../../json.ts';
import { isPromise, type MaybePromise, whenSettled } from '../../maybe-promise.ts';
import type { Scope } from '../../scope/scope.ts';
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

export type ToolOutcome =
  | { readonly type: 'ok'; readonly value: JsonValue }
  /** Something inside the call waits for an answer, and the process does not wait for it. */
  | { readonly type: 'suspended'; readonly message: string }
  | { readonly type: FailedRun; readonly message: string; readonly cause: unknown };

type FailedRun = 'error' | 'timeout' | 'cancelled' | 'interrupted';

interface ToolRun {
  /** The call with resolved path arguments. */
  readonly call: ToolCall;
  readonly pending: PendingCall;
  /** Called when a result arrives after the call has ended. */
  readonly onLate: (text: string) => void;
}

/** Never throws and never rejects, whatever the host returns. */
export function runTool(host: ToolHost, run: ToolRun): MaybePromise<ToolOutcome> {
  if (run.pending.isTurnCancelled) return cancelled;
  const execution = new Execution(run);
  try {
    const result: unknown = host.run(run.call, execution.context);
    return isPromise(result) ? execution.wait(result) : boundToolResult(result, run.pending);
  } catch (error) {
    return failed(error);
  }
}

/** A tool that blocks the event loop cannot be stopped at its limit, but its late result is still refused. */
export function checkOverrun(
  ran: ToolOutcome,
  elapsedMs: number,
  { pending: { grant }, onLate }: ToolRun,
): ToolOutcome {
  const inTime = grant.timeoutMs === undefined || elapsedMs <= grant.timeoutMs;
  if (inTime || (ran.type !== 'ok' && ran.type !== 'error')) return ran;
  onLate(ran.type === 'ok' ? 'a result' : ran.message);
  return timeout(grant);
}

const cancelled: ToolOutcome = Object.freeze({
  type: 'cancelled',
  message: 'The call was cancelled.',
  cause: undefined,
});

function timeout({ timeoutMs }: Grant): ToolOutcome {
  return { type: 'timeout', message: `The tool did not finish within ${timeoutMs} ms.`, cause: undefined };
}

/** Creates rarely used values on demand. */
class ToolContext implements RunContext {
  readonly grant: Grant;
  readonly paths: readonly CheckedPath[];
  readonly store: Scope;
  readonly #call: ToolCall;
  readonly #keyspace: ((session: string) => string) | undefined;
  readonly #makeSignal: () => AbortSignal;

  constructor({ call, pending: { grant, paths, session } }: ToolRun, makeSignal: () => AbortSignal) {
    this.grant = grant;
    this.paths = paths;
    this.store = session.toolStore;
    this.#call = call;
    this.#keyspace = session.parts.keyspace;
    this.#makeSignal = makeSignal;
  }

  get signal(): AbortSignal {
    return this.#makeSignal();
  }

  get idempotencyKey(): string {
    return (this.#keyspace?.(this.#call.session) ?? '') + keyOf(this.#call);
  }
}

class Execution extends TimedWait {
  private controller: AbortController | undefined;
  private resolve: ((ran: ToolOutcome) => void) | undefined;
  private unsubscribe: (() => void) | undefined;
  /** Why the call ended before its tool did. */
  private ended: ToolOutcome['type'] | undefined;
  readonly context: RunContext;

  constructor(private readonly run: ToolRun) {
    super();
    this.context = new ToolContext(run, () => (this.controller ??= this.newController()).signal);
  }

  wait(result: PromiseLike<unknown>): Promise<ToolOutcome> {
    const { pending, onLate } = this.run;
    const { deadlines, grant, turn } = pending;
    return new Promise((resolve) => {
      this.resolve = (ran) => {
        this.resolve = undefined;
        deadlines.clear(this);
        this.unsubscribe?.();
        resolve(ran);
      };
      if (grant.timeoutMs !== undefined) deadlines.set(this, grant.timeoutMs);
      this.unsubscribe = turn?.whenCancelled(() => this.end(cancelled));
      const onFailed = (error: unknown): void =>
        this.resolve === undefined ? onLate(messageOf(error)) : this.resolve(failed(error));
      try {
        whenSettled(
          result,
          (value) => (this.resolve === undefined ? onLate('a result') : this.resolve(boundToolResult(value, pending))),
          onFailed,
        );
      } catch (error) {
        onFailed(error);
      }
    });
  }

  override expire(): void {
    this.end(timeout(this.run.pending.grant));
  }

  private end(ran: ToolOutcome): void {
    this.ended = ran.type;
    this.resolve?.(ran);
    this.controller?.abort(ran.type);
  }

  private newController(): AbortController {
    const controller = new AbortController();
    const why = this.ended ?? (this.run.pending.isTurnCancelled ? 'cancelled' : undefined);
    if (why !== undefined) controller.abort(why);
    return controller;
  }
}

function failed(error: unknown): ToolOutcome {
  if (error instanceof BridleError && error.code === 'CALL_SUSPENDED') {
    return { type: 'suspended', message: error.message };
  }
  return {
    type: 'error',
    message: messageOf(error).trim() || 'The tool failed without an error message.',
    cause: error,
  };
}

/** Models restart their call ids in every answer, so turn and step are part of the key. */
function keyOf({ session, turn, step, id }: ToolCall): string {
  return `${encodeURIComponent(session)}/${turn}/${step}/${encodeURIComponent(id)}`;
}

/** Limits the size of a result: text is cut, other data is refused. */
export function boundToolResult(result: unknown, { grant, limits }: PendingCall): ToolOutcome {
  const bytes = Math.min(grant.outputBytes ?? Number.POSITIVE_INFINITY, limits.resultBytes);
  if (typeof result === 'string') {
    // A part of a text is still useful.
    const text = result.toWellFormed();
    return { type: 'ok', value: cutToBytes(text, bytes) };
  }
  const copy = copyJson(result ?? null, { bytes, depth: limits.depth });
  if (copy.problem === undefined) return { type: 'ok', value: copy.value };
  return { type: 'error', message: `The tool ran, but its result ${copy.problem}.`, cause: undefined };
}
