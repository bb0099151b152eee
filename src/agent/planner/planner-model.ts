/**
 * The model Bridle brings along: a small deterministic planner without key or network. It understands a handful of plain
 * requests, turns them into calls of the tools it was given, tells in plain words what came of them, and says what it is
 * where it does not understand. It keeps nothing between calls.
 */

import type { LanguageModelV4, LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { messageOf } from '../../kernel/errors.ts';
import { createPartStream, throwIfAborted } from '../model/part-stream.ts';
import { collectStream, finishPart, replyParts, type StreamedReply } from '../model/streamed-reply.ts';
import { callsIn } from './reply/conversation.ts';
import { decideReply, type PlannerReply } from './decide-reply.ts';
import { estimateUsage } from './estimate-usage.ts';

export interface PlannerOptions {
  /** How many lines of each result an answer shows; 20 unless given. */
  readonly resultLines?: number | undefined;
  /** How long to wait before each word, so that streaming can be seen; not at all unless given. */
  readonly delayMs?: number | undefined;
}

/** The built-in model `bridle/planner`. */
export function plannerModel({ resultLines = 20, delayMs = 0 }: PlannerOptions = {}): LanguageModelV4 {
  async function doStream(options: LanguageModelV4CallOptions) {
    throwIfAborted(options.abortSignal);
    const reply = streamedReply(options, safely(options, resultLines));
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

/** A planner that stumbles says so; it never takes the turn down with it. */
function safely(options: LanguageModelV4CallOptions, lines: number): PlannerReply {
  try {
    return decideReply(options, { lines });
  } catch (error) {
    return { text: `The built-in planner could not read that: ${messageOf(error)}.`, calls: [] };
  }
}

function streamedReply(options: LanguageModelV4CallOptions, { text, calls }: PlannerReply): StreamedReply {
  const made = options.prompt.reduce((count, message) => count + callsIn(message).length, 0);
  const toolCalls = calls.map(({ tool, args }, index) => ({
    id: `call-${made + index + 1}`,
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

/** Words with the space after them, so that the pieces give the whole. */
function byWord(text: string): readonly string[] {
  return text.match(/\S+\s*|\s+/g) ?? [];
}
