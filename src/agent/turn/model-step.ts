/** One step of a turn: call the model, let hooks check the request and the answer, record the answer. */

import { BridleError } from '../../kernel/errors.ts';
import type { LlmRequest, LlmResponse, Message, RequestedCall } from '../../kernel/hooks/points/payloads.ts';
import { isJsonObject, type JsonObject, sameJson } from '../../kernel/json.ts';
import type { ModelAnswer } from '../model/language-model.ts';
import type { ModelMessage } from '../model/model-interface.ts';
import { type ToolListing, wireName } from '../model/tool-registry.ts';
import { compact, isTooLong } from './compaction.ts';
import {
  askModel,
  duplicateCallId,
  feedbackMessages,
  handleRejection,
  prepareRequest,
  toResponse,
} from './model-request.ts';
import { maxMismatches, type SchemaCheck } from './structured-output.ts';
import { fillPending } from './tool-step.ts';
import type { TurnWork } from './turn-work.ts';

export async function generate(work: TurnWork, overrides: Partial<LlmRequest> = {}): Promise<LlmResponse> {
  work.checkOpen();
  if (overrides.model !== undefined) throw new BridleError('OPTION_INVALID', 'generate: a request cannot set "model"');
  if (work.pending.size > 0) fillPending(work);
  const { listing } = work.agent;
  if (isTooLong(work, listing)) {
    await compact(work);
    work.checkOpen();
  }
  if (work.steps >= work.agent.parts.maxSteps)
    work.stop(
      'max_steps',
      `The turn stopped after ${work.steps} model call${work.steps === 1 ? '' : 's'}, the limit of maxSteps.`,
    );
  work.turn.nextStep();
  return new Step(work, overrides).run(listing);
}

/** One answer of the model, with all attempts that lead to it. */
class Step {
  private readonly feedback: ModelMessage[] = [];
  private readonly attempts = { count: 0 };
  private rejected = 0;
  private mismatches = 0;

  constructor(
    private readonly work: TurnWork,
    private readonly overrides: Partial<LlmRequest>,
  ) {}

  /** The answer is read with the listing that was sent: a server may change its tools meanwhile. */
  async run(firstListing: ToolListing): Promise<LlmResponse> {
    const { work, attempts } = this;
    const { log, schema } = work.request;
    for (let listing = firstListing; ; { listing } = work.agent) {
      const prepared = await prepareRequest(work, this.request(listing), {
        listing,
        isForeign: this.overrides.messages !== undefined,
      });
      if (typeof prepared === 'string') return work.stop('rejected', prepared);
      const held = work.holdsAnswers;
      const { answer, model } = await askModel(work, prepared, { purpose: 'turn', held, attempts });
      // Saves the cost of the answer even if the turn fails. A run saves it together with the answer instead.
      if (log === undefined) await work.checkpoint();
      const own = toResponse({ answer, model }, listing);
      const response = work.reviewsAnswers ? await this.review(own) : own;
      if (response !== undefined && (schema === undefined || !(await this.hasMismatch(response, schema)))) {
        this.recordAnswer(response, response === own ? answer.content : contentOf(answer, { own, response }));
        if (log !== undefined) await work.log('answered');
        return response;
      }
      if (log !== undefined) await work.checkpoint();
      work.checkOpen();
    }
  }

  private request(listing: ToolListing): LlmRequest {
    const { work, overrides, feedback } = this;
    const { instructions, settings, history, caller } = work.agent.own;
    const head: ModelMessage[] = [];
    if (instructions !== undefined) head.push({ role: 'system', content: instructions });
    if (work.context !== undefined) head.push(work.context);
    // A copy, because a model may keep it.
    const messages = head.concat(history.messages, feedback);
    const schema = work.request.schema?.jsonSchema;
    const format = schema === undefined ? undefined : { responseFormat: { type: 'json', schema } };
    return {
      model: caller.modelKey,
      messages: overrides.messages ?? (messages as readonly unknown[] as readonly Message[]),
      tools: overrides.tools ?? listing.listed,
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
  private async hasMismatch({ text, toolCalls }: LlmResponse, schema: SchemaCheck): Promise<boolean> {
    const { work } = this;
    if (toolCalls.length > 0) return false;
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
    const { work, attempts } = this;
    const { text, thinking, toolCalls } = response;
    // A custom loop may have called the model twice concurrently.
    if (work.pending.size > 0) fillPending(work);
    const sendable = sendableContent(content);
    if (sendable.length > 0) work.agent.own.history.append({ role: 'assistant', content: sendable });
    for (const { id, tool, server } of toolCalls) work.pending.set(id, wireName(server, tool));
    work.calls = toolCalls;
    work.steps++;
    work.text = text;
    work.answers.push(text);
    work.thinking += thinking;
    work.finishReason = response.finishReason;
    if (!work.holdsAnswers) return;
    const attempt = attempts.count;
    if (thinking !== '') work.turn.emit(() => ({ type: 'thinking_delta', text: thinking, attempt }));
    if (text !== '') work.turn.emit(() => ({ type: 'text_delta', text, attempt }));
  }
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
function contentOf(answer: ModelAnswer, { own, response }: AnswerVersions): Content {
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
    content.push({ type: 'tool-call', toolCallId: id, toolName: wireName(server, tool), input });
  }
  return content;
}

/** Compares two calls; the order of keys does not matter. */
function isSameCall(before: RequestedCall | undefined, { id, tool, server, args }: RequestedCall): boolean {
  const isSame = before?.id === id && before.tool === tool && before.server === server;
  return isSame && sameJson(before.args, args);
}
