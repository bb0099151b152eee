/** The model calls of a Strands agent: hooks check the request, the error and the answer. */

import { BridleError } from '../../kernel/errors.ts';
import type { Turn } from '../../kernel/guard/turn.ts';
import type { LlmRequest, LlmResponse, Message, MessagePart } from '../../kernel/hooks/points/payloads.ts';
import { type JsonObject, type JsonValue, sameJson } from '../../kernel/json.ts';
import { guardModelCall } from '../model-call.ts';
import { drain, streamWork } from '../streamed-work.ts';
import type { MessageData, ModelEvent, ModelResult, ModelStage, Next, Step, StrandsMessage } from './strands-types.ts';

type Answered = { readonly result: ModelResult };

/** If a hook may change the answer, its events are held back until the hook has seen all of it. */
export async function* callModel(turn: Turn, stage: ModelStage, next: Next<ModelStage, Answered>): Step<Answered> {
  const isHeld = turn.canAnswer('postLlmCall');
  let held: ModelEvent[] = [];
  const called = yield* streamWork<unknown, Awaited<ReturnType<typeof guardModelCall<ModelResult>>>>((emit, closed) =>
    guardModelCall(turn, requestOf(stage), async (request, isChanged) => {
      held = [];
      const keep = (event: unknown): void => void held.push(event as ModelEvent);
      const sent = isChanged ? withRequest(stage, request) : stage;
      const { result: native } = await drain(next(sent), isHeld ? keep : emit, closed);
      return { native, response: responseOf(native, modelKeyOf(stage)) };
    }),
  );
  if (called.type === 'answered' && !called.isChanged) {
    yield* held;
    return { result: called.native };
  }
  const result =
    called.type === 'rejected'
      ? rejectedAnswer(stage, called.reason)
      : withResponse(stage, called.native, called.response);
  yield* eventsOf(held, result);
  return { result };
}

function modelKeyOf({ model }: ModelStage): string {
  return model.modelId ?? model.getConfig?.().modelId ?? 'unknown';
}

/** A block such as `{ text }` or `{ toolUse }` becomes a part of this type. */
function requestOf(stage: ModelStage): LlmRequest {
  const system = systemOf(stage);
  return {
    model: modelKeyOf(stage),
    messages: [
      ...(system === undefined ? [] : [system]),
      ...stage.messages.map((message) => ({ role: message.role, content: blocksOf(message).map(partOf) })),
    ],
    tools: stage.toolSpecs.map(({ name, description, inputSchema }) => ({ name, description, inputSchema })),
    settings: {},
  };
}

function systemOf({ systemPrompt }: ModelStage): Message | undefined {
  if (systemPrompt === undefined || typeof systemPrompt === 'string') {
    return systemPrompt === undefined ? undefined : { role: 'system', content: systemPrompt };
  }
  return { role: 'system', content: systemPrompt.map((block) => partOf(block.toJSON())) };
}

function partOf(block: JsonObject): MessagePart {
  const [type = 'unknown'] = Object.keys(block);
  return { type, ...block };
}

function blocksOf({ content }: Pick<StrandsMessage, 'content'>): readonly JsonObject[] {
  return content.map((block) => block.toJSON());
}

/** The context of a request that hooks have changed. */
function withRequest(stage: ModelStage, { messages, tools }: LlmRequest): ModelStage {
  const listed = new Set(tools.map(({ name }) => name));
  const system = messages.filter(({ role }) => role === 'system');
  const before = systemOf(stage);
  const isSame = system.length === 1 && sameJson(before as unknown as JsonValue, system[0] as unknown as JsonValue);
  const systemPrompt = isSame ? stage.systemPrompt : system.map(textIn).join('\n');
  const { systemPrompt: _, ...rest } = stage;
  return {
    ...rest,
    ...(system.length === 0 ? {} : { systemPrompt }),
    messages: messages
      .filter(({ role }) => role !== 'system')
      .map(({ role, content }) =>
        messageOf(stage, { role: role === 'assistant' ? role : 'user', content: nativeBlocks(content) }),
      ),
    toolSpecs: stage.toolSpecs.filter(({ name }) => listed.has(name)),
  };
}

function nativeBlocks(content: Message['content']): readonly JsonObject[] {
  if (typeof content === 'string') return [{ text: content }];
  return content.map(({ type: _type, ...block }) => block as JsonObject);
}

function textIn({ content }: Message): string {
  return typeof content === 'string' ? content : content.map(({ text }) => stringOf(text)).join('');
}

/** A message of the framework's own class. */
function messageOf({ messages }: ModelStage, data: MessageData): StrandsMessage {
  const [known] = messages;
  if (known === undefined) throw new BridleError('LLM_FAILED', 'the request has no messages');
  return (known.constructor as unknown as { fromMessageData(data: MessageData): StrandsMessage }).fromMessageData(data);
}

