/** Handles answers that a hook rejected: whether the model tries again, and the feedback it gets. */

import { BridleError } from '../../../kernel/errors.ts';
import type { DispatchResult } from '../../../kernel/hooks/dispatch/dispatch-result.ts';
import type { LlmResponse } from '../../../kernel/hooks/points/payloads.ts';
import type { ActionAt, PointPayloads } from '../../../kernel/hooks/points/points.ts';
import type { ModelMessage } from '../../model/model-messages.ts';
import type { TurnWork } from '../state/turn-work.ts';

/** How many answers in a row hooks may reject. */
const maxRejections = 8;

type RefusedDispatch = Exclude<
  DispatchResult<PointPayloads['postLlmCall'], ActionAt<'postLlmCall'>>,
  { readonly type: 'passed' }
>;

interface Rejection {
  readonly reason: string;
  readonly next: 'retry' | 'fail';
  /** Set if a hook has rejected too many answers in a row. */
  readonly error?: BridleError | undefined;
}

/**
 * Decides what follows a rejected answer. `before` counts earlier rejections; `last` means that no retry is possible.
 */
export function handleRejection({ turn }: TurnWork, result: RefusedDispatch, before: number | 'last'): Rejection {
  const { hook } = result;
  const retry = result.type === 'answered' && result.action.type === 'retry' ? result.action : undefined;
  const reason = 'reason' in result ? result.reason : (retry?.feedback ?? 'The answer was not accepted.');
  const next = retry !== undefined && before !== 'last' && before < maxRejections ? 'retry' : 'fail';
  turn.emit(() => ({ type: 'llm_rejected', hook, reason, next }));
  if (retry === undefined || next === 'retry' || before === 'last') return { reason, next };
  const text = `hook "${hook}" rejected ${before + 1} answers of the model in a row: ${reason}`;
  return { reason, next, error: new BridleError('LLM_REJECTED', text) };
}

/** The rejected answer and the feedback, for the next attempt only. They do not enter the history. */
export function feedbackMessages(rejected: string, feedback: string): readonly ModelMessage[] {
  const answer: ModelMessage = { role: 'assistant', content: [{ type: 'text', text: rejected }] };
  const correction: ModelMessage = { role: 'user', content: [{ type: 'text', text: feedback }] };
  return rejected.trim() === '' ? [correction] : [answer, correction];
}

/** The first id that two calls of an answer share. */
export function duplicateCallId({ toolCalls }: LlmResponse): string | undefined {
  const ids = toolCalls.map(({ id }) => id);
  return ids.find((id, index) => ids.indexOf(id) !== index);
}
