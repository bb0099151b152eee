/** Estimates the most that one model call can use, which is reserved before it starts. */

import type { CallBound, BudgetCounts } from './budget-options.ts';
import type { SessionBudget } from './session-budget.ts';
import type { ModelCallOptions } from '../model/model-messages.ts';
import type { Prices } from '../model/providers/prices.ts';

interface CallFacts {
  readonly maxOutputTokens: number | undefined;
  readonly prices: Prices | undefined;
}

const noBound: CallBound = Object.freeze({ most: Object.freeze({}), presumed: Object.freeze({}) });

/** If the maximum cost is unknown, everything that is left is reserved, so no other call can start meanwhile. */
export function boundOf(budget: SessionBudget, options: ModelCallOptions, facts: CallFacts): CallBound {
  if (!budget.limitsUsage) return noBound;
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
