/** One model call of a framework: hooks check the request, the error and the answer. */

import { BridleError } from '../kernel/errors.ts';
import { refusalReasonOf } from '../kernel/hooks/dispatch/dispatch-result.ts';
import type { LlmRequest, LlmResponse, Message } from '../kernel/hooks/points/payloads.ts';
import type { Turn } from '../kernel/guard/turn.ts';

/** The answer of a model, in Bridle's form and in the framework's. */
interface ModelAnswer<Native> {
  readonly response: LlmResponse;
  readonly native: Native;
}

export type ModelCallResult<Native> =
  /** `isChanged`: a hook changed the answer, so `native` must be rewritten from `response`. */
  | (ModelAnswer<Native> & { readonly type: 'answered'; readonly isChanged: boolean })
  /** A hook rejected the request or the answer. The model did not answer. */
  | { readonly type: 'rejected'; readonly reason: string };

/** Calls the model. `isChanged` is true if a hook changed the request. */
export type CallModel<Native> = (request: LlmRequest, isChanged: boolean) => Promise<ModelAnswer<Native>>;

const maxAttempts = 8;

/** The points at which hooks of a model call run. */
export const modelPoints = ['preLlmCall', 'postLlmCall', 'onLlmError'] as const;

/** True if a hook sees the model calls of a session or turn. Without one, the model is called directly. */
export function hasModelHooks(owner: Pick<Turn, 'hasHooks'>): boolean {
  return modelPoints.some((point) => owner.hasHooks(point));
}

export async function guardModelCall<Native>(
  turn: Turn,
  request: LlmRequest,
  call: CallModel<Native>,
): Promise<ModelCallResult<Native>> {
  const feedback: Message[] = [];
  for (let attempt = 1; ; attempt++) {
    const asked = feedback.length === 0 ? request : { ...request, messages: [...request.messages, ...feedback] };
    const checked = await turn.dispatch('preLlmCall', Object.freeze(asked));
    if (checked.type !== 'passed') return { type: 'rejected', reason: refusalReasonOf(checked) };
    const sent = checked.payload ?? asked;
    const answer = await answerOf({ turn, attempt, model: request.model ?? 'unknown' }, () =>
      call(sent, sent !== request),
    );
    if (answer === 'again') continue;
    const { response } = answer;
    const reviewed = await turn.dispatch('postLlmCall', Object.freeze({ response }));
    if (reviewed.type === 'passed') {
      const { payload } = reviewed;
      return { ...answer, type: 'answered', response: payload?.response ?? response, isChanged: payload !== undefined };
    }
    const retries = reviewed.type === 'answered' && reviewed.action.type === 'retry' ? reviewed.action : undefined;
    if (retries === undefined || attempt >= maxAttempts) {
      return { type: 'rejected', reason: refusalReasonOf(reviewed) };
    }
    feedback.push({ role: 'assistant', content: response.text }, { role: 'user', content: retries.feedback });
  }
}

interface Attempt {
  readonly turn: Turn;
  readonly attempt: number;
  readonly model: string;
}

/** The answer, or `again` if a hook wants another attempt. Otherwise the model's own error is thrown. */
async function answerOf<Native>(
  { turn, attempt, model }: Attempt,
  call: () => Promise<ModelAnswer<Native>>,
): Promise<ModelAnswer<Native> | 'again'> {
  try {
    return await call();
  } catch (error) {
    if (!turn.hasHooks('onLlmError') || attempt >= maxAttempts) throw error;
    const result = await turn.dispatch('onLlmError', { error, attempt, model });
    if (result.type === 'failed') throw new BridleError('HOOK_FATAL', result.reason, { cause: error });
    if (result.type !== 'answered' || result.action.type === 'fail') throw error;
    if (result.action.type === 'fallback') {
      throw new BridleError(
        'LLM_FAILED',
        `hook "${result.hook}" answered fallback, but the framework chooses the model; use its own fallback`,
        { cause: error },
      );
    }
    await pause(turn, result.action.afterMs ?? 0);
    return 'again';
  }
}

async function pause(turn: Turn, ms: number): Promise<void> {
  if (ms <= 0) return;
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms);
    turn.whenCancelled(() => {
      clearTimeout(timer);
      resolve();
    });
  });
  if (turn.isCancelled) throw new BridleError('TURN_STOPPED', 'the turn was cancelled');
}
