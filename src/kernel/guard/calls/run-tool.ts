/** Running what was decided, under its grant: a time limit, a cancel, a bound on what comes back. */

import type { CheckedPath, Grant, ToolCall } from '../../call.ts';
import { TimedWait } from '../../deadlines.ts';
import { BridleError, messageOf } from '../../errors.ts';
import { copyJson, cutToBytes, type JsonValue } from '../../json.ts';
import { isPromise, type MaybePromise, whenSettled } from '../../maybe-promise.ts';
import type { Scope } from '../../scope/scope.ts';
import type { SessionActivity } from '../state/session-activity.ts';

/** What a tool gets beside its call. */
export interface RunContext {
  /** Aborted when the call is cancelled or has outlived its time limit. */
  readonly signal: AbortSignal;
  readonly grant: Grant;
  /** What the path arguments of the call were resolved to, for opening just that. */
  readonly paths: readonly CheckedPath[];
  /** The same for every try at this call. */
  readonly idempotencyKey: string;
  /** State of the tools of this session. */
  readonly store: Scope;
}

/** Whoever runs tools. `run` gets the call as decided, with path arguments resolved. */
export interface ToolHost {
  run(call: ToolCall, context: RunContext): unknown;
}

export type ToolOutcome =
  | { readonly type: 'ok'; readonly value: JsonValue }
  /** What runs inside the call waits for an answer, and nobody waits here. */
  | { readonly type: 'suspended'; readonly message: string }
  | { readonly type: FailedRun; readonly message: string; readonly cause: unknown };

type FailedRun = 'error' | 'timeout' | 'cancelled' | 'interrupted';

interface ToolRun {
  readonly call: ToolCall;
  readonly grant: Grant;
  readonly paths: readonly CheckedPath[];
  readonly activity: SessionActivity;
  /** Told when a result comes after the call has ended without it. */
  readonly onLate: (text: string) => void;
}

/** Never throws and never rejects, whatever the host gives. */
export function runTool(host: ToolHost, order: ToolRun): MaybePromise<ToolOutcome> {
  if (order.activity.turn?.cancelled === true) return cancelled;
  const execution = new Execution(order);
  try {
    const result: unknown = host.run(order.call, execution.context);
    return isPromise(result) ? execution.wait(result) : boundToolResult(result, order);
  } catch (error) {
    return failed(error);
  }
}

/** A tool that blocks cannot be stopped at its limit; what it gives afterwards is late all the same. */
export function checkOverrun(ran: ToolOutcome, elapsedMs: number, { grant, onLate }: ToolRun): ToolOutcome {
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

/** What is seldom asked for is made when it is. */
class ToolContext implements RunContext {
  readonly grant: Grant;
  readonly paths: readonly CheckedPath[];
  readonly store: Scope;
  readonly #call: ToolCall;
  readonly #keyspace: ((session: string) => string) | undefined;
  readonly #makeSignal: () => AbortSignal;

  constructor({ grant, paths, call, activity }: ToolRun, makeSignal: () => AbortSignal) {
    this.grant = grant;
    this.paths = paths;
    this.store = activity.sessionState.toolStore;
    this.#call = call;
    this.#keyspace = activity.sessionState.parts.keyspace;
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
  /** Why the call ended before its tool did. */
  private ended: ToolOutcome['type'] | undefined;
  readonly context: RunContext;

  constructor(private readonly order: ToolRun) {
    super();
    this.context = new ToolContext(order, () => (this.controller ??= this.newController()).signal);
  }

  wait(result: PromiseLike<unknown>): Promise<ToolOutcome> {
    const { activity, grant, onLate } = this.order;
    const { turn } = activity;
    const onCancel = (): void => this.end(cancelled);
    return new Promise((resolve) => {
      this.resolve = (ran) => {
        this.resolve = undefined;
        activity.deadlines.clear(this);
        turn?.onCancel.delete(onCancel);
        resolve(ran);
      };
      turn?.onCancel.add(onCancel);
      if (grant.timeoutMs !== undefined) activity.deadlines.set(this, grant.timeoutMs);
      if (turn?.cancelled === true) onCancel();
      const onFailed = (error: unknown): void =>
        this.resolve === undefined ? onLate(messageOf(error)) : this.resolve(failed(error));
      try {
        whenSettled(
          result,
          (value) =>
            this.resolve === undefined ? onLate('a result') : this.resolve(boundToolResult(value, this.order)),
          onFailed,
        );
      } catch (error) {
        onFailed(error);
      }
    });
  }

  override expire(): void {
    this.end(timeout(this.order.grant));
  }

  private end(ran: ToolOutcome): void {
    this.ended = ran.type;
    this.resolve?.(ran);
    this.controller?.abort(ran.type);
  }

  private newController(): AbortController {
    const controller = new AbortController();
    const why = this.ended ?? (this.order.activity.turn?.cancelled === true ? 'cancelled' : undefined);
    if (why !== undefined) controller.abort(why);
    return controller;
  }
}

function failed(error: unknown): ToolOutcome {
  if (error instanceof BridleError && error.code === 'CALL_SUSPENDED') {
    return { type: 'suspended', message: error.message };
  }
  return { type: 'error', message: messageOf(error).trim() || 'The tool failed and did not say why.', cause: error };
}

/** Models count their calls anew in every answer, so the place of a call belongs to it. */
function keyOf({ session, turn, step, id }: ToolCall): string {
  return `${encodeURIComponent(session)}/${turn}/${step}/${encodeURIComponent(id)}`;
}

/** A result within its bounds: a text is cut, other data is refused. */
export function boundToolResult(
  result: unknown,
  { grant, activity }: Pick<ToolRun, 'grant' | 'activity'>,
): ToolOutcome {
  const bytes = Math.min(grant.outputBytes ?? Number.POSITIVE_INFINITY, activity.limits.resultBytes);
  if (typeof result === 'string') {
    // A text is worth having in part.
    const text = result.toWellFormed();
    return { type: 'ok', value: cutToBytes(text, bytes) };
  }
  const copy = copyJson(result ?? null, { bytes, depth: activity.limits.depth });
  if (copy.problem === undefined) return { type: 'ok', value: copy.value };
  return { type: 'error', message: `The tool ran, but its result ${copy.problem}.`, cause: undefined };
}
