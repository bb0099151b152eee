import { type LanguageModel, modelKeyOf } from './language-model.ts';
import { priceOf, type PriceList, type Prices } from './prices.ts';

/** The prices of a model, looked up once for each. */
export function createPriceLookup(own?: PriceList): (model: LanguageModel) => Prices | undefined {
  const known = new WeakMap<LanguageModel, { readonly prices: Prices | undefined }>();
  return (model) => {
    let found = known.get(model);
    if (found === undefined) {
      found = { prices: priceOf(modelKeyOf(model), own) };
      known.set(model, found);
    }
    return found.prices;
  };
}
