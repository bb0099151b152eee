/** Adds up the token usage of model calls. */

import type { LanguageModelV4Usage } from '@ai-sdk/provider';
import type { Usage } from '../../kernel/hooks/points/payloads.ts';

export const noUsage: Usage = Object.freeze({
  inputTokens: 0,
  outputTokens: 0,
  cachedInputTokens: 0,
  cacheCreationTokens: 0,
});

export function addUsage(a: Usage, b: Usage): Usage {
  return Object.freeze({
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    cachedInputTokens: a.cachedInputTokens + b.cachedInputTokens,
    cacheCreationTokens: a.cacheCreationTokens + b.cacheCreationTokens,
  });
}

/** Reads the usage that a model reports. Missing numbers count as 0. */
export function readUsage(usage: LanguageModelV4Usage | undefined): Usage {
  const { inputTokens, outputTokens } = usage ?? {};
  return Object.freeze({
    inputTokens: tokenCount(inputTokens?.total),
    outputTokens: tokenCount(outputTokens?.total),
    cachedInputTokens: tokenCount(inputTokens?.cacheRead),
    cacheCreationTokens: tokenCount(inputTokens?.cacheWrite),
  });
}

function tokenCount(tokens: number | undefined): number {
  return typeof tokens === 'number' && Number.isFinite(tokens) && tokens > 0 ? tokens : 0;
}
