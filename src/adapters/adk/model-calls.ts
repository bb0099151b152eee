/** The model calls of ADK: hooks check the request, the error and the answer. */

import type { Turn } from '../../kernel/guard/turn.ts';
import type { LlmRequest, LlmResponse, Message } from '../../kernel/hooks/points/payloads.ts';
import { type JsonObject, sameJson } from '../../kernel/json.ts';
import { guardModelCall, type ModelCallResult } from '../model-call.ts';
import { drain, streamWork } from '../streamed-work.ts';
import type { AdkContent, AdkPart, AdkRequest, AdkResponse, AdkToolEntry } from './adk-types.ts';

export type Responses = AsyncGenerator<AdkResponse, void, undefined>;

/** A model, and how to call it with a request. */
export interface CalledModel {
  readonly name: string;
  readonly generate: (request: AdkRequest) => Responses;
}

/** If a hook may change the answer, its text is held back until the hook has seen all of it. */
export async function* callModel(turn: Turn, request: AdkRequest, { name, generate }: CalledModel): Responses {
  const isHeld = turn.canAnswer('postLlmCall');
  const called = yield* streamWork<AdkResponse, ModelCallResult<readonly AdkResponse[]>>((emit, closed) =>
    guardModelCall(turn, requestOf(request, name), async (asked, isChanged) => {
      const native: AdkResponse[] = [];
      const keep = (response: AdkResponse): void => {
        native.push(response);
        if (!isHeld) emit(response);
      };
      await drain(generate(isChanged ? withRequest(request, asked) : request), keep, closed);
      return { native, response: responseOf(native, name) };
    }),
  );
  if (called.type === 'rejected') yield { content: { role: 'model', parts: [{ text: called.reason }] } };
  else if (called.isChanged) yield* withResponse(called.native, called.response);
  else if (isHeld) yield* called.native;
}

/** A part such as `{ functionCall }` gets the name of its field as its type. */
function requestOf({ contents, config }: AdkRequest, model: string): LlmRequest {
  const system = systemTextOf(config?.systemInstruction);
  return {
    model,
    messages: [
      ...(system === '' ? [] : [{ role: 'system' as const, content: system }]),
      ...contents.map(({ role, parts = [] }) => ({
        role: role === 'model' ? ('assistant' as const) : ('user' as const),
        content: parts.map((part) => ({ type: Object.keys(part)[0] ?? 'unknown', ...part })),
      })),
    ],
    tools: (config?.tools ?? [])
      .flatMap(({ functionDeclarations = [] }) => functionDeclarations)
      .map(({ name, description, parameters, parametersJsonSchema }) => ({
        name,
        description,
        inputSchema: parametersJsonSchema ?? parameters,
      })),
    settings: {},
  };
}

function systemTextOf(instruction: unknown): string {
  if (typeof instruction === 'string') return instruction;
  if (Array.isArray(instruction)) return instruction.map(systemTextOf).join('\n');
  const { text, parts } = (instruction ?? {}) as { readonly text?: string; readonly parts?: readonly unknown[] };
  return text ?? (parts ?? []).map(systemTextOf).join('\n');
}

function withRequest(request: AdkRequest, { messages, tools }: LlmRequest): AdkRequest {
  const listed = new Set(tools.map(({ name }) => name));
  const system = messages.filter(({ role }) => role === 'system').map(({ content }) => systemTextOf(content));
  return {
    ...request,
    contents: messages.filter(({ role }) => role !== 'system').map(contentOf),
    config: {
      ...request.config,
      ...(system.length === 0 ? { systemInstruction: undefined } : { systemInstruction: system.join('\n') }),
      ...(request.config?.tools === undefined
        ? {}
        : { tools: request.config.tools.flatMap((entry) => keep(entry, listed)) }),
    },
  };
}

function keep(entry: AdkToolEntry, listed: ReadonlySet<string>): readonly AdkToolEntry[] {
  if (entry.functionDeclarations === undefined) return [entry];
  const functionDeclarations = entry.functionDeclarations.filter(({ name }) => listed.has(name));
  return functionDeclarations.length === 0 ? [] : [{ ...entry, functionDeclarations }];
}

function contentOf({ role, content }: Message): AdkContent {
  const parts = typeof content === 'string' ? [{ text: content }] : content.map(({ type: _type, ...part }) => part);
  return { role: role === 'assistant' ? 'model' : 'user', parts };
}

/** Parts of a stream are repeated in the whole answer. */
function partsOf(native: readonly AdkResponse[]): readonly AdkPart[] {
  return native.filter(({ partial }) => partial !== true).flatMap(({ content }) => content?.parts ?? []);
}

function responseOf(native: readonly AdkResponse[], model: string): LlmResponse {
  const parts = partsOf(native);
  const last = native.at(-1);
  const count = (field: string): number => Number(last?.usageMetadata?.[field] ?? 0);
  const textOf = (isThought: boolean): string =>
    parts.map(({ text = '', thought = false }) => (thought === isThought ? text : '')).join('');
  return {
    text: textOf(false),
    thinking: textOf(true),
    toolCalls: parts.flatMap(({ functionCall: call }) =>
      call === undefined ? [] : [{ id: call.id ?? '', tool: call.name ?? '', args: call.args ?? {} }],
    ),
    usage: {
      inputTokens: count('promptTokenCount'),
      outputTokens: count('candidatesTokenCount'),
      cachedInputTokens: count('cachedContentTokenCount'),
      cacheCreationTokens: 0,
    },
    model,
    finishReason: last?.finishReason ?? 'STOP',
  };
}

/** The answer with what the hooks changed, as one response. Parts that they did not change stay as they are. */
function withResponse(native: readonly AdkResponse[], response: LlmResponse): readonly AdkResponse[] {
  const before = responseOf(native, response.model);
  const parts = partsOf(native);
  const kept = parts.filter(
    ({ text, thought, functionCall }) =>
      functionCall === undefined &&
      (text === undefined ||
        (thought === true ? before.thinking === response.thinking : before.text === response.text)),
  );
  const text = before.text === response.text || response.text === '' ? [] : [{ text: response.text }];
  const calls = response.toolCalls.map(({ id, tool, args }): AdkPart => {
    const own = parts.find(
      ({ functionCall: call }) =>
        call !== undefined && (call.id ?? '') === id && call.name === tool && sameJson(call.args ?? {}, args),
    );
    return own ?? { functionCall: { ...(id === '' ? {} : { id }), name: tool, args: args as JsonObject } };
  });
  const whole = { ...native.at(-1), content: { role: 'model', parts: [...kept, ...text, ...calls] } };
  const isStreamed = native.some(({ partial }) => partial === true) && response.text !== '';
  return [
    ...(isStreamed ? [{ content: { role: 'model', parts: [{ text: response.text }] }, partial: true }] : []),
    whole,
  ];
}
