/** Answers of a model of the AI SDK: as hooks see them, and back. */

import type { AnswerContent, GeneratedAnswer, StreamPart, ModelUsage } from '../../agent/model/model-interface.ts';
import { readUsage } from '../../agent/model/language-model.ts';
import { collectStream, zeroModelUsage } from '../../agent/model/streamed-reply.ts';
import type { LlmResponse } from '../../kernel/hooks/points/payloads.ts';
import { type JsonValue, sameJson } from '../../kernel/json.ts';

type Generated = GeneratedAnswer;
type ToolCallPart = Extract<AnswerContent, { type: 'tool-call' }>;

export function responseOf({ content, usage, finishReason, response }: Generated, model: string): LlmResponse {
  const textOf = (type: 'text' | 'reasoning'): string =>
    content.map((part) => (part.type === type ? part.text : '')).join('');
  // Version 2 of the interface has a string here.
  const reason: unknown = finishReason;
  return {
    text: textOf('text'),
    thinking: textOf('reasoning'),
    toolCalls: content.filter(isCall).map((part) => ({
      id: part.toolCallId,
      tool: part.toolName,
      args: argsOf(part.input),
    })),
    usage: readUsage(isFlat(usage) ? nested(usage) : usage),
    model,
    responseId: response?.id,
    finishReason: typeof reason === 'string' ? reason : finishReason.unified,
  };
}

/** The usage in version 2 of the interface. */
interface FlatUsage {
  readonly inputTokens?: number | undefined;
  readonly outputTokens?: number | undefined;
  readonly cachedInputTokens?: number | undefined;
}

function isFlat(usage: ModelUsage | FlatUsage | undefined): usage is FlatUsage {
  return typeof usage?.inputTokens === 'number' || typeof usage?.outputTokens === 'number';
}

function nested({ inputTokens, outputTokens, cachedInputTokens }: FlatUsage): ModelUsage {
  return {
    inputTokens: { total: inputTokens, noCache: undefined, cacheRead: cachedInputTokens, cacheWrite: undefined },
    outputTokens: { total: outputTokens, text: undefined, reasoning: undefined },
  };
}

function isCall(part: AnswerContent): part is ToolCallPart {
  return part.type === 'tool-call';
}

/** Models write args as JSON text, which may be invalid. */
function argsOf(input: string): JsonValue {
  try {
    return JSON.parse(input === '' ? '{}' : input) as JsonValue;
  } catch (error) {
    if (error instanceof SyntaxError) return input;
    throw error;
  }
}

/** The answer with what the hooks changed. Parts that they did not change stay as they are. */
export function withResponse(native: Generated, response: LlmResponse): Generated {
  const before = responseOf(native, response.model);
  const kept = native.content.filter(
    (part) =>
      !(isCall(part) && part.providerExecuted !== true) &&
      (part.type !== 'text' || before.text === response.text) &&
      (part.type !== 'reasoning' || before.thinking === response.thinking),
  );
  const text: AnswerContent[] =
    before.text === response.text || response.text === '' ? [] : [{ type: 'text', text: response.text }];
  const calls = response.toolCalls.map(({ id, tool, args }): AnswerContent => {
    const own = native.content.filter(isCall).find((part) => part.toolCallId === id);
    if (own !== undefined && own.toolName === tool && sameJson(argsOf(own.input), args)) return own;
    return { type: 'tool-call', toolCallId: id, toolName: tool, input: JSON.stringify(args) };
  });
  return { ...native, content: [...kept, ...text, ...calls] };
}

/** The answer that a framework gets if a hook rejected the model call: its text says why. */
export function rejectedAnswer(reason: string, specificationVersion: string): Generated {
  const isOld = specificationVersion === 'v2';
  const finishReason = isOld ? 'content-filter' : { unified: 'content-filter', raw: 'rejected' };
  const usage = isOld ? { inputTokens: 0, outputTokens: 0, totalTokens: 0 } : zeroModelUsage;
  return {
    content: reason === '' ? [] : [{ type: 'text', text: reason }],
    finishReason: finishReason as Generated['finishReason'],
    usage: usage as Generated['usage'],
    warnings: [],
  };
}

export function collectAnswer(stream: ReadableStream<StreamPart>): Promise<Generated> {
  return collectStream({ stream });
}

/** A complete answer as a stream. */
export function streamOf({ content, finishReason, usage, response, warnings }: Generated): ReadableStream<StreamPart> {
  const parts: StreamPart[] = [{ type: 'stream-start', warnings }];
  if (response !== undefined) parts.push({ ...response, type: 'response-metadata' });
  for (const [index, part] of content.entries()) {
    const id = String(index);
    if (part.type === 'text' || part.type === 'reasoning') {
      parts.push({ type: `${part.type}-start`, id });
      parts.push({ type: `${part.type}-delta`, id, delta: part.text });
      parts.push({ type: `${part.type}-end`, id });
    } else parts.push(part);
  }
  parts.push({ type: 'finish', finishReason, usage });
  return readableOf(parts);
}

/** A stream of these parts. */
export function readableOf<T>(parts: readonly T[]): ReadableStream<T> {
  return new ReadableStream({
    start(controller) {
      for (const part of parts) controller.enqueue(part);
      controller.close();
    },
  });
}
