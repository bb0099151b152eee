/** The most that one model call can use, to be set aside before it starts. */

import type { BudgetKeeper, Counts } from './budget.ts';
import type { CallOptions } from './model-messages.ts';
import type { Prices } from './models/prices.ts';

interface CallFacts {
  readonly maxOutputTokens: number | undefined;
  readonly prices: Prices | undefined;
}

/** Where nobody can tell how much a call costs at most, all that is left is set aside: no other begins beside it. */
export function boundOf(budget: BudgetKeeper, options: CallOptions, facts: CallFacts): Partial<Counts> {
  if (!budget.limitsUsage) return {};
  const { maxOutputTokens, prices } = facts;
  const inputTokens = mostTokens(options);
  const outputTokens = maxOutputTokens ?? 0;
  const cost = (inputTokens * dearestInput(prices) + outputTokens * dearestOutput(prices)) / 1_000_000;
  return {
    inputTokens,
    outputTokens,
    cachedInputTokens: inputTokens,
    cacheCreationTokens: inputTokens,
    cost: maxOutputTokens === undefined ? Math.max(cost, budget.costLeft) : cost,
  };
}

/** A token is at least one byte, and a character at most three. */
function mostTokens({ prompt, tools, responseFormat }: CallOptions): number {
  return 3 * JSON.stringify([prompt, tools ?? null, responseFormat ?? null]).length;
}

function dearestInput(prices: Prices | undefined): number {
  const { input = 0, cacheWrite = 0, long } = prices ?? {};
  return Math.max(input, cacheWrite, long?.input ?? 0, long?.cacheWrite ?? 0);
}

function dearestOutput(prices: Prices | undefined): number {
  return Math.max(prices?.output ?? 0, prices?.long?.output ?? 0);
}
