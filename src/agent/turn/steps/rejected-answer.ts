/** Answers of the model that hooks did not let pass: what follows, and what the model is told. */

import { BridleError } from '../../../kernel/errors.ts';
import type { DispatchResult } from '../../../kernel/hooks/dispatch/dispatch-result.ts';
import type { LlmResponse } from '../../../kernel/hooks/points/payloads.ts';
import type { ActionAt, PointPayloads } from '../../../kernel/hooks/points/points.ts';
import type { ModelMessage } from '../../model/model-messages.ts';
import type { TurnWork } from '../state/turn-work.ts';

/** How many answers in a row hooks may send back. */
const maxRejections = 8;

type RefusedDispatch = Exclude<
  DispatchResult<PointPayloads['postLlmCall'], ActionAt<'postLlmCall'>>,
  { readonly type: 'passed' }
>;

interface Rejection {
  readonly reason: string;
  readonly next: 'retry' | 'fail';
  /** Set where a hook has sent back too many answers. */
  readonly error?: BridleError | undefined;
}

/** What follows from an answer that a hook did not let pass: after `before` others, or as the last that can be given. */
export function handleRejection({ turn }: TurnWork, result: RefusedDispatch, before: number | 'last'): Rejection {
  const { hook } = result;
  const retried = result.type === 'answered' && result.action.type === 'retry' ? result.action : undefined;
  const reason = 'reason' in result ? result.reason : (retried?.feedback ?? 'the answer was not accepted');
  const next = retried !== undefined && before !== 'last' && before < maxRejections ? 'retry' : 'fail';
  turn.emit(() => ({ type: 'llm_rejected', hook, reason, next }));
  if (retried === undefined || next === 'retry' || before === 'last') return { reason, next };
  const text = `hook "${hook}" sent back ${before + 1} answers of the model in a row: ${reason}`;
  return { reason, next, error: new BridleError('LLM_REJECTED', text) };
}

/** What was wrong reaches the model, and stays out of the history. */
export function feedbackMessages(said: string, feedback: string): readonly ModelMessage[] {
  const answer: ModelMessage = { role: 'assistant', content: [{ type: 'text', text: said }] };
  const wrong: ModelMessage = { role: 'user', content: [{ type: 'text', text: feedback }] };
  return said.trim() === '' ? [wrong] : [answer, wrong];
}

/** An id that two calls of an answer share. */
export function duplicateCallId({ toolCalls }: LlmResponse): string | undefined {
  const ids = toolCalls.map(({ id }) => id);
  return ids.find((id, index) => ids.indexOf(id) !== index);
}
