/** What Bridle takes for a model, and the name it goes by in events, budgets and prices. */

import type { LanguageModelV3, LanguageModelV4 } from '@ai-sdk/provider';

/** Any model that implements the AI SDK language-model interface. */
export type LanguageModel = LanguageModelV4 | LanguageModelV3;

/** `anthropic/claude-opus-5`: the provider without the name of its interface (`openai.chat`), and the model's id. */
export function modelKeyOf(model: Pick<LanguageModel, 'provider' | 'modelId'>): string {
  return `${model.provider.split('.', 1)[0]}/${model.modelId}`;
}

/** True for anything that can be called as a model. */
export function isLanguageModel(value: unknown): value is LanguageModel {
  if (typeof value !== 'object' || value === null) return false;
  const { specificationVersion, doStream } = value as { specificationVersion?: unknown; doStream?: unknown };
  return (specificationVersion === 'v4' || specificationVersion === 'v3') && typeof doStream === 'function';
}
