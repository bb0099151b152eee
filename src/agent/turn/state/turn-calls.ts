/** The entries of `toolCalls` in a turn's result. Secrets are masked. */

import type { CallResult } from '../../../kernel/guard/calls/call-result.ts';
import type { RequestedCall, TurnCall } from '../../../kernel/hooks/points/payloads.ts';
import type { TurnWork } from './turn-work.ts';

/** The entry for a call that has a result. */
export function settledCallOf({ agent }: TurnWork, result: CallResult): TurnCall {
  const { id, tool, server, step, requested, args } = result.call;
  const reason = 'reason' in result ? result.reason : result.error;
  return maskCall(agent.parts.mask, {
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

/** The entry for a call that the model requested but that did not run. */
export function notRunCallOf({ agent, turn }: TurnWork, call: RequestedCall, reason: string): TurnCall {
  const { id, tool, server, args } = call;
  return maskCall(agent.parts.mask, {
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

function maskCall(mask: TurnWork['agent']['parts']['mask'], call: TurnCall): TurnCall {
  try {
    return Object.freeze(mask === undefined ? call : mask(call));
  } catch {
    // If masking fails, nothing is shown.
    return Object.freeze({ ...call, requested: null, args: null, reason: 'Left out because masking failed.' });
  }
}
