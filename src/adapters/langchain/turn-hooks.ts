/**
 * Calls hooks before and after a turn. `beforeAgent` and `afterAgent` are nodes of the graph, which appear in streams, so
 * they are added only if there are such hooks.
 */

import { BridleError } from '../../kernel/errors.ts';
import type { PointName } from '../../kernel/hooks/points/points.ts';
import type { Media, Prompt, TurnOutput } from '../../kernel/hooks/points/payloads.ts';
import type { FrameworkGuard } from '../framework-guard.ts';
import type { GuardedAgent } from './agent.ts';
import { responseOf } from './model-messages.ts';
import { firstText, type NativeMessage, type NativePart, type Runtime } from './native.ts';

interface State {
  readonly messages: readonly NativeMessage[];
}

/** What changes in the state: messages with the id of a known one replace it. */
interface Update {
  readonly messages: readonly object[];
  readonly jumpTo?: 'end';
}

/** The points of turns at which the code has hooks. */
export function turnPoints(guard: FrameworkGuard): readonly PointName[] {
  return (['preTurn', 'postTurn'] as const).filter((point) => guard.hasHooks(point));
}

/** The fields of the middleware. */
export function turnHooks(agent: GuardedAgent): object {
  const points = turnPoints(agent.guard);
  const before = (state: State, runtime: Runtime): Promise<Update | undefined> => enter(agent, state, runtime);
  const after = (state: State, runtime: Runtime): Promise<Update | undefined> => review(agent, state, runtime);
  return {
    ...(points.includes('preTurn') ? { beforeAgent: { hook: before, canJumpTo: ['end'] } } : {}),
    ...(points.includes('postTurn') ? { afterAgent: after } : {}),
  };
}

async function enter(agent: GuardedAgent, { messages }: State, runtime: Runtime): Promise<Update | undefined> {
  const last = messages.at(-1);
  if (last?.getType() !== 'human') return undefined;
  const place = agent.placeOf(runtime, messages);
  const turn = (await agent.session(place)).turn(place);
  const prompt = promptOf(last);
  const result = await turn.enter(prompt);
  if (result.type === 'rejected') {
    return { messages: [{ role: 'assistant', content: result.reason }], jumpTo: 'end' };
  }
  return result.prompt.text === prompt.text ? undefined : { messages: [withText(last, 'user', result.prompt.text)] };
}

async function review(agent: GuardedAgent, { messages }: State, runtime: Runtime): Promise<Update | undefined> {
  const last = messages.at(-1);
  if (last?.getType() !== 'ai') return undefined;
  const from = messages.findLastIndex((message) => message.getType() === 'human');
  const place = agent.placeOf(runtime, messages);
  const turn = (await agent.session(place)).turn(place);
  const input = from === -1 ? { text: '', media: [] } : promptOf(messages[from] as NativeMessage);
  const output = outputOf(messages.slice(from + 1).filter((message) => message.getType() === 'ai'));
  const result = await turn.dispatch('postTurn', Object.freeze({ input, output }));
  if (result.type === 'failed') throw new BridleError('HOOK_FATAL', result.reason);
  const text = (result.type === 'passed' ? result.payload?.output.text : undefined) ?? output.text;
  return text === output.text ? undefined : { messages: [withText(last, 'assistant', text)] };
}

function promptOf({ text, content }: NativeMessage): Prompt {
  const parts = typeof content === 'string' ? [] : content.filter(({ type }) => type !== 'text');
  return { text, media: parts.map(mediaOf) };
}

function mediaOf(part: NativePart): Media {
  const { mimeType, mime_type: other, data, type } = part;
  const mediaType = firstText(mimeType, other) ?? type;
  return { mediaType, data: typeof data === 'string' || data instanceof Uint8Array ? data : JSON.stringify(part) };
}

function withText({ id, content }: NativeMessage, role: string, text: string): object {
  if (typeof content === 'string') return { role, id, content: text };
  return { role, id, content: [...content.filter(({ type }) => type !== 'text'), { type: 'text', text }] };
}

function outputOf(answers: readonly NativeMessage[]): TurnOutput {
  const all = answers.map((message) => responseOf(message, 'unknown'));
  const last = all.at(-1);
  const sum = (field: keyof TurnOutput['usage']): number => all.reduce((total, { usage }) => total + usage[field], 0);
  return {
    text: last?.text ?? '',
    thinking: last?.thinking ?? '',
    steps: all.length,
    usage: {
      inputTokens: sum('inputTokens'),
      outputTokens: sum('outputTokens'),
      cachedInputTokens: sum('cachedInputTokens'),
      cacheCreationTokens: sum('cacheCreationTokens'),
    },
    stopReason: last?.finishReason ?? 'stop',
  };
}
