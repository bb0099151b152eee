/** Running what was decided, under its grant: a time limit, a cancel, a bound on what comes back. */

import type { CheckedPath, Grant, ToolCall } from '../call.ts';
import { Waiting } from '../deadlines.ts';
import { messageOf } from '../errors.ts';
import { copyJson, cutToBytes, type JsonValue } from '../json.ts';
import { isPromise, type MaybePromise } from '../maybe-promise.ts';
import type { Scope } from '../scope/scope.ts';
import type { LiveFrame } from './frame.ts';

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

export type Ran =
  | { readonly type: 'ok'; readonly value: JsonValue }
  | { readonly type: 'error' | 'timeout' | 'cancelled'; readonly message: string; readonly cause: unknown };

interface RunOrder {
  readonly call: ToolCall;
  readonly grant: Grant;
  readonly paths: readonly CheckedPath[];
  readonly frame: LiveFrame;
  /** Told when a result comes after the call has ended without it. */
  readonly onLate: (text: string) => void;
}

export function runTool(host: ToolHost, order: RunOrder): MaybePromise<Ran> {
  const execution = new Execution(order);
  let result: unknown;
  try {
    result = host.run(order.call, execution.context);
  } catch (error) {
    return failed(error);
  }
  return isPromise(result) ? execution.wait(result) : readResult(result, order);
}

class Execution extends Waiting {
  private controller: AbortController | undefined;
  private resolve: ((ran: Ran) => void) | undefined;
  readonly context: RunContext;

  constructor(private readonly order: RunOrder) {
    super();
    const { grant, paths, call, frame } = order;
    const signal = (): AbortSignal => (this.controller ??= this.newController()).signal;
    this.context = {
      grant,
      paths,
      idempotencyKey: `${call.session}/${call.id}`,
      store: frame.core.toolStore,
      // Made when a tool asks for it: most never do.
      get signal() {
        return signal();
      },
    };
  }

  wait(result: PromiseLike<unknown>): Promise<Ran> {
    const { frame, grant } = this.order;
    const { turn } = frame;
    const onCancel = (): void => this.end({ type: 'cancelled', message: 'The call was cancelled.', cause: undefined });
    return new Promise((resolve) => {
      this.resolve = (ran) => {
        this.resolve = undefined;
        frame.deadlines.clear(this);
        turn?.onCancel.delete(onCancel);
        resolve(ran);
      };
      if (turn?.cancelled === true) onCancel();
      else turn?.onCancel.add(onCancel);
      if (grant.timeoutMs !== undefined) frame.deadlines.set(this, grant.timeoutMs);
      result.then(
        (value) => (this.resolve === undefined ? this.late('a result') : this.resolve(readResult(value, this.order))),
        (error: unknown) => (this.resolve === undefined ? this.late(messageOf(error)) : this.resolve(failed(error))),
      );
    });
  }

  override expire(): void {
    const message = `The tool did not finish within ${this.order.grant.timeoutMs} ms.`;
    this.end({ type: 'timeout', message, cause: undefined });
  }

  private end(ran: Ran): void {
    this.resolve?.(ran);
    this.controller?.abort(ran.type);
  }

  private late(text: string): void {
    this.order.onLate(text);
  }

  private newController(): AbortController {
    const controller = new AbortController();
    if (this.order.frame.turn?.cancelled === true) controller.abort('cancelled');
    return controller;
  }
}

function failed(error: unknown): Ran {
  return { type: 'error', message: messageOf(error), cause: error };
}

function readResult(result: unknown, { grant, frame }: RunOrder): Ran {
  const bytes = Math.min(grant.outputBytes ?? Number.POSITIVE_INFINITY, frame.limits.resultBytes);
  if (typeof result === 'string') {
    // A text is worth having in part.
    const text = result.toWellFormed();
    return { type: 'ok', value: cutToBytes(text, bytes) };
  }
  const copy = copyJson(result ?? null, { bytes, depth: frame.limits.depth });
  if (copy.problem === undefined) return { type: 'ok', value: copy.value };
  return { type: 'error', message: `The tool ran, but its result ${copy.problem}.`, cause: undefined };
}
