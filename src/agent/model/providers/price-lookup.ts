import { type LanguageModel, modelKeyOf } from './language-model.ts';
import { priceOf, type PriceList, type Prices } from './prices.ts';

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
