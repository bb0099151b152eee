/**
 * Makes the text of a custom loop the answer of the turn. Text counts as the model's only if it equals, character for
 * character, an answer that the model gave in this turn after the hooks. All other text passes `postLlmCall` first.
 */

import type { LlmResponse } from '../../kernel/hooks/points/payloads.ts';
import type { LoopText } from './loop-text.ts';
import { handleRejection } from './steps/rejected-answer.ts';
import { maxMismatches } from './state/structured-output.ts';
import { fillPending } from './steps/tool-step.ts';
import type { TurnWork } from './state/turn-work.ts';
import { noUsage } from '../model/usage.ts';

/** Accepts and streams the answer, or returns feedback if the loop has to answer again. */
export async function acceptAnswer(
  work: TurnWork,
  reader: LoopText,
  text: string | undefined,
): Promise<string | undefined> {
  const isLastAnswer = work.steps > 0 && text === work.text;
  if (text === undefined || isLastAnswer) return undefined;
  // An earlier answer of the model has already passed the hooks.
  const own = loopResponseOf(work, text);
  const response = work.answers.includes(text) ? own : await reviewAnswer(work, own, reader.attempt - 1);
  if (typeof response === 'string') return response;
  const mismatch = await mismatchOf(work, response.text, reader.attempt - 1);
  if (mismatch !== undefined) return mismatch;
  recordAnswer(work, response);
  reader.streamRest(response.text);
  return undefined;
}

/** The text of a loop in the form in which hooks see answers. No model was called for it, so its usage is zero. */
function loopResponseOf({ agent }: TurnWork, text: string): LlmResponse {
  const model = `loop/${agent.parts.loop.name}`;
  return Object.freeze({
    text,
    thinking: '',
    toolCalls: Object.freeze([]),
    usage: noUsage,
    model,
    responseId: undefined,
    finishReason: 'stop',
  });
}

/** The answer after the hooks, or feedback for the loop. */
async function reviewAnswer(work: TurnWork, response: LlmResponse, before: number): Promise<LlmResponse | string> {
  const { turn, agent } = work;
  if (!turn.hasHooks('postLlmCall')) return response;
  const result = await turn.dispatch('postLlmCall', Object.freeze({ response }));
  work.checkOpen();
  if (result.type === 'passed') {
    const reviewed = result.payload?.response ?? response;
    if (reviewed.toolCalls.length === 0) return reviewed;
    return work.stop('rejected', `A hook added tool calls to text from the loop "${agent.parts.loop.name}".`);
  }
  const { reason, next, error } = handleRejection(
    work,
    result,
    agent.parts.loop.revise === undefined ? 'last' : before,
  );
  if (error !== undefined) throw error;
  return next === 'fail' ? work.stop('rejected', reason) : reason;
}

/** Feedback for a text that does not match the schema, if the loop can answer again. */
async function mismatchOf(work: TurnWork, text: string, before: number): Promise<string | undefined> {
  const { schema } = work.request;
  if (schema === undefined) return undefined;
  const checked = await schema.check(text);
  work.problem = checked.problem;
  work.data = checked.problem === undefined ? checked.data : undefined;
  if (checked.problem === undefined || before >= maxMismatches) return undefined;
  if (work.agent.parts.loop.revise === undefined) return undefined;
  return `The answer does not match the schema: ${checked.problem}. Answer again with JSON that matches it.`;
}

function recordAnswer(work: TurnWork, { text, thinking, finishReason }: LlmResponse): void {
  fillPending(work);
  // Providers refuse empty messages.
  if (text.trim() !== '') work.agent.own.history.append({ role: 'assistant', content: [{ type: 'text', text }] });
  work.calls = [];
  work.text = text;
  work.thinking += thinking;
  work.finishReason = finishReason;
}
