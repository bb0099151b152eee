/** Requests and answers of a model of the OpenAI Agents SDK: as hooks see them, and back. */

import { readUsage } from '../../agent/model/language-model.ts';
import type { LlmRequest, LlmResponse, Message } from '../../kernel/hooks/points/payloads.ts';
import { type JsonObject, sameJson } from '../../kernel/json.ts';
import { argsOf, type ModelItem, type ModelRequest, type ModelResponse, type StreamEvent } from './agents-sdk.ts';

/** Settings of a call that hooks see and may change. */
const settingNames = ['temperature', 'topP', 'frequencyPenalty', 'presencePenalty', 'maxTokens', 'toolChoice'] as const;

export function requestOf(request: ModelRequest, model: string): LlmRequest {
  const { systemInstructions: system, input, tools = [], modelSettings = {} } = request;
  const items = typeof input === 'string' ? [{ role: 'user', content: input }] : input;
  const settings = settingNames.flatMap((name) =>
    modelSettings[name] === undefined ? [] : [[name, modelSettings[name]] as const],
  );
  return {
    model,
    messages: [...(system ? [{ role: 'system', content: system }] : []), ...items] as readonly Message[],
    tools: tools.map(({ name, description, parameters }) => ({ name, description, inputSchema: parameters })),
    settings: Object.fromEntries(settings) as JsonObject,
  };
}

/** The request with what the hooks changed. */
export function withRequest(native: ModelRequest, { messages, tools, settings }: LlmRequest): ModelRequest {
  const items = messages as readonly ModelItem[];
  const system = native.systemInstructions && items[0]?.role === 'system' ? items[0] : undefined;
  const listed = new Set(tools.map(({ name }) => name));
  return {
    ...native,
    systemInstructions: system === undefined ? undefined : (system.content as string),
    input: (system === undefined ? items : items.slice(1)).map(toItem),
    tools: native.tools?.filter(({ name }) => listed.has(name)),
    modelSettings: { ...native.modelSettings, ...settings },
  };
}

/** Messages of hooks have text; those of an assistant have parts in the SDK. */
function toItem(item: ModelItem): ModelItem {
  if (item.role === 'assistant' && typeof item.content === 'string') return messageOf(item.content);
  return item;
}

function messageOf(text: string): ModelItem & { readonly status: string } {
  return { type: 'message', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text }] };
}

export function responseOf({ output, usage, responseId }: ModelResponse, model: string): LlmResponse {
  const calls = output.filter(isCall);
  return {
    text: textOf(output, 'message'),
    thinking: textOf(output, 'reasoning'),
    toolCalls: calls.map(({ callId: id = '', name: tool = '', arguments: input = '' }) => ({
      id,
      tool,
      args: argsOf(input) ?? input,
    })),
    usage: readUsage({
      inputTokens: { total: usage.inputTokens },
      outputTokens: { total: usage.outputTokens },
    } as never),
    model,
    responseId,
    finishReason: calls.length > 0 ? 'tool-calls' : 'stop',
  };
}

function isCall({ type }: ModelItem): boolean {
  return type === 'function_call';
}

function textOf(output: readonly ModelItem[], type: string): string {
  return output
    .filter((item) => item.type === type && Array.isArray(item.content))
    .flatMap((item) => item.content as readonly { readonly text?: string }[])
    .map(({ text = '' }) => text)
    .join('');
}

/** The answer with what the hooks changed. Items that they did not change stay as they are. */
export function withResponse(native: ModelResponse, response: LlmResponse): ModelResponse {
  const before = responseOf(native, response.model);
  const isSameText = before.text === response.text;
  const kept = native.output.filter(
    (item) =>
      !isCall(item) &&
      (item.type !== 'message' || isSameText) &&
      (item.type !== 'reasoning' || before.thinking === response.thinking),
  );
  const text = isSameText || response.text === '' ? [] : [messageOf(response.text)];
  const calls = response.toolCalls.map(({ id, tool, args }): ModelItem => {
    const own = native.output.find((item) => isCall(item) && item.callId === id);
    if (own?.name === tool && sameJson(argsOf(own.arguments ?? '') ?? own.arguments ?? '', args)) return own;
    const call = {
      type: 'function_call',
      callId: id,
      name: tool,
      status: 'completed',
      arguments: JSON.stringify(args),
    };
    return { ...own, ...call };
  });
  return { ...native, output: [...kept, ...text, ...calls] };
}

/** The answer that the SDK gets if a hook rejected the model call: its text says why. */
export function rejectedAnswer(reason: string): ModelResponse {
  const counts = { requests: 0, inputTokens: 0, outputTokens: 0, totalTokens: 0 };
  // The SDK sums up the details for its traces.
  const usage = { ...counts, inputTokensDetails: [], outputTokensDetails: [] };
  return { output: [messageOf(reason)], usage };
}

/** A complete answer as a stream. */
export function streamOf(answer: ModelResponse): readonly StreamEvent[] {
  const { responseId, ...rest } = answer;
  const text = textOf(answer.output, 'message');
  return [
    { type: 'response_started' },
    ...(text === '' ? [] : [{ type: 'output_text_delta', delta: text }]),
    { type: 'response_done', response: { id: responseId ?? '', ...rest } },
  ];
}

/** The answer at the end of a stream. */
export function answerIn(events: readonly StreamEvent[]): ModelResponse {
  const done = events.findLast(({ type }) => type === 'response_done')?.response;
  if (done === undefined) return { output: [], usage: {} };
  const { id, ...answer } = done;
  return { ...answer, responseId: id };
}
