import type { Hook } from '../../kernel/hooks/registration/hook.ts';
import type { Usage } from '../../kernel/hooks/points/payloads.ts';
import { stateKey } from '../../kernel/scope/state-key.ts';
import {
  type OptionCheck,
  checkHookOptions,
  mustBeNonNegative,
  hookSettings,
  type ReadyMadeOptions,
} from '../options/ready-made-options.ts';

/** The price of a model per million tokens, in any currency. */
export interface TokenPrice {
  readonly input: number;
  readonly output: number;
  /** Input read from the provider's cache. Default: the price of `input`. */
  readonly cachedInput?: number | undefined;
  /** Input written to the provider's cache. Default: the price of `input`. */
  readonly cacheWrite?: number | undefined;
}

export interface CostTrackerOptions extends Omit<ReadyMadeOptions, 'name'> {
  /** Prices by model: `anthropic/claude-opus-5`, the id alone, or `*` for all others. */
  readonly prices: Readonly<Record<string, TokenPrice>>;
}

/** The cost of a session's model calls so far, in the session scope. */
export const sessionCost = stateKey<number>('bridle:cost-tracker:cost', 0);

/** The cost of a turn's model calls so far, in the turn scope. Subagents have their own turns. */
export const turnCost = stateKey<number>('bridle:cost-tracker:turn-cost', 0);

/**
 * Adds up the cost of each model call, including rejected answers. Read it with `sessionCost` and `turnCost`, for
 * example in `postTurn`. It only observes, so it does not delay streamed text. A model without a price sends
 * `cost_unknown`.
 */
export function costTracker(options: CostTrackerOptions): Hook {
  checkHookOptions('costTracker', options, {
    checks: { prices: mustBePriceList },
    needed: ['prices'],
    shared: ['priority', 'timeoutMs'],
  });
  const prices = new Map(Object.entries(options.prices));
  return {
    ...hookSettings(options, { name: 'cost-tracker', observes: true }),
    async postLlmCall({ response }, ctx) {
      const { model, usage } = response;
      const price = prices.get(model) ?? prices.get(model.slice(model.indexOf('/') + 1)) ?? prices.get('*');
      if (price === undefined) return ctx.emit('cost_unknown', { model });
      const cost = costOf(usage, price);
      await Promise.all([
        ctx.session.update(sessionCost, (before) => before + cost),
        ctx.turn.update(turnCost, (before) => before + cost),
      ]);
    },
  };
}

/** Input tokens include cache reads and writes. */
function costOf(usage: Usage, { input, output, cachedInput = input, cacheWrite = input }: TokenPrice): number {
  const { inputTokens, outputTokens, cachedInputTokens, cacheCreationTokens } = usage;
  const fresh = Math.max(0, inputTokens - cachedInputTokens - cacheCreationTokens);
  const perMillion =
    fresh * input + cachedInputTokens * cachedInput + cacheCreationTokens * cacheWrite + outputTokens * output;
  return perMillion / 1_000_000;
}

const mustBePriceList: OptionCheck = (value) => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'must be an object of prices';
  if (Object.keys(value).length === 0) return 'must contain at least one model';
  for (const [model, price] of Object.entries(value as Record<string, unknown>)) {
    const problem = priceProblem(price);
    if (problem !== undefined) return `"${model}" ${problem}`;
  }
  return undefined;
};

function priceProblem(price: unknown): string | undefined {
  const { input, output, cachedInput, cacheWrite } = (price ?? {}) as Partial<TokenPrice>;
  for (const [field, value] of Object.entries({
    input,
    output,
    cachedInput: cachedInput ?? 0,
    cacheWrite: cacheWrite ?? 0,
  })) {
    const problem = mustBeNonNegative(value);
    if (problem !== undefined) return `${field} ${problem}`;
  }
  return undefined;
}
