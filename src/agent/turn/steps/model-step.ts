/** One step of a turn: call the model, let hooks check the request and the answer, record the answer. */

import { BridleError, messageOf } from '../../../kernel/errors.ts';
import type { LlmRequest, LlmResponse, Message, RequestedCall } from '../../../kernel/hooks/points/payloads.ts';
import { isJsonObject, type JsonObject, type JsonValue, sameJson } from '../../../kernel/json.ts';
import { isPromise } from '../../../kernel/maybe-promise.ts';
import { compact, isTooLong, type SummaryResult } from './compaction.ts';
import type { ModelAnswer } from '../../model/answer-reader.ts';
import type { AnswerWithModel } from '../../model/model-caller.ts';
import type { ModelMessage } from '../../model/model-messages.ts';
import { askModel, prepareRequest } from './model-request.ts';
import { modelKeyOf } from '../../model/providers/language-model.ts';
import { feedbackMessages, duplicateCallId, handleRejection } from './rejected-answer.ts';
import { maxMismatches, type SchemaCheck } from '../state/structured-output.ts';
import { fillPending } from './tool-step.ts';
import { loggedTurnOf } from '../state/turn-checkpoint.ts';
import type { TurnWork } from '../state/turn-work.ts';

export async function generate(work: TurnWork, overrides: Partial<LlmRequest> = {}): Promise<LlmResponse> {
  const { agent, turn } = work;
  work.checkOpen();
  if (overrides.model !== undefined) throw new BridleError('OPTION_INVALID', 'generate: a request cannot set "model"');
  fillPending(work);
  if (isTooLong(work)) await compact(work, summarise);
  if (work.steps >= agent.parts.maxSteps)
    work.stop(
      'max_steps',
      `The turn stopped after ${work.steps} model call${work.steps === 1 ? '' : 's'}, the limit of maxSteps.`,
    );
  turn.nextStep();
  return new Step(work, overrides).run();
}

/** One answer of the model, with all attempts that lead to it. */
class Step {
  private readonly feedback: ModelMessage[] = [];
  private readonly attempts = { count: 0 };
  /**
   * True if text is held back until hooks have passed the complete answer. Hooks that only observe do not hold it back.
   */
  private readonly held: boolean;
  private readonly reviewed: boolean;
  private rejected = 0;
  private mismatches = 0;

  constructor(
    private readonly work: TurnWork,
    private readonly overrides: Partial<LlmRequest>,
  ) {
    this.held = work.turn.canAnswer('postLlmCall');
    this.reviewed = work.turn.hasHooks('postLlmCall');
  }

  async run(): Promise<LlmResponse> {
    for (;;) {
      this.work.checkOpen();
      const { work, held, attempts } = this;
      const preparing = prepareRequest(work, this.request(), this.overrides.messages !== undefined);
      const prepared = isPromise(preparing) ? await preparing : preparing;
      if (typeof prepared === 'string') return work.stop('rejected', prepared);
      const { options, mayContainMedia } = prepared;
      const { answer, model } = await askModel(work, {
        options,
        mayContainMedia,
        purpose: 'turn',
        held,
        attempts,
      });
      const { log } = work.request;
      // Saves the cost of the answer even if the turn fails. A run saves it together with the answer instead.
      if (log === undefined) await work.checkpoint();
      const own = toResponse(work, { answer, model });
      const response = this.reviewed ? await this.review(own) : own;
      if (response === undefined || (await this.hasMismatch(response, work.request.schema))) {
        if (log !== undefined) await work.checkpoint();
        continue;
      }
      this.recordAnswer(response, response === own ? answer.content : contentOf(work, answer, { own, response }));
      if (log !== undefined) await log.saveCheckpoint(loggedTurnOf(work), 'answered');
      return response;
    }
  }

  private request(): LlmRequest {
    const { work, overrides, feedback } = this;
    const { instructions, settings, history, caller } = work.agent.own;
    const head: ModelMessage[] = [];
    if (instructions !== undefined) head.push({ role: 'system', content: instructions });
    if (work.context !== undefined) head.push(work.context);
    const messages = history.snapshot(head);
    messages.push(...feedback);
    const schema = work.request.schema?.jsonSchema;
    const format = schema === undefined ? undefined : { responseFormat: { type: 'json', schema } };
    return {
      model: modelKeyOf(caller.model),
      messages: overrides.messages ?? (messages as readonly unknown[] as readonly Message[]),
      tools: overrides.tools ?? work.agent.listing.listed,
      settings:
        format === undefined && overrides.settings === undefined
          ? settings
          : { ...settings, ...format, ...overrides.settings },
    };
  }

  /** The answer after the hooks, or undefined if the model has to try again. */
  private async review(response: LlmResponse): Promise<LlmResponse | undefined> {
    const { work } = this;
    const result = await work.turn.dispatch('postLlmCall', Object.freeze({ response }));
    if (result.type === 'passed') {
      const { response: reviewed } = result.payload ?? { response };
      const duplicateId = duplicateCallId(reviewed);
      return duplicateId === undefined
        ? reviewed
        : work.stop('rejected', `Hooks produced two tool calls with the id "${duplicateId}".`);
    }
    const { reason, next, error } = handleRejection(work, result, this.rejected);
    if (error !== undefined) throw error;
    if (next === 'fail') return work.stop('rejected', reason);
    this.rejected++;
    this.feedback.push(...feedbackMessages(response.text, reason));
    return undefined;
  }

