/** The types of a scripted model's script. */

import type { ModelCallOptions, FinishReason, ModelUsage } from '../agent/model/model-interface.ts';
import type { Usage } from '../kernel/hooks/points/payloads.ts';
import { zeroModelUsage, type StreamedCall } from '../agent/model/streamed-reply.ts';

export interface ScriptedToolCall {
  readonly tool: string;
  /** JSON data. A string is sent as it is, so it may be invalid JSON. */
  readonly args?: unknown;
  /** Default: `call-1`, `call-2`… */
  readonly id?: string | undefined;
}

/** One answer of the model. */
export interface ScriptedReply {
  readonly text?: string | undefined;
  readonly thinking?: string | undefined;
  readonly toolCalls?: readonly ScriptedToolCall[] | undefined;
  readonly usage?: Partial<Usage> | undefined;
  readonly finishReason?: FinishReason['unified'] | undefined;
  /** The provider's id of the answer. */
  readonly responseId?: string | undefined;
  readonly chunks?: number | undefined;
  readonly delayMs?: number | undefined;
  /** Ends the stream with this error in the middle of its last text or tool call. */
  readonly cut?: unknown;
  /** How it is cut: the connection breaks, or the provider sends an error part. */
  readonly cutBy?: 'break' | 'part' | undefined;
  /** Hangs until the call is aborted, from the start or in the middle of the last text or tool call. */
  readonly hang?: boolean | undefined;
}

/** A text, a reply, or an error that is thrown before the stream opens. */
export type ScriptedAnswer = string | ScriptedReply | { readonly error: unknown };

/** The response to one call: an answer, or a function that returns one. */
export type ScriptedStep = ScriptedAnswer | ((options: ModelCallOptions) => ScriptedAnswer | Promise<ScriptedAnswer>);

export function toStreamedCall({ tool, args = {}, id }: ScriptedToolCall, newId: () => string): StreamedCall {
  return { id: id ?? newId(), tool, input: typeof args === 'string' ? args : JSON.stringify(args) };
}

export function toModelUsage(usage: Partial<Usage> | undefined): ModelUsage {
  if (usage === undefined) return zeroModelUsage;
  const { inputTokens = 0, outputTokens = 0, cachedInputTokens = 0, cacheCreationTokens = 0 } = usage;
  const noCache = Math.max(0, inputTokens - cachedInputTokens - cacheCreationTokens);
  return {
    inputTokens: { total: inputTokens, noCache, cacheRead: cachedInputTokens, cacheWrite: cacheCreationTokens },
    outputTokens: { total: outputTokens, text: outputTokens, reasoning: 0 },
  };
}