function responseOf({ message, stopReason, metadata }: ModelResult, model: string): LlmResponse {
  const blocks = blocksOf(message);
  const usage = metadata?.usage;
  return {
    text: blocks.map(({ text }) => stringOf(text)).join(''),
    thinking: blocks.map(({ reasoning }) => stringOf((reasoning as JsonObject | undefined)?.['text'])).join(''),
    toolCalls: blocks.flatMap(({ toolUse }) => (toolUse === undefined ? [] : [callOf(toolUse as JsonObject)])),
    usage: {
      inputTokens: usage?.['inputTokens'] ?? 0,
      outputTokens: usage?.['outputTokens'] ?? 0,
      cachedInputTokens: usage?.['cacheReadInputTokens'] ?? 0,
      cacheCreationTokens: usage?.['cacheWriteInputTokens'] ?? 0,
    },
    model,
    finishReason: stopReason,
  };
}

function callOf({ toolUseId, name, input }: JsonObject): LlmResponse['toolCalls'][number] {
  return { id: stringOf(toolUseId), tool: stringOf(name), args: input ?? {} };
}

function stringOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** The answer with what the hooks changed. Blocks that they did not change stay as they are. */
function withResponse(stage: ModelStage, native: ModelResult, response: LlmResponse): ModelResult {
  const before = responseOf(native, response.model);
  const blocks = blocksOf(native.message);
  const kept = blocks.filter(
    ({ text, reasoning, toolUse }) =>
      toolUse === undefined &&
      (text === undefined || before.text === response.text) &&
      (reasoning === undefined || before.thinking === response.thinking),
  );
  const text = before.text === response.text || response.text === '' ? [] : [{ text: response.text }];
  const calls = response.toolCalls.map(({ id, tool, args }): JsonObject => {
    const own = blocks.find(({ toolUse }) => (toolUse as JsonObject | undefined)?.['toolUseId'] === id);
    const same = own !== undefined && sameJson(callOf(own['toolUse'] as JsonObject) as never, { id, tool, args });
    return same ? own : { toolUse: { name: tool, toolUseId: id, input: args } };
  });
  const ended = native.stopReason === 'toolUse' ? 'endTurn' : native.stopReason;
  return {
    ...native,
    message: messageOf(stage, { ...native.message.toJSON(), content: [...kept, ...text, ...calls] }),
    stopReason: calls.length > 0 ? 'toolUse' : ended,
  };
}

/** The answer that Strands gets if a hook rejected the model call: its text says why. */
function rejectedAnswer(stage: ModelStage, reason: string): ModelResult {
  return {
    message: messageOf(stage, { role: 'assistant', content: [{ text: reason }] }),
    stopReason: 'guardrailIntervened',
  };
}

/** The events that were held back, with the blocks that the answer has now. */
function eventsOf(held: readonly ModelEvent[], { message }: ModelResult): readonly ModelEvent[] {
  const update = held.find(isDelta);
  const whole = held.find(({ contentBlock }) => contentBlock !== undefined);
  if (update === undefined || whole === undefined) return [];
  const first = held.findIndex(isContent);
  const blocks = message.content.flatMap((block) => [
    ...modelEventsOf(block.toJSON()).map((event) => eventLike(update, { event })),
    eventLike(whole, { contentBlock: block }),
  ]);
  return [...held.slice(0, first), ...blocks, ...held.slice(first).filter((event) => !isContent(event))];
}

function isDelta({ event }: ModelEvent): boolean {
  return event?.type.startsWith('modelContentBlock') === true;
}

function isContent(event: ModelEvent): boolean {
  return event.contentBlock !== undefined || isDelta(event);
}

/** An event of the same class with other fields. */
function eventLike(event: ModelEvent, fields: object): ModelEvent {
  return new (event.constructor as new (data: object) => ModelEvent)({ ...event, ...fields });
}

function modelEventsOf({ text, toolUse }: JsonObject): readonly { readonly type: string }[] {
  if (text === undefined && toolUse === undefined) return [];
  const { name, toolUseId, input = {} } = (toolUse ?? {}) as JsonObject;
  const isCall = toolUse !== undefined;
  const start = isCall ? { start: { type: 'toolUseStart', name, toolUseId } } : {};
  const delta = isCall ? { type: 'toolUseInputDelta', input: JSON.stringify(input) } : { type: 'textDelta', text };
  return [
    Object.assign({ type: 'modelContentBlockStartEvent' }, start),
    Object.assign({ type: 'modelContentBlockDeltaEvent' }, { delta }),
    { type: 'modelContentBlockStopEvent' },
  ];
}
