/** One request to the model: hooks check it, and the budget reserves what it may use. */

import type { LlmRequest } from '../../../kernel/hooks/points/payloads.ts';
import type { JsonObject } from '../../../kernel/json.ts';
import { isPromise, type MaybePromise } from '../../../kernel/maybe-promise.ts';
import type { ReachedBudgetLimit } from '../../budget/budget-options.ts';
import { boundOf } from '../../budget/call-bound.ts';
import type { CallReservation, AnswerWithModel } from '../../model/model-caller.ts';
import { type ModelCallOptions, toPrompt } from '../../model/model-messages.ts';
import { type LanguageModel, modelKeyOf } from '../../model/providers/language-model.ts';
import { costOf } from '../../model/providers/prices.ts';
import type { TurnWork } from '../state/turn-work.ts';
import { noUsage } from '../../model/usage.ts';

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

/** Lets hooks check and change the request. Returns the reason as a string if a hook rejects it. */
export function prepareRequest(
  work: TurnWork,
  request: LlmRequest,
  isForeign: boolean,
): MaybePromise<PreparedRequest | string> {
  if (!work.turn.hasHooks('preLlmCall')) return toPreparedRequest(work, request, isForeign);
  return askHooks(work, request, isForeign);
}

async function askHooks(work: TurnWork, request: LlmRequest, isForeign: boolean): Promise<PreparedRequest | string> {
  const frozen = Object.freeze({ ...request, messages: Object.freeze([...request.messages]) });
  const result = await work.turn.dispatch('preLlmCall', frozen);
  if (result.type !== 'passed') {
    return 'reason' in result ? result.reason : `Hook "${result.hook}" gave an invalid answer.`;
  }
  const changed = result.payload ?? request;
  if (changed.model !== undefined && changed.model !== request.model) return modelChangeRefusal(changed.model);
  return toPreparedRequest(work, changed, isForeign || result.payload !== undefined);
}

/** An error, because ignoring the change silently would mislead the hook's author. */
function modelChangeRefusal(model: string): string {
  const how = 'pass a list of models as "model", and answer fallback(model) in onLlmError';
  return `A hook set "model" to "${model}", but a request cannot change its model. Instead, ${how}.`;
}

/**
 * Messages from hooks or loops are converted. The history is already in the right form, so it is passed on as it is.
 */
function toPreparedRequest({ agent }: TurnWork, request: LlmRequest, isForeign: boolean): PreparedRequest {
  const { listing, own } = agent;
  const { messages, tools, settings } = request;
  const prompt = isForeign ? toPrompt(messages) : (messages as readonly unknown[] as ModelCallOptions['prompt']);
  const functions = tools === listing.listed ? listing.functions : tools.map((tool) => listing.functionOf(tool));
  const options: ModelCallOptions = { ...allowedSettings(settings), prompt };
  if (functions.length > 0) options.tools = functions as NonNullable<ModelCallOptions['tools']>;
  return { options, mayContainMedia: isForeign || own.history.containsMedia };
}

interface AskModelOptions extends PreparedRequest {
  readonly purpose: 'turn' | 'compaction';
  /** True if the answer must not be streamed before hooks have seen all of it. */
  readonly held: boolean;
  readonly attempts: { count: number };
}

export function askModel(work: TurnWork, request: AskModelOptions): Promise<AnswerWithModel> {
  const { options, mayContainMedia, purpose, held, attempts } = request;
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
function reserveForCall(
  work: TurnWork,
  model: LanguageModel,
  options: ModelCallOptions,
): MaybePromise<CallReservation> {
  const { agent } = work;
  const { budget } = agent.tracker;
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
  const bound = boundOf(budget, options, { maxOutputTokens, prices });
  const reservation: CallReservation = {
    maxOutputTokens,
    settle: (usage) => {
      const cost = prices === undefined ? undefined : costOf(usage, prices);
      const exceeded = budget.settle(bound, usage, cost ?? 0);
      if (usage !== noUsage) work.addUsage(usage, cost);
      return isPromise(exceeded) ? exceeded.then((limit) => emitExceeded(work, limit)) : emitExceeded(work, exceeded);
    },
  };
  const exceeded = budget.reserve(bound);
  if (isPromise(exceeded))
    return exceeded.then((limit) => (limit === undefined ? reservation : work.stopForLimit(limit)));
  return exceeded === undefined ? reservation : work.stopForLimit(exceeded);
}

function emitExceeded(work: TurnWork, exceeded: ReachedBudgetLimit | undefined): void {
  if (exceeded !== undefined) work.turn.emit(() => ({ type: 'budget_exceeded', ...exceeded }));
}
