/** One request to the model: hooks look at what goes out, and the budget sets aside what it may use. */

import type { LlmRequest } from '../hooks/payloads.ts';
import type { JsonObject } from '../json.ts';
import { isPromise, type MaybePromise } from '../maybe-promise.ts';
import type { Exceeded } from './budget.ts';
import { boundOf } from './call-bound.ts';
import type { Admission, GivenAnswer } from './model-caller.ts';
import { type CallOptions, toPrompt } from './model-messages.ts';
import { type LanguageModel, modelKeyOf } from './models/language-model.ts';
import { costOf } from './models/prices.ts';
import type { TurnWork } from './turn-work.ts';
import { noUsage } from './usage.ts';

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
] as const satisfies readonly (keyof CallOptions)[];

function allowedSettings(settings: JsonObject): Partial<CallOptions> {
  if (settings === noSettings) return settings;
  const kept: Record<string, unknown> = {};
  for (const name of settingNames) if (settings[name] !== undefined) kept[name] = settings[name];
  return kept;
}

/** A request as it is sent. */
export interface Prepared {
  readonly options: CallOptions;
  /** True if a result of a tool in it may hold media. */
  readonly mayHoldMedia: boolean;
}

/** Lets hooks look at what goes out. What comes of it is sent as it is; a text says why nothing is. */
export function prepareRequest(
  work: TurnWork,
  request: LlmRequest,
  isForeign: boolean,
): MaybePromise<Prepared | string> {
  if (!work.turn.hasHooks('preLlmCall')) return prepared(work, request, isForeign);
  return askHooks(work, request, isForeign);
}

async function askHooks(work: TurnWork, request: LlmRequest, isForeign: boolean): Promise<Prepared | string> {
  const frozen = Object.freeze({ ...request, messages: Object.freeze([...request.messages]) });
  const result = await work.turn.dispatch('preLlmCall', frozen);
  if (result.type !== 'passed') {
    return 'reason' in result ? result.reason : `hook "${result.hook}" gave no usable answer`;
  }
  const given = result.payload ?? request;
  if (given.model !== undefined && given.model !== request.model) return otherModel(given.model);
  return prepared(work, given, isForeign || result.payload !== undefined);
}

/** Ignoring the wish would be worse: somebody counts on it. */
function otherModel(model: string): string {
  const how = 'give "model" a list of models, and answer fallback(model) at onLlmError';
  return `A hook set "model" to "${model}", and a request cannot change its model: ${how}.`;
}

/** What others wrote is looked through; the history is known, however long it is. */
function prepared({ actor }: TurnWork, request: LlmRequest, isForeign: boolean): Prepared {
  const { listing, facts } = actor;
  const { messages, tools, settings } = request;
  const prompt = isForeign ? toPrompt(messages) : (messages as readonly unknown[] as CallOptions['prompt']);
  const functions = tools === listing.listed ? listing.functions : tools.map((tool) => listing.functionOf(tool));
  const options: CallOptions = { ...allowedSettings(settings), prompt };
  if (functions.length > 0) options.tools = functions as NonNullable<CallOptions['tools']>;
  return { options, mayHoldMedia: isForeign || facts.history.holdsMedia };
}

interface Asked extends Prepared {
  readonly purpose: 'turn' | 'compaction';
  /** Nothing of the answer is shown before hooks have seen it whole. */
  readonly held: boolean;
  readonly attempts: { count: number };
}

export function askModel(work: TurnWork, asked: Asked): Promise<GivenAnswer> {
  const { options, mayHoldMedia, purpose, held, attempts } = asked;
  const { turn, actor } = work;
  return actor.facts.caller.call({
    turn,
    options,
    mayHoldMedia,
    purpose,
    attempts,
    admit: (model) => admit(work, model, options),
    onDelta: held ? ignore : (type, text) => turn.emit(() => ({ type, text, attempt: attempts.count })),
  });
}

function ignore(): void {
  // Shown later, or not at all.
}

/** Sets aside what one model call may use at most. */
function admit(work: TurnWork, model: LanguageModel, options: CallOptions): MaybePromise<Admission> {
  const { actor } = work;
  const { budget } = actor.ledger;
  const prices = actor.parts.pricesOf(model);
  if (prices === undefined && budget.needsPrices) {
    const key = modelKeyOf(model);
    return work.stop('budget:cost', `No price is known for ${key}, so its cost cannot be limited: give "prices".`);
  }
  const left = budget.outputTokensLeft;
  const asked = options.maxOutputTokens;
  const maxOutputTokens = left === undefined ? asked : Math.min(left, asked ?? left);
  if (maxOutputTokens === undefined && budget.needsBound !== undefined) {
    const why = 'An answer without a bound cannot be counted against a shared limit';
    return work.stop(`budget:shared.${budget.needsBound}`, `${why}: give "settings.maxOutputTokens".`);
  }
  const bound = boundOf(budget, options, { maxOutputTokens, prices });
  const admission: Admission = {
    maxOutputTokens,
    settle: (usage) => {
      const cost = prices === undefined ? undefined : costOf(usage, prices);
      const over = budget.settle(bound, usage, cost ?? 0);
      if (usage !== noUsage) work.addUsage(usage, cost);
      return isPromise(over) ? over.then((late) => tellOver(work, late)) : tellOver(work, over);
    },
  };
  const exceeded = budget.reserve(bound);
  if (isPromise(exceeded)) return exceeded.then((late) => (late === undefined ? admission : work.stopFor(late)));
  return exceeded === undefined ? admission : work.stopFor(exceeded);
}

function tellOver(work: TurnWork, over: Exceeded | undefined): void {
  if (over !== undefined) work.turn.emit(() => ({ type: 'budget_exceeded', ...over }));
}