  /** True if the answer does not match the requested schema and the model may try again. */
  private async hasMismatch({ text, toolCalls }: LlmResponse, schema: SchemaCheck | undefined): Promise<boolean> {
    const { work } = this;
    if (schema === undefined || toolCalls.length > 0) return false;
    const checked = await schema.check(text);
    work.problem = checked.problem;
    work.data = checked.problem === undefined ? checked.data : undefined;
    if (checked.problem === undefined || this.mismatches >= maxMismatches) return false;
    this.mismatches++;
    const correction = `The answer does not match the schema: ${checked.problem}. Answer again with JSON that matches it.`;
    this.feedback.push(...feedbackMessages(text, correction));
    return true;
  }

  private recordAnswer(response: LlmResponse, content: ModelAnswer['content']): void {
    const { work, held, attempts } = this;
    const { text, thinking, toolCalls } = response;
    // A custom loop may have called the model twice concurrently.
    fillPending(work);
    const sendable = sendableContent(content);
    if (sendable.length > 0) work.agent.own.history.append({ role: 'assistant', content: sendable });
    for (const { id, tool, server } of toolCalls) {
      work.pending.set(id, work.agent.listing.wireNameOf(server, tool));
    }
    work.calls = toolCalls;
    work.steps++;
    work.text = text;
    work.answers.push(text);
    work.thinking += thinking;
    work.finishReason = response.finishReason;
    if (!held) return;
    const attempt = attempts.count;
    if (thinking !== '') work.turn.emit(() => ({ type: 'thinking_delta', text: thinking, attempt }));
    if (text !== '') work.turn.emit(() => ({ type: 'text_delta', text, attempt }));
  }
}

/** Asks the model for a summary of messages. Hooks see this call like any other. */
export async function summarise(work: TurnWork, messages: readonly ModelMessage[]): Promise<SummaryResult> {
  const { agent, turn } = work;
  const { settings } = agent.own;
  const sent = [...messages];
  const attempts = { count: 0 };
  try {
    for (let rejected = 0; ; rejected++) {
      work.checkOpen();
      const model = modelKeyOf(agent.own.caller.model);
      const messages = [...sent] as readonly unknown[] as readonly Message[];
      const request = { model, messages, tools: [], settings };
      const prepared = await prepareRequest(work, request, false);
      if (typeof prepared === 'string') return { problem: prepared };
      const call = { ...prepared, purpose: 'compaction', held: true, attempts } as const;
      const response = toResponse(work, await askModel(work, call));
      await work.checkpoint();
      const result = await turn.dispatch('postLlmCall', Object.freeze({ response }));
      if (result.type === 'passed') return { text: (result.payload?.response ?? response).text };
      const { reason, next, error } = handleRejection(work, result, rejected);
      if (next === 'fail') return { problem: error?.message ?? reason };
      sent.push(...feedbackMessages(response.text, reason));
    }
  } catch (error) {
    if (work.stopped !== undefined || turn.isCancelled) throw error;
    return { problem: messageOf(error) };
  }
}

function toResponse(work: TurnWork, { answer, model }: AnswerWithModel): LlmResponse {
  const { listing } = work.agent;
  const { text, thinking, calls, usage, finishReason, responseId } = answer;
  return Object.freeze({
    text,
    thinking,
    toolCalls: Object.freeze(
      calls.map(({ id, name, args }) => {
        const { tool, server } = listing.pairOf(name);
        return Object.freeze({ id, tool, server, args: args as JsonValue });
      }),
    ),
    usage,
    model,
    responseId,
    finishReason,
  });
}

type Content = ModelAnswer['content'];

/** Removes what providers refuse in a history: empty texts, and thinking at the end. */
function sendableContent(content: Content): Content {
  const nonEmpty = content.filter((part) => part.type !== 'text' || part.text.trim() !== '');
  return nonEmpty.slice(0, nonEmpty.findLastIndex(({ type }) => type !== 'reasoning') + 1);
}

interface AnswerVersions {
  readonly own: LlmResponse;
  /** The answer after the hooks. */
  readonly response: LlmResponse;
}

/** The content for the history of an answer that hooks have changed. */
function contentOf({ agent: { listing } }: TurnWork, answer: ModelAnswer, { own, response }: AnswerVersions): Content {
  const content: Content = [];
  // Providers sign thinking and refuse it if it has changed.
  if (response.thinking === own.thinking) content.push(...answer.content.filter(({ type }) => type === 'reasoning'));
  if (response.text !== '') content.push({ type: 'text', text: response.text });
  for (const { id, tool, server, args } of response.toolCalls) {
    const original = answer.content.find((part) => part.type === 'tool-call' && part.toolCallId === id);
    const before = own.toolCalls.find((call) => call.id === id);
    // An unchanged call keeps the provider's signature.
    if (original !== undefined && isSameCall(before, { id, tool, server, args })) {
      content.push(original);
      continue;
    }
    const input: JsonObject = isJsonObject(args) ? args : {};
    content.push({ type: 'tool-call', toolCallId: id, toolName: listing.wireNameOf(server, tool), input });
  }
  return content;
}

/** Compares two calls; the order of keys does not matter. */
function isSameCall(before: RequestedCall | undefined, { id, tool, server, args }: RequestedCall): boolean {
  const isSame = before?.id === id && before.tool === tool && before.server === server;
  return isSame && sameJson(before.args, args);
}
