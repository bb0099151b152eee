import type { Hook } from '../../kernel/hooks/registration/hook.ts';
import type { Usage } from '../../kernel/hooks/points/payloads.ts';
import { stateKey } from '../../kernel/scope/scope.ts';
import { checkHookOptions, hookSettings, type ReadyMadeOptions } from '../options/ready-made-options.ts';
import * as is from '../../kernel/shapes.ts';
import { Invalid, invalid, type Shape } from '../../kernel/shapes.ts';

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
    shapes: { prices: priceList },
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

const price = is.options<TokenPrice>(
  { input: is.count, output: is.count, cachedInput: is.count, cacheWrite: is.count },
  { needed: ['input', 'output'], open: true },
);
const priceList: Shape<Readonly<Record<string, TokenPrice>>> = (value, limits) => {
  const read = is.map(price)(value, limits);
  return read instanceof Invalid || Object.keys(read).length > 0 ? read : invalid('must contain at least one model');
};
