/** The words a scripted model's script is written in. */

import type { LanguageModelV4CallOptions, LanguageModelV4FinishReason, LanguageModelV4Usage } from '@ai-sdk/provider';
import type { Usage } from '../kernel/hooks/points/payloads.ts';
import { zeroModelUsage, type StreamedCall } from '../agent/model/streamed-reply.ts';

export interface ScriptedToolCall {
  readonly tool: string;
  /** JSON data; a string is sent as it is, which need not be JSON. */
  readonly args?: unknown;
  /** `call-1`, `call-2`… unless given. */
  readonly id?: string | undefined;
}

/** One answer of the model; what is not given is not in it. */
export interface ScriptedReply {
  readonly text?: string | undefined;
  readonly thinking?: string | undefined;
  readonly toolCalls?: readonly ScriptedToolCall[] | undefined;
  readonly usage?: Partial<Usage> | undefined;
  readonly finishReason?: LanguageModelV4FinishReason['unified'] | undefined;
  /** The id that the provider gives the answer. */
  readonly responseId?: string | undefined;
  readonly chunks?: number | undefined;
  readonly delayMs?: number | undefined;
  /** Ends the stream with this error in the middle of what comes last, the last tool call included. */
  readonly cut?: unknown;
  /** How it is cut: the connection breaks, or the provider streams an error part. */
  readonly cutBy?: 'break' | 'part' | undefined;
  /** Goes silent until the call is aborted: from the start, or in the middle of what comes last. */
  readonly hang?: boolean | undefined;
}

/** A text, a reply, or an error thrown before there is a stream. */
export type ScriptedAnswer = string | ScriptedReply | { readonly error: unknown };

/** What the model does when it is called: an answer, or a function of the call that gives one. */
export type ScriptedStep =
  | ScriptedAnswer
  | ((options: LanguageModelV4CallOptions) => ScriptedAnswer | Promise<ScriptedAnswer>);

export function toStreamedCall({ tool, args = {}, id }: ScriptedToolCall, newId: () => string): StreamedCall {
  return { id: id ?? newId(), tool, input: typeof args === 'string' ? args : JSON.stringify(args) };
}

export function toModelUsage(usage: Partial<Usage> | undefined): LanguageModelV4Usage {
  if (usage === undefined) return zeroModelUsage;
  const { inputTokens = 0, outputTokens = 0, cachedInputTokens = 0, cacheCreationTokens = 0 } = usage;
  const noCache = Math.max(0, inputTokens - cachedInputTokens - cacheCreationTokens);
  return {
    inputTokens: { total: inputTokens, noCache, cacheRead: cachedInputTokens, cacheWrite: cacheCreationTokens },
    outputTokens: { total: outputTokens, text: outputTokens, reasoning: 0 },
  };
}
