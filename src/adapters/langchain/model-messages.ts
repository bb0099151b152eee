/** Messages and answers of LangChain's models: as hooks see them, and back. */

import type { LlmResponse, Message, MessagePart } from '../../kernel/hooks/points/payloads.ts';
import { type JsonValue, sameJson } from '../../kernel/json.ts';
import { firstText, langChain, type NativeCall, type NativeMessage, type NativePart } from './native.ts';

const roles: Readonly<Record<string, Message['role']>> = { human: 'user', ai: 'assistant', tool: 'tool' };

export function toMessage(native: NativeMessage): Message {
  const role = roles[native.getType()] ?? 'system';
  const { content } = native;
  if (role === 'tool') {
    const { tool_call_id: toolCallId, name: toolName } = native;
    return { role, content: [{ type: 'tool-result', toolCallId, toolName, output: content }] };
  }
  const calls = (native.tool_calls ?? []).map(toCallPart);
  if (calls.length === 0) return { role, content };
  const parts = typeof content === 'string' ? textParts(content) : content.filter(({ type }) => type !== 'tool_use');
  return { role, content: [...parts, ...calls] };
}

function textParts(text: string): readonly MessagePart[] {
  return text === '' ? [] : [{ type: 'text', text }];
}

function toCallPart({ id, name, args }: NativeCall): MessagePart {
  return { type: 'tool-call', toolCallId: id, toolName: name, input: args };
}

/** The messages for LangChain. Those that no hook changed stay as they are. */
export function toNative(messages: readonly Message[], natives: readonly NativeMessage[]): readonly unknown[] {
  const known = new Map(natives.map((native) => [JSON.stringify(toMessage(native)), native]));
  return messages.map((message) => known.get(JSON.stringify(message)) ?? toPlain(message));
}

/** A message as a plain object, which LangChain takes, too. */
function toPlain({ role, content }: Message): object {
  if (typeof content === 'string') return { role, content };
  const result = content.find(({ type }) => type === 'tool-result');
  if (role === 'tool' && result !== undefined) {
    const { toolCallId, toolName, output } = result;
    return { role, tool_call_id: toolCallId, name: toolName, content: output };
  }
  const calls = content.filter(({ type }) => type === 'tool-call');
  const parts = content.filter(({ type }) => type !== 'tool-call');
  if (calls.length === 0) return { role, content: parts };
  const toolCalls = calls.map(({ toolCallId, toolName, input }) => ({
    id: toolCallId,
    name: toolName,
    args: input,
    type: 'tool_call',
  }));
  return { role, content: parts, tool_calls: toolCalls };
}

export function responseOf(message: NativeMessage, model: string): LlmResponse {
  const metadata = message.response_metadata ?? {};
  const calls = message.tool_calls ?? [];
  const reason = firstText(metadata['finish_reason'], metadata['stop_reason']);
  return {
    text: message.text,
    thinking: partsOf(message)
      .map(({ type, reasoning }) => (type === 'reasoning' ? (firstText(reasoning) ?? '') : ''))
      .join(''),
    toolCalls: calls.map(({ id = '', name, args }) => ({ id, tool: name, args: args as JsonValue })),
    usage: usageOf(message),
    model: firstText(metadata['model_name'], metadata['model']) ?? model,
    responseId: message.id,
    finishReason: reason ?? (calls.length > 0 ? 'tool-calls' : 'stop'),
  };
}

/** The parts of an answer, in LangChain's standard form. */
export function partsOf(message: NativeMessage): readonly NativePart[] {
  const { content } = message;
  // LangChain converts the parts with every reading of `contentBlocks`.
  return typeof content === 'string' ? [] : (message.contentBlocks ?? content);
}

function usageOf({ usage_metadata: usage = {} }: NativeMessage): LlmResponse['usage'] {
  const details = (usage['input_token_details'] ?? {}) as Readonly<Record<string, unknown>>;
  return {
    inputTokens: count(usage['input_tokens']),
    outputTokens: count(usage['output_tokens']),
    cachedInputTokens: count(details['cache_read']),
    cacheCreationTokens: count(details['cache_creation']),
  };
}

function count(tokens: unknown): number {
  return typeof tokens === 'number' && tokens > 0 ? tokens : 0;
}

/** The answer with the text and the calls that hooks have changed. */
export async function withResponse(native: NativeMessage, response: LlmResponse): Promise<NativeMessage> {
  const before = responseOf(native, response.model);
  const { AIMessage } = await langChain();
  const calls = response.toolCalls.map(({ id, tool: name, args }) => ({ id, name, args, type: 'tool_call' }));
  const hasSameCalls = sameJson(before.toolCalls as unknown as JsonValue, response.toolCalls as unknown as JsonValue);
  const others = partsOf(native).filter(({ type }) => type !== 'text' && type !== 'reasoning');
  // The fields of providers repeat the text and the calls, so they are kept only if neither has changed.
  const isPlain = typeof native.content === 'string' || !hasSameCalls;
  return new AIMessage({
    id: native.id,
    name: native.name,
    content: isPlain ? response.text : [...others, ...textParts(response.text)],
    tool_calls: calls,
    usage_metadata: native.usage_metadata,
    response_metadata: native.response_metadata,
  });
}
