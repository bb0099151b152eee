/** One request to the model and its answer: hooks check both, and the budget reserves what the request may use. */

import type { LlmRequest, LlmResponse } from '../../kernel/hooks/points/payloads.ts';
import type { JsonObject, JsonValue } from '../../kernel/json.ts';
import type { CallBound, BudgetCounts } from '../budget/budget-options.ts';
import type { CallReservation, AnswerWithModel } from '../model/model-caller.ts';
import { toPrompt, modelKeyOf } from '../model/language-model.ts';
import type { ModelCallOptions, ModelMessage, LanguageModel } from '../model/model-interface.ts';
import { costOf, type Prices } from '../model/providers/prices.ts';
import type { TurnWork } from './turn-work.ts';
import { noUsage } from '../budget/usage.ts';
import { BridleError } from '../../kernel/errors.ts';
import type { DispatchResult } from '../../kernel/hooks/dispatch/dispatch-result.ts';
import type { ActionAt, PointPayloads } from '../../kernel/hooks/points/points.ts';
import type { ToolListing } from '../model/tool-registry.ts';
import type { SessionBudget } from '../budget/session-budget.ts';

/** The settings of an agent without settings. */
export const noSettings: JsonObject = Object.freeze({});

/** The settings allowed in a model call, with their AI SDK names. Not `tools`: only listed tools may be sent. */
const settingNames = [
  'maxOutputTokens',
  'temperature',
  'stopSequences',
  'topP',
  'topK',
  'presencePenalty',
  'frequencyPenalty',
  'seed',
  'reasoning',
  'responseFormat',
  'toolChoice',
  'headers',
  'providerOptions',
] as const satisfies readonly (keyof ModelCallOptions)[];

function allowedSettings(settings: JsonObject): Partial<ModelCallOptions> {
  if (settings === noSettings) return settings;
  const allowed: Record<string, unknown> = {};
  for (const name of settingNames) if (settings[name] !== undefined) allowed[name] = settings[name];
  return allowed;
}

/** A request, ready to be sent. */
export interface PreparedRequest {
  readonly options: ModelCallOptions;
  /** True if a tool result in it may contain media. */
  readonly mayContainMedia: boolean;
}

interface RequestSource {
  readonly listing: ToolListing;
  /** True if the messages come from a hook or a loop. */
  readonly isForeign: boolean;
}

/** Lets hooks check and change the request. Returns the reason as a string if a hook rejects it. */
export async function prepareRequest(
  work: TurnWork,
  request: LlmRequest,
  source: RequestSource,
): Promise<PreparedRequest | string> {
  if (!work.reviewsRequests) return toPreparedRequest(work, request, source);
  const frozen = Object.freeze({ ...request, messages: Object.freeze([...request.messages]) });
  const result = await work.turn.dispatch('preLlmCall', frozen);
  if (result.type !== 'passed') {
    return 'reason' in result ? result.reason : `Hook "${result.hook}" gave an invalid answer.`;
  }
  const { payload } = result;
  if (payload === undefined) return toPreparedRequest(work, request, source);
  if (payload.model !== undefined && payload.model !== request.model) return modelChangeRefusal(payload.model);
  return toPreparedRequest(work, payload, { ...source, isForeign: true });
}

/** An error, because ignoring the change silently would mislead the hook's author. */
function modelChangeRefusal(model: string): string {
  const how = 'pass a list of models as "model", and answer fallback(model) in onLlmError';
  return `A hook set "model" to "${model}", but a request cannot change its model. Instead, ${how}.`;
}

/**
 * Messages from hooks or loops are converted. The history is already in the right form, so it is passed on as it is.
 */
function toPreparedRequest(
  { agent }: TurnWork,
  { messages, tools, settings }: LlmRequest,
  { listing, isForeign }: RequestSource,
): PreparedRequest {
  const prompt = isForeign ? toPrompt(messages) : (messages as readonly unknown[] as ModelCallOptions['prompt']);
  const functions = tools === listing.listed ? listing.functions : tools.map((tool) => listing.functionOf(tool));
  const options: ModelCallOptions = { ...allowedSettings(settings), prompt };
  if (functions.length > 0) options.tools = functions as NonNullable<ModelCallOptions['tools']>;
  return { options, mayContainMedia: isForeign || agent.own.history.containsMedia };
}

interface AskModelOptions {
  readonly purpose: 'turn' | 'compaction';
  /** True if the answer must not be streamed before hooks have seen all of it. */
  readonly held: boolean;
  readonly attempts: { count: number };
}

