/**
 * The built-in model: a small deterministic planner that needs no API key and no network. It turns a few plain requests
 * into tool calls and reports their results. If it does not understand a request, it says what it can do. It is
 * stateless.
 */

import type { LanguageModelV4, LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { messageOf } from '../../kernel/errors.ts';
import { createPartStream, throwIfAborted } from '../model/part-stream.ts';
import { collectStream, finishPart, replyParts, type StreamedReply } from '../model/streamed-reply.ts';
import { callsIn } from './reply/conversation.ts';
import { decideReply, type PlannerReply } from './decide-reply.ts';
import { estimateUsage } from './estimate-usage.ts';

export interface PlannerOptions {
  /** How many lines of each result an answer shows. Default: 20. */
  readonly resultLines?: number | undefined;
  /** The delay before each word, to make streaming visible. Default: 0. */
  readonly delayMs?: number | undefined;
}

/** The built-in model `bridle/planner`. */
export function plannerModel({ resultLines = 20, delayMs = 0 }: PlannerOptions = {}): LanguageModelV4 {
  async function doStream(options: LanguageModelV4CallOptions) {
    throwIfAborted(options.abortSignal);
    const reply = streamedReply(options, decideSafely(options, resultLines));
    const parts = [...replyParts(reply, byWord), finishPart(reply)];
    const { abortSignal: signal } = options;
    return { stream: createPartStream(parts, { ending: { type: 'close' }, delayMs, preloaded: false, signal }) };
  }
  return {
    specificationVersion: 'v4',
    provider: 'bridle',
    modelId: 'planner',
    supportedUrls: {},
    doStream,
    doGenerate: async (options) => collectStream(await doStream(options)),
  };
}

/** An error in the planner becomes its answer and never fails the turn. */
function decideSafely(options: LanguageModelV4CallOptions, lines: number): PlannerReply {
  try {
    return decideReply(options, { lines });
  } catch (error) {
    return { text: `The built-in planner failed: ${messageOf(error)}.`, calls: [] };
  }
}

function streamedReply(options: LanguageModelV4CallOptions, { text, calls }: PlannerReply): StreamedReply {
  const callCount = options.prompt.reduce((count, message) => count + callsIn(message).length, 0);
  const toolCalls = calls.map(({ tool, args }, index) => ({
    id: `call-${callCount + index + 1}`,
    tool,
    input: JSON.stringify(args),
  }));
  return {
    thinking: '',
    text,
    toolCalls,
    finishReason: toolCalls.length > 0 ? 'tool-calls' : 'stop',
    usage: estimateUsage(
      options,
      text.length + toolCalls.reduce((sum, call) => sum + call.tool.length + call.input.length, 0),
    ),
  };
}

/** Splits a text into words, each with the space after it. */
function byWord(text: string): readonly string[] {
  return text.match(/\S+\s*|\s+/g) ?? [];
}
