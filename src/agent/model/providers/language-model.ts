/** The type of a model, and its name in events, budgets and prices. */

import type { LanguageModelV3, LanguageModelV4 } from '@ai-sdk/provider';

/** Any model that implements the AI SDK language-model interface. */
export type LanguageModel = LanguageModelV4 | LanguageModelV3;

/**
 * The provider and the model id, such as `anthropic/claude-opus-5`. The API name is cut off: `openai.chat` becomes
 * `openai`.
 */
export function modelKeyOf(model: Pick<LanguageModel, 'provider' | 'modelId'>): string {
  return `${model.provider.split('.', 1)[0]}/${model.modelId}`;
}

/** True for an object that can be called as a model. */
export function isLanguageModel(value: unknown): value is LanguageModel {
  if (typeof value !== 'object' || value === null) return false;
  const { specificationVersion, doStream } = value as { specificationVersion?: unknown; doStream?: unknown };
  return (specificationVersion === 'v4' || specificationVersion === 'v3') && typeof doStream === 'function';
}
