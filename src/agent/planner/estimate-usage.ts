/** Estimates token usage from text lengths, so that budgets work with the planner too. */

import type { LanguageModelV4CallOptions, LanguageModelV4Message, LanguageModelV4Usage } from '@ai-sdk/provider';

const charactersPerToken = 4;
/** Each media item counts the same. */
const mediaCharacters = 4000;

export function estimateUsage(
  { prompt, tools = [] }: LanguageModelV4CallOptions,
  written: number,
): LanguageModelV4Usage {
  const read = prompt.reduce((sum, message) => sum + lengthOf(message), 0) + jsonLength(tools);
  const [input, output] = [tokens(read), tokens(written)];
  return {
    inputTokens: { total: input, noCache: input, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: output, text: output, reasoning: 0 },
  };
}

function tokens(characters: number): number {
  return Math.ceil(characters / charactersPerToken);
}

function lengthOf({ content }: LanguageModelV4Message): number {
  if (typeof content === 'string') return content.length;
  return content.reduce((sum, part) => {
    if (part.type === 'text' || part.type === 'reasoning') return sum + part.text.length;
    if (part.type === 'tool-call') return sum + part.toolName.length + jsonLength(part.input);
    if (part.type !== 'tool-result') return sum + (part.type === 'file' ? mediaCharacters : 0);
    if (part.output.type !== 'content') return sum + jsonLength(part.output);
    return (
      sum +
      part.output.value.reduce((all, item) => all + (item.type === 'text' ? item.text.length : mediaCharacters), 0)
    );
  }, 0);
}

function jsonLength(value: unknown): number {
  try {
    return JSON.stringify(value)?.length ?? 0;
  } catch {
    return 0;
  }
}
