/** The tool calls of a turn with the outcome of each, as `TurnOutput` lists them. Secrets are masked. */

import type { CallResult } from '../guard/result.ts';
import type { RequestedCall, TurnCall } from '../hooks/payloads.ts';
import type { TurnWork } from './turn-work.ts';

/** A call that has a result. */
export function settledCall({ actor }: TurnWork, result: CallResult): TurnCall {
  const { id, tool, server, step, requested, args } = result.call;
  const reason = 'reason' in result ? result.reason : result.error;
  return masked(actor.parts.mask, {
    id,
    tool,
    server,
    step,
    requested,
    args,
    outcome: result.type,
    status: result.type === 'denied' ? result.status : undefined,
    reason,
    rule: 'rule' in result ? result.rule?.name : undefined,
    hook: 'hook' in result ? result.hook : undefined,
    elapsedMs: 'elapsedMs' in result ? result.elapsedMs : undefined,
  });
}

/** A call that the model asked for and that nothing was done with. */
export function unrunCall({ actor, turn }: TurnWork, call: RequestedCall, reason: string): TurnCall {
  const { id, tool, server, args } = call;
  return masked(actor.parts.mask, {
    id,
    tool,
    server,
    step: turn.step,
    requested: args,
    args,
    outcome: 'not_run',
    status: undefined,
    reason,
    rule: undefined,
    hook: undefined,
    elapsedMs: undefined,
  });
}

function masked(mask: TurnWork['actor']['parts']['mask'], call: TurnCall): TurnCall {
  try {
    return Object.freeze(mask === undefined ? call : mask(call));
  } catch {
    // A mask that fails shows nothing.
    return Object.freeze({ ...call, requested: null, args: null, reason: 'The mask failed, so this is left out.' });
  }
}
