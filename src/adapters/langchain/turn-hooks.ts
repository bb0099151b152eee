/**
 * Calls hooks before and after a turn. `beforeAgent` and `afterAgent` are nodes of the graph, which appear in streams, so
 * they are added only if there are such hooks.
 */

import { BridleError } from '../../kernel/errors.ts';
import type { PointName } from '../../kernel/hooks/points/points.ts';
import type { Media, Prompt, TurnOutput } from '../../kernel/hooks/points/payloads.ts';
import type { Turn } from '../../kernel/guard/turn.ts';
import type { FrameworkGuard } from '../framework-guard.ts';
import { frameworkName } from './agent-tools.ts';
import { type PlaceOptions, placeOf, turnOf } from './call-place.ts';
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

export class TurnHooks {
  readonly points: readonly PointName[];

  constructor(
    private readonly guard: FrameworkGuard,
    private readonly options: PlaceOptions,
  ) {
    this.points = (['preTurn', 'postTurn'] as const).filter((point) => guard.hasHooks(point));
  }

  /** The fields of the middleware. */
  hooks(): object {
    const before = (state: State, runtime: Runtime): Promise<Update | undefined> => this.enter(state, runtime);
    const after = (state: State, runtime: Runtime): Promise<Update | undefined> => this.review(state, runtime);
    return {
      ...(this.points.includes('preTurn') ? { beforeAgent: { hook: before, canJumpTo: ['end'] } } : {}),
      ...(this.points.includes('postTurn') ? { afterAgent: after } : {}),
    };
  }

  private async enter({ messages }: State, runtime: Runtime): Promise<Update | undefined> {
    const last = messages.at(-1);
    if (last?.getType() !== 'human') return undefined;
    const turn = await this.turn(messages, runtime);
    const prompt = promptOf(last);
    const result = await turn.enter(prompt);
    if (result.type === 'rejected') {
      return { messages: [{ role: 'assistant', content: result.reason }], jumpTo: 'end' };
    }
    return result.prompt.text === prompt.text ? undefined : { messages: [withText(last, 'user', result.prompt.text)] };
  }

  private async review({ messages }: State, runtime: Runtime): Promise<Update | undefined> {
    const last = messages.at(-1);
    if (last?.getType() !== 'ai') return undefined;
    const from = messages.findLastIndex((message) => message.getType() === 'human');
    const turn = await this.turn(messages, runtime);
    const input = from === -1 ? { text: '', media: [] } : promptOf(messages[from] as NativeMessage);
    const output = outputOf(messages.slice(from + 1).filter((message) => message.getType() === 'ai'));
    const result = await turn.dispatch('postTurn', Object.freeze({ input, output }));
    if (result.type === 'failed') throw new BridleError('HOOK_FATAL', result.reason);
    const text = (result.type === 'passed' ? result.payload?.output.text : undefined) ?? output.text;
    return text === output.text ? undefined : { messages: [withText(last, 'assistant', text)] };
  }

  private async turn(messages: State['messages'], runtime: Runtime): Promise<Turn> {
    const place = placeOf(this.guard, runtime, this.options);
    const session = await this.guard.session(frameworkName, place.session);
    return session.turn({ ...place, ...turnOf(messages) });
  }
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
