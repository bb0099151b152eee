/** One request to the model: hooks look at what goes out, and the budget sets aside what it may use. */

import type { LlmRequest } from '../../../kernel/hooks/points/payloads.ts';
import type { JsonObject } from '../../../kernel/json.ts';
import { isPromise, type MaybePromise } from '../../../kernel/maybe-promise.ts';
import type { ExceededLimit } from '../../budget/budget.ts';
import { boundOf } from '../../budget/call-bound.ts';
import type { Reservation, AnswerWithModel } from '../../model/model-caller.ts';
import { type ModelCallOptions, toPrompt } from '../../model/model-messages.ts';
import { type LanguageModel, modelKeyOf } from '../../model/providers/language-model.ts';
import { costOf } from '../../model/providers/prices.ts';
import type { TurnWork } from '../state/turn-work.ts';
import { noUsage } from '../../model/usage.ts';

/** What an agent that sets nothing has. */
export const noSettings: JsonObject = Object.freeze({});

/** What may be set for a model call, as the AI SDK names it. Tools are listed, and nothing else brings any. */
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
  const kept: Record<string, unknown> = {};
  for (const name of settingNames) if (settings[name] !== undefined) kept[name] = settings[name];
  return kept;
}

/** A request as it is sent. */
export interface PreparedRequest {
  readonly options: ModelCallOptions;
  /** True if a result of a tool in it may hold media. */
  readonly mayContainMedia: boolean;
}

/** Lets hooks look at what goes out. What comes of it is sent as it is; a text says why nothing is. */
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
    return 'reason' in result ? result.reason : `hook "${result.hook}" gave no usable answer`;
  }
  const given = result.payload ?? request;
  if (given.model !== undefined && given.model !== request.model) return modelChangeRefusal(given.model);
  return toPreparedRequest(work, given, isForeign || result.payload !== undefined);
}

/** Ignoring the wish would be worse: somebody counts on it. */
function modelChangeRefusal(model: string): string {
  const how = 'give "model" a list of models, and answer fallback(model) at onLlmError';
  return `A hook set "model" to "${model}", and a request cannot change its model: ${how}.`;
}

/** What others wrote is looked through; the history is known, however long it is. */
function toPreparedRequest({ agent: actor }: TurnWork, request: LlmRequest, isForeign: boolean): PreparedRequest {
  const { listing, own: facts } = actor;
  const { messages, tools, settings } = request;
  const prompt = isForeign ? toPrompt(messages) : (messages as readonly unknown[] as ModelCallOptions['prompt']);
  const functions = tools === listing.listed ? listing.functions : tools.map((tool) => listing.functionOf(tool));
  const options: ModelCallOptions = { ...allowedSettings(settings), prompt };
  if (functions.length > 0) options.tools = functions as NonNullable<ModelCallOptions['tools']>;
  return { options, mayContainMedia: isForeign || facts.history.containsMedia };
}

interface AskModelOptions extends PreparedRequest {
  readonly purpose: 'turn' | 'compaction';
  /** Nothing of the answer is shown before hooks have seen it whole. */
  readonly held: boolean;
  readonly attempts: { count: number };
}

export function askModel(work: TurnWork, asked: AskModelOptions): Promise<AnswerWithModel> {
  const { options, mayContainMedia: mayHoldMedia, purpose, held, attempts } = asked;
  const { turn, agent: actor } = work;
  return actor.own.caller.call({
    turn,
    options,
    mayContainMedia: mayHoldMedia,
    purpose,
    attempts,
    reserve: (model) => reserveForCall(work, model, options),
    onDelta: held ? ignoreDelta : (type, text) => turn.emit(() => ({ type, text, attempt: attempts.count })),
  });
}

function ignoreDelta(): void {
  // Shown later, or not at all.
}

/** Sets aside what one model call may use at most. */
function reserveForCall(work: TurnWork, model: LanguageModel, options: ModelCallOptions): MaybePromise<Reservation> {
  const { agent: actor } = work;
  const { budget } = actor.tracker;
  const prices = actor.parts.pricesOf(model);
  if (prices === undefined && budget.needsPrices) {
    const key = modelKeyOf(model);
    return work.stop('budget:cost', `No price is known for ${key}, so its cost cannot be limited: give "prices".`);
  }
  const left = budget.remainingOutputTokens;
  const requested = options.maxOutputTokens;
  const maxOutputTokens = left === undefined ? requested : Math.min(left, requested ?? left);
  if (maxOutputTokens === undefined && budget.needsBound !== undefined) {
    const why = 'An answer without a bound cannot be counted against a shared limit';
    return work.stop(`budget:shared.${budget.needsBound}`, `${why}: give "settings.maxOutputTokens".`);
  }
  const bound = boundOf(budget, options, { maxOutputTokens, prices });
  const admission: Reservation = {
    maxOutputTokens,
    settle: (usage) => {
      const cost = prices === undefined ? undefined : costOf(usage, prices);
      const over = budget.settle(bound, usage, cost ?? 0);
      if (usage !== noUsage) work.addUsage(usage, cost);
      return isPromise(over) ? over.then((late) => emitExceeded(work, late)) : emitExceeded(work, over);
    },
  };
  const exceeded = budget.reserve(bound);
  if (isPromise(exceeded)) return exceeded.then((late) => (late === undefined ? admission : work.stopForLimit(late)));
  return exceeded === undefined ? admission : work.stopForLimit(exceeded);
}

function emitExceeded(work: TurnWork, over: ExceededLimit | undefined): void {
  if (over !== undefined) work.turn.emit(() => ({ type: 'budget_exceeded', ...over }));
}
