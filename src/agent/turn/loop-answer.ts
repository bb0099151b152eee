/**
 * Makes the text of a core the answer of the turn. Text counts as the model's only if it is, character for character,
 * an answer that the model handle gave in this turn, after the hooks. All other text passes `postLlmCall` first.
 */

import type { LlmResponse } from '../../kernel/hooks/points/payloads.ts';
import type { LoopText } from './loop-text.ts';
import { handleRejection } from './steps/rejected-answer.ts';
import { maxMismatches } from './state/structured-output.ts';
import { fillPending } from './steps/tool-step.ts';
import type { TurnWork } from './state/turn-work.ts';
import { noUsage } from '../model/usage.ts';

/** Keeps and streams the answer. Gives feedback if the core has to answer again. */
export async function acceptAnswer(
  work: TurnWork,
  reader: LoopText,
  given: string | undefined,
): Promise<string | undefined> {
  const isLast = work.steps > 0 && given === work.text;
  if (given === undefined || isLast) return undefined;
  // The model gave it earlier in this turn, and hooks have passed it.
  const own = loopResponseOf(work, given);
  const response = work.answers.includes(given) ? own : await reviewAnswer(work, own, reader.attempt - 1);
  if (typeof response === 'string') return response;
  const mismatch = await mismatchOf(work, response.text, reader.attempt - 1);
  if (mismatch !== undefined) return mismatch;
  keepAnswer(work, response);
  reader.streamRest(response.text);
  return undefined;
}

/** Text of a core, in the form in which hooks see answers. No model gave it, so nothing was used. */
function loopResponseOf({ agent: actor }: TurnWork, text: string): LlmResponse {
  const model = `loop/${actor.parts.loop.name}`;
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

/** The answer after the hooks, or feedback for the core. */
async function reviewAnswer(work: TurnWork, response: LlmResponse, before: number): Promise<LlmResponse | string> {
  const { turn, agent: actor } = work;
  if (!turn.hasHooks('postLlmCall')) return response;
  const result = await turn.dispatch('postLlmCall', Object.freeze({ response }));
  work.checkOpen();
  if (result.type === 'passed') {
    const given = result.payload?.response ?? response;
    if (given.toolCalls.length === 0) return given;
    return work.stop('rejected', `a hook added tool calls to text of the core "${actor.parts.loop.name}"`);
  }
  const { reason, next, error } = handleRejection(
    work,
    result,
    actor.parts.loop.revise === undefined ? 'last' : before,
  );
  if (error !== undefined) throw error;
  return next === 'fail' ? work.stop('rejected', reason) : reason;
}

/** What is wrong with text that should fit a schema, if the core can answer again. */
async function mismatchOf(work: TurnWork, text: string, before: number): Promise<string | undefined> {
  const { schema } = work.request;
  if (schema === undefined) return undefined;
  const fit = await schema.check(text);
  work.problem = fit.problem;
  work.data = fit.problem === undefined ? fit.data : undefined;
  if (fit.problem === undefined || before >= maxMismatches) return undefined;
  if (work.agent.parts.loop.revise === undefined) return undefined;
  return `The answer does not fit the schema: ${fit.problem}. Answer again, with JSON that fits.`;
}

function keepAnswer(work: TurnWork, { text, thinking, finishReason }: LlmResponse): void {
  fillPending(work);
  // Providers refuse messages without text.
  if (text.trim() !== '') work.agent.own.history.append({ role: 'assistant', content: [{ type: 'text', text }] });
  work.calls = [];
  work.text = text;
  work.thinking += thinking;
  work.finishReason = finishReason;
}
