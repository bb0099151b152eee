/** Guards a single call outside a loop. It gets its own turn unless one is passed. */

import type { CallRequest } from '../call.ts';
import type { ToolView } from '../catalog/catalog.ts';
import { BridleError } from '../errors.ts';
import type { JsonObject } from '../json.ts';
import type { CallResult } from './calls/call-result.ts';
import type { RunContext, ToolHost } from './calls/run-tool.ts';
import { Turn } from './turn.ts';

/** The name of a tool, or an object that also has the server, the id of the call or the turn. */
export type SingleCall = string | (Omit<CallRequest, 'args'> & { readonly turn?: Turn | undefined });

/** Runs the tool with the decided args. */
export type ToolFunction = (args: JsonObject, context: RunContext) => unknown;

export interface TurnSource {
  openSeparateTurn(): Turn;
  endSeparateTurn(turn: Turn): void;
}

interface SingleCallWork {
  readonly tool: SingleCall;
  readonly args: unknown;
  readonly run: ToolFunction;
  /** All tools of the guard. A turn of another guard is refused because other rules would apply. */
  readonly allTools: ToolView;
  /** Another view of the tools of the session. */
  readonly view?: ((tools: ToolView) => ToolView) | undefined;
  /** Cancels the call, if it has its own turn. */
  readonly signal?: AbortSignal | undefined;
}

/** Guards one call. `open` returns the session, and may have to start it first. */
export async function guardSingleCall(
  open: () => TurnSource | Promise<TurnSource>,
  work: SingleCallWork,
): Promise<CallResult> {
  const { tool, args, run, allTools, view, signal } = work;
  if (typeof run !== 'function') {
    throw new BridleError('OPTION_INVALID', 'call(tool, args, run) needs a function that runs the tool');
  }
  const { turn: passed, ...asked } = typeof tool === 'string' ? { tool } : Object(tool);
  const request: CallRequest = { ...asked, args };
  const host: ToolHost = { run: (call, context) => run(call.args, context) };
  const guard = (turn: Turn): Promise<CallResult> =>
    view === undefined ? turn.guard(request, host) : turn.guardWith(view, request, host);
  if (passed !== undefined) {
    if (!(passed instanceof Turn) || !passed.belongsTo(allTools))
      throw new BridleError('OPTION_INVALID', '"turn" is not a turn of this guard');
    return guard(passed);
  }
  const session = await open();
  const turn = session.openSeparateTurn();
  const cancel = (): void => turn.cancel();
  signal?.addEventListener('abort', cancel);
  if (signal?.aborted === true) cancel();
  try {
    return await guard(turn);
  } finally {
    signal?.removeEventListener('abort', cancel);
    session.endSeparateTurn(turn);
  }
}
