/** Token prices. The built-in table is a dated convenience; prices given by the user take precedence. */

import type { Usage } from '../../../kernel/hooks/points/payloads.ts';
import { modelKeyOf } from '../language-model.ts';
import type { LanguageModel } from '../model-interface.ts';

/** Prices of a model in US dollars per million tokens. */
export interface Prices {
  readonly input: number;
  readonly output: number;
  /** Input read from the provider's cache. Default: the price of `input`. */
  readonly cachedInput?: number | undefined;
  /** Input written to the provider's cache. Default: the price of `input`. */
  readonly cacheWrite?: number | undefined;
  /** Prices for calls with more than `above` input tokens. */
  readonly long?: (Omit<Prices, 'long'> & { readonly above: number }) | undefined;
}

/** Prices by model: `anthropic/claude-opus-5`, or just the model id. */
export type PriceList = Readonly<Record<string, Prices>>;

/** The date on which the table was last compared with the published prices. */
export const pricesDate = '2026-10-13';

const opus: Prices = { input: 5, output: 25, cachedInput: 0.5, cacheWrite: 6.25 };
const sonnet: Prices = { input: 3, output: 15, cachedInput: 0.3, cacheWrite: 3.75 };

/**
 * Published prices: standard tier, text.
 * Limited-time offers are left out, because budgets would overspend once they end.
 */
const priceTable: ReadonlyMap<string, Prices> = new Map(
  Object.entries({
    'anthropic/claude-fable-5-1': { input: 10, output: 50, cachedInput: 0.25, cacheWrite: 12.5 },
    'anthropic/claude-opus-5-5': { input: 4, output: 20, cachedInput: 0.2, cacheWrite: 5 },
    'anthropic/claude-opus-5': opus,
    'anthropic/claude-opus-4-8': opus,
    'anthropic/claude-opus-4-7': opus,
    'anthropic/claude-opus-4-6': opus,
    'anthropic/claude-opus-4-5': opus,
    'anthropic/claude-sonnet-5-5': { input: 2, output: 10, cachedInput: 0.1, cacheWrite: 2.5 },
    'anthropic/claude-sonnet-5': { input: 2, output: 10, cachedInput: 0.2, cacheWrite: 2.5 },
    'anthropic/claude-sonnet-4-6': sonnet,
    'anthropic/claude-sonnet-4-5': sonnet,
    'anthropic/claude-haiku-4-5': { input: 1, output: 5, cachedInput: 0.1, cacheWrite: 1.25 },
    'anthropic/claude-haiku-5-5': {
      input: 0.1,
      output: 0.5,
      cachedInput: 0.01,
      cacheWrite: 0.125,
      long: { above: 100_000, input: 0.5, output: 2.5, cachedInput: 0.05, cacheWrite: 0.625 },
    },
    'openai/gpt-6.1-sol': openaiPrices({ input: 2, output: 10, cachedInput: 0.1 }),
    'openai/gpt-6-sol': openaiPrices({ input: 2, output: 10, cachedInput: 0.2 }),
    'openai/gpt-6-luna': openaiPrices({ input: 0.1, output: 0.5, cachedInput: 0.01 }),
    'google/gemini-3.5-flash': { input: 1.5, output: 9, cachedInput: 0.15 },
    'google/gemini-3.5-flash-lite': { input: 0.3, output: 2.5, cachedInput: 0.03 },
    'google/gemini-3.1-pro-preview': { input: 2, output: 12, long: { above: 200_000, input: 4, output: 18 } },
    'google/gemini-2.5-pro': {
      input: 1.25,
      output: 10,
      cachedInput: 0.125,
      long: { above: 200_000, input: 2.5, output: 15, cachedInput: 0.25 },
    },
    'google/gemini-2.5-flash': { input: 0.3, output: 2.5, cachedInput: 0.03 },
    'google/gemini-2.5-flash-lite': { input: 0.1, output: 0.4, cachedInput: 0.01 },
  } satisfies Record<string, Prices>),
);

/** The suffix of a dated snapshot, which costs the same as its model. `-mini` is a different model. */
const snapshotSuffix = /[-@](?:latest|\d{8}|\d{4}-\d{2}-\d{2}|\d{3,4})$/;

/** The prices of a model; those in `own` take precedence. Undefined if unknown. */
export function priceOf(modelKey: string, own: PriceList = {}): Prices | undefined {
  const id = modelKey.slice(modelKey.indexOf('/') + 1);
  const plain = modelKey.replace(snapshotSuffix, '');
  const ownNames = [modelKey, id, plain, id.replace(snapshotSuffix, '')];
  const found = ownNames.find((name) => Object.hasOwn(own, name));
  if (found !== undefined) return own[found];
  // An id without a provider has no known price, because providers charge differently for the same model.
  return priceTable.get(modelKey) ?? priceTable.get(plain);
}

/** The cost of one model call in US dollars. `inputTokens` includes cached tokens. */
export function costOf(usage: Usage, prices: Prices): number {
  const long = prices.long !== undefined && usage.inputTokens > prices.long.above ? prices.long : undefined;
  const { input, output, cachedInput = input, cacheWrite = input } = long ?? prices;
  const fresh = Math.max(0, usage.inputTokens - usage.cachedInputTokens - usage.cacheCreationTokens);
  const millionths =
    fresh * input +
    usage.cachedInputTokens * cachedInput +
    usage.cacheCreationTokens * cacheWrite +
    usage.outputTokens * output;
  return millionths / 1_000_000;
}

/** Since GPT-6, a cache write costs 1.25 × input, and a long prompt costs 2 × input and 1.5 × output. */
function openaiPrices({ input, output, cachedInput }: Record<'input' | 'output' | 'cachedInput', number>): Prices {
  const twice = { input: 2 * input, cachedInput: 2 * cachedInput, cacheWrite: 2.5 * input };
  return {
    input,
    output,
    cachedInput,
    cacheWrite: 1.25 * input,
    long: { above: 272_000, ...twice, output: 1.5 * output },
  };
}

/** Returns a function that looks up the prices of a model and caches them. */
export function createPriceLookup(own?: PriceList): (model: LanguageModel) => Prices | undefined {
  const cache = new WeakMap<LanguageModel, { readonly prices: Prices | undefined }>();
  return (model) => {
    let found = cache.get(model);
    if (found === undefined) {
      found = { prices: priceOf(modelKeyOf(model), own) };
      cache.set(model, found);
    }
    return found.prices;
  };
}
