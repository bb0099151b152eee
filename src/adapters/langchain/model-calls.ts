/** Guards the model calls of an agent: hooks at `preLlmCall`, `postLlmCall` and `onLlmError` see and change them. */

import { BridleError } from '../../kernel/errors.ts';
import type { Turn } from '../../kernel/guard/turn.ts';
import type { LlmRequest, Message } from '../../kernel/hooks/points/payloads.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { guardModelCall, hasModelHooks } from '../model-call.ts';
import { type GuardedAgent, nameOf } from './agent.ts';
import { partsOf, responseOf, toMessage, toNative, withResponse } from './model-messages.ts';
import { langChain, type ModelRequest, type NativeMessage, type NativeTool } from './native.ts';

type Handler = (request: ModelRequest) => Promise<unknown>;

/** An answer with structured output, or the model's message. */
interface Answer {
  readonly result: unknown;
  readonly message: NativeMessage;
}

/** `wrapModelCall` of the middleware. */
export async function guardModelRequest(
  agent: GuardedAgent,
  request: ModelRequest,
  handler: Handler,
): Promise<unknown> {
  agent.offer((request.tools ?? []) as readonly NativeTool[]);
  const place = agent.placeOf(request.runtime, request.state.messages);
  const opening = agent.session(place);
  const turn = (opening instanceof Promise ? await opening : opening).turn(place);
  const held = holdsText(turn) ? withoutStream(request) : request;
  if (!hasModelHooks(turn)) return checked(agent, await handler(held)).result;
  const model = modelNameOf(request.model);
  const guarded = await guardModelCall<Answer>(turn, requestOf(request, model), async (sent, isChanged) => {
    const native = checked(agent, await handler(isChanged ? changedRequest(held, sent) : held));
    return { native, response: responseOf(native.message, model) };
  });
  if (guarded.type === 'rejected') {
    const { AIMessage } = await langChain();
    return new AIMessage({ content: guarded.reason, response_metadata: { finish_reason: 'content_filter' } });
  }
  const { native, response, isChanged } = guarded;
  if (!isChanged) return native.result;
  if (native.result === native.message) return withResponse(native.message, response);
  throw new BridleError('LLM_FAILED', 'a hook changed an answer with structured output, which cannot be changed');
}

/** Refuses an answer for which the provider has run tools. */
function checked(agent: GuardedAgent, result: unknown): Answer {
  const { messages = [] } = result as { readonly messages?: readonly NativeMessage[] };
  const message = messages.find((each) => each.getType() === 'ai') ?? (result as NativeMessage);
  if (typeof message.getType === 'function') agent.checkAnswer(partsOf(message));
  return { result, message };
}

/** If a hook may change the answer, its text is held back until the hook has seen all of it. */
function holdsText(turn: Turn): boolean {
  return turn.canAnswer('postLlmCall') || turn.canAnswer('postTurn');
}

function withoutStream(request: ModelRequest): ModelRequest {
  const model = request.model as { withConfig?(config: object): unknown };
  if (typeof model.withConfig !== 'function') {
    throw new BridleError('FRAMEWORK_UNSUPPORTED', 'the text of this model cannot be held back: it has no withConfig');
  }
  return { ...request, model: model.withConfig({ tags: ['langsmith:nostream'] }) };
}

function requestOf(
  { systemPrompt, messages, tools = [], modelSettings = {} }: ModelRequest,
  model: string,
): LlmRequest {
  const system: Message[] = systemPrompt ? [{ role: 'system', content: systemPrompt }] : [];
  return {
    model,
    messages: [...system, ...(messages as readonly NativeMessage[]).map(toMessage)],
    tools: (tools as readonly NativeTool[]).map((tool) => ({
      name: nameOf(tool),
      description: typeof tool.description === 'string' ? tool.description : undefined,
    })),
    settings: modelSettings as JsonObject,
  };
}

function changedRequest(request: ModelRequest, { messages, tools, settings }: LlmRequest): ModelRequest {
  const system = messages[0]?.role === 'system' && request.systemPrompt ? messages[0] : undefined;
  const listed = new Set(tools.map(({ name }) => name));
  const prompt = typeof system?.content === 'string' ? system.content : JSON.stringify(system?.content ?? '');
  return {
    ...request,
    messages: toNative(system === undefined ? messages : messages.slice(1), request.messages as NativeMessage[]),
    tools: (request.tools as readonly NativeTool[] | undefined)?.filter((tool) => listed.has(nameOf(tool))),
    modelSettings: { ...request.modelSettings, ...settings },
    ...(request.systemPrompt ? { systemPrompt: system === undefined ? '' : prompt } : {}),
  };
}

function modelNameOf(model: unknown): string {
  const { model: name, modelName, _llmType: type } = model as Readonly<Record<string, unknown>>;
  const found = [name, modelName].find((each) => typeof each === 'string' && each !== '');
  return String(found ?? (typeof type === 'function' ? (type as () => unknown).call(model) : 'unknown'));
}