export function askModel(
  work: TurnWork,
  { options, mayContainMedia }: PreparedRequest,
  { purpose, held, attempts }: AskModelOptions,
): Promise<AnswerWithModel> {
  const { turn, agent } = work;
  return agent.own.caller.call({
    turn,
    options,
    mayContainMedia,
    purpose,
    attempts,
    reserve: (model) => reserveForCall(work, model, options),
    onDelta: held ? ignoreDelta : (type, text) => turn.emit(() => ({ type, text, attempt: attempts.count })),
  });
}

function ignoreDelta(): void {
  // The answer is streamed after the hooks, if they pass it.
}

/** Reserves the most that one model call may use, or stops the turn if a limit is reached. */
async function reserveForCall(
  work: TurnWork,
  model: LanguageModel,
  options: ModelCallOptions,
): Promise<CallReservation> {
  const { agent } = work;
  const { budget } = agent.usage;
  const prices = agent.parts.pricesOf(model);
  if (prices === undefined && budget.needsPrices) {
    const key = modelKeyOf(model);
    return work.stop(
      'budget:cost',
      `The price of ${key} is unknown, so its cost cannot be limited. Set it with the option "prices".`,
    );
  }
  const left = budget.remainingOutputTokens;
  const requested = options.maxOutputTokens;
  const maxOutputTokens = left === undefined ? requested : Math.min(left, requested ?? left);
  if (maxOutputTokens === undefined && budget.needsBound !== undefined) {
    const why = 'A shared limit on tokens or cost needs a maximum length for answers';
    return work.stop(`budget:shared.${budget.needsBound}`, `${why}: set "settings.maxOutputTokens".`);
  }
  const bound = budget.limitsUsage ? boundOf(budget, options, { maxOutputTokens, prices }) : noBound;
  const reached = await budget.reserve(bound);
  if (reached !== undefined) return work.stopForLimit(reached);
  return {
    maxOutputTokens,
    settle: async (usage) => {
      const cost = prices === undefined ? undefined : costOf(usage, prices);
      const settling = budget.settle(bound, usage, cost ?? 0);
      if (usage !== noUsage) work.addUsage(usage, cost);
      const exceeded = await settling;
      if (exceeded !== undefined) work.turn.emit(() => ({ type: 'budget_exceeded', ...exceeded }));
    },
  };
}

/** An answer in the form in which hooks see it. */
export function toResponse({ answer, model }: AnswerWithModel, listing: ToolListing): LlmResponse {
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

interface CallFacts {
  readonly maxOutputTokens: number | undefined;
  readonly prices: Prices | undefined;
}

const noBound: CallBound = Object.freeze({ most: Object.freeze({}), presumed: Object.freeze({}) });

/** If the maximum cost is unknown, everything that is left is reserved, so no other call can start meanwhile. */
function boundOf(budget: SessionBudget, options: ModelCallOptions, facts: CallFacts): CallBound {
  const characters = charactersOf(options);
  const most = countsOf(characters * maxTokensPerCharacter, facts);
  const cost = facts.maxOutputTokens === undefined ? Math.max(most.cost, budget.remainingCost) : most.cost;
  return { most: { ...most, cost }, presumed: countsOf(Math.ceil(characters * usualTokensPerCharacter), facts) };
}

/** A token has at least one byte, and a character at most three bytes. */
const maxTokensPerCharacter = 3;
/** Twice the usual value for text, so that the presumed usage is rarely too low. */
const usualTokensPerCharacter = 0.5;

function charactersOf({ prompt, tools, responseFormat }: ModelCallOptions): number {
  return JSON.stringify([prompt, tools ?? null, responseFormat ?? null]).length;
}

function countsOf(inputTokens: number, { maxOutputTokens, prices }: CallFacts): UsageCounts {
  const outputTokens = maxOutputTokens ?? 0;
  const cost = (inputTokens * highestInputPrice(prices) + outputTokens * highestOutputPrice(prices)) / 1_000_000;
  return { inputTokens, outputTokens, cachedInputTokens: inputTokens, cacheCreationTokens: inputTokens, cost };
}

type UsageCounts = Omit<BudgetCounts, 'modelCalls' | 'toolCalls' | 'wallMs'>;

function highestInputPrice(prices: Prices | undefined): number {
  const { input = 0, cacheWrite = 0, long } = prices ?? {};
  return Math.max(input, cacheWrite, long?.input ?? 0, long?.cacheWrite ?? 0);
}

function highestOutputPrice(prices: Prices | undefined): number {
  return Math.max(prices?.output ?? 0, prices?.long?.output ?? 0);
}
