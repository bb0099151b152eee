/** Reads the conversation from a model call: the last message of the user, and the calls made since. */

import type {
  LanguageModelV4CallOptions,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4ToolCallPart,
  LanguageModelV4ToolResultOutput,
} from '@ai-sdk/provider';

/** A call and its result. */
export interface CompletedCall {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly output: LanguageModelV4ToolResultOutput | undefined;
}

export interface PlannerConversation {
  /** The last message of the user. */
  readonly message: string;
  /** The steps completed since then, each with its calls. */
  readonly completedSteps: readonly (readonly CompletedCall[])[];
}

export function readConversation(prompt: LanguageModelV4Prompt): PlannerConversation {
  const last = prompt.findLastIndex(({ role }) => role === 'user');
  const since = prompt.slice(last + 1);
  const results = resultsIn(since);
  const steps = since.map(callsIn).filter((calls) => calls.length > 0);
  return {
    message: prompt[last] === undefined ? '' : messageText(prompt[last]),
    completedSteps: steps.map((calls) => calls.map((call) => toCompletedCall(call, results))),
  };
}

/** The names of the tools that may be called. */
export function listedTools({ tools = [], toolChoice }: LanguageModelV4CallOptions): ReadonlySet<string> {
  if (toolChoice?.type === 'none') return new Set();
  const names = tools.filter(({ type }) => type === 'function').map(({ name }) => name);
  return new Set(toolChoice?.type === 'tool' ? names.filter((name) => name === toolChoice.toolName) : names);
}

/** The text of a message, without media and tool calls. */
export function messageText({ content }: LanguageModelV4Message): string {
  if (typeof content === 'string') return content;
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}

export function callsIn({ role, content }: LanguageModelV4Message): readonly LanguageModelV4ToolCallPart[] {
  if (role !== 'assistant' || typeof content === 'string') return [];
  return content.filter((part) => part.type === 'tool-call');
}

/** Tool results by call id. */
export function resultsIn(messages: LanguageModelV4Prompt): ReadonlyMap<string, LanguageModelV4ToolResultOutput> {
  const results = new Map<string, LanguageModelV4ToolResultOutput>();
  for (const { content } of messages) {
    if (typeof content === 'string') continue;
    for (const part of content) if (part.type === 'tool-result') results.set(part.toolCallId, part.output);
  }
  return results;
}

export function toCompletedCall(
  { toolCallId, toolName, input }: LanguageModelV4ToolCallPart,
  results: ReadonlyMap<string, LanguageModelV4ToolResultOutput>,
): CompletedCall {
  const args = typeof input === 'object' && input !== null ? (input as CompletedCall['args']) : {};
  return { tool: toolName, args, output: results.get(toolCallId) };
}
