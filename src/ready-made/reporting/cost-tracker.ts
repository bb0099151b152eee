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

/** The price of a model, in any currency, for a million tokens. */
export interface TokenPrice {
  readonly input: number;
  readonly output: number;
  /** Input read from the provider's cache; as `input` if not given. */
  readonly cachedInput?: number | undefined;
  /** Input written to the provider's cache; as `input` if not given. */
  readonly cacheWrite?: number | undefined;
}

export interface CostTrackerOptions extends Omit<ReadyMadeOptions, 'name'> {
  /** By model: `anthropic/claude-opus-5`, the id alone, or `*` for every other one. */
  readonly prices: Readonly<Record<string, TokenPrice>>;
}

/** What the model calls of a session have cost so far, in the session scope. */
export const sessionCost = stateKey<number>('bridle:cost-tracker:cost', 0);

/** What the model calls of a turn have cost so far, in the turn scope; those of subagents are in turns of their own. */
export const turnCost = stateKey<number>('bridle:cost-tracker:turn-cost', 0);

/**
 * Adds up what each model call costs, rejected answers included, for `postTurn` and everybody else to read by
 * `sessionCost` and `turnCost`. It only observes, so it holds no streamed text back. A model without a price is told of by the event `cost_unknown`.
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

/** Input counts what was read from and written to a cache too. */
function costOf(usage: Usage, { input, output, cachedInput = input, cacheWrite = input }: TokenPrice): number {
  const { inputTokens, outputTokens, cachedInputTokens, cacheCreationTokens } = usage;
  const fresh = Math.max(0, inputTokens - cachedInputTokens - cacheCreationTokens);
  const perMillion =
    fresh * input + cachedInputTokens * cachedInput + cacheCreationTokens * cacheWrite + outputTokens * output;
  return perMillion / 1_000_000;
}

const mustBePriceList: OptionCheck = (value) => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'is not a table of prices';
  if (Object.keys(value).length === 0) return 'names no model';
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
