/** A model that follows a script: no key, no network, no latency; a call that is not in the script fails. */

import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { BridleError } from '../kernel/errors.ts';
import {
  type StreamEnding,
  createPartStream,
  throwIfAborted,
  rejectOnAbort,
  abortableDelay,
} from '../agent/model/part-stream.ts';
import type { ScriptedAnswer, ScriptedReply, ScriptedStep } from './scripted-reply.ts';
import { toStreamedCall, toModelUsage } from './scripted-reply.ts';
import {
  collectStream,
  finishPart,
  replyParts,
  type TextSplitter,
  type StreamedReply,
} from '../agent/model/streamed-reply.ts';

export interface ScriptedModelOptions {
  /** Into how many pieces every text, thinking and arguments are cut; one piece that arrives at once unless given. */
  readonly chunks?: number | undefined;
  /** How long to wait before each part of the stream. */
  readonly delayMs?: number | undefined;
  readonly provider?: string | undefined;
  readonly modelId?: string | undefined;
  /** Starts over after the last step: the script never ends. */
  readonly repeat?: boolean | undefined;
  /** `false` counts the calls and keeps none, for long runs. */
  readonly keepCalls?: boolean | undefined;
}

/** What the model was asked in one call. */
export interface ScriptedCall {
  readonly prompt: LanguageModelV4CallOptions['prompt'];
  readonly tools: NonNullable<LanguageModelV4CallOptions['tools']>;
  /** Everything else: temperature, response format, headers… */
  readonly settings: Omit<LanguageModelV4CallOptions, 'prompt' | 'tools' | 'abortSignal'>;
}

export interface ScriptedModel extends LanguageModelV4 {
  /** Every call, in order, those that were not in the script too. */
  readonly calls: readonly ScriptedCall[];
  /** An error if steps are left over, or did not suffice. */
  readonly assertDone: () => void;
}

/** A model with one step for each call it will get. */
export function scriptedModel(steps: readonly ScriptedStep[], options: ScriptedModelOptions = {}): ScriptedModel {
  if (!Array.isArray(steps)) {
    const example = `scriptedModel(['text', { toolCalls: [{ tool, args }] }])`;
    throw new BridleError('OPTION_INVALID', `scriptedModel takes a list of steps: ${example}`);
  }
  const script = new Script(steps, options);
  const doStream = async (asked: LanguageModelV4CallOptions) => ({ stream: await script.answer(asked) });
  return {
    specificationVersion: 'v4',
    provider: options.provider ?? 'bridle.testing',
    modelId: options.modelId ?? 'scripted',
    supportedUrls: {},
    calls: script.calls,
    assertDone: () => script.assertDone(),
    doStream,
    doGenerate: async (asked) => collectStream(await doStream(asked)),
  };
}

class Script {
  readonly calls: ScriptedCall[] = [];
  private readonly steps: readonly ScriptedStep[];
  private readonly options: ScriptedModelOptions;
  private asked = 0;
  private toolCalls = 0;

  constructor(steps: readonly ScriptedStep[], options: ScriptedModelOptions) {
    this.steps = steps;
    this.options = options;
  }

  async answer(asked: LanguageModelV4CallOptions): Promise<ReadableStream<LanguageModelV4StreamPart>> {
    const step = this.next(asked);
    throwIfAborted(asked.abortSignal);
    const answer = typeof step === 'function' ? await step(asked) : step;
    if (typeof answer === 'object' && 'error' in answer) throw answer.error;
    const reply: ScriptedReply = typeof answer === 'string' ? { text: answer } : answer;
    const delayMs = reply.delayMs ?? this.options.delayMs ?? 0;
    if (delayMs > 0) await abortableDelay(delayMs, asked.abortSignal);
    if (isSilent(answer)) return rejectOnAbort(asked.abortSignal);
    const split = createSplitter(reply.chunks ?? this.options.chunks);
    const { parts, ending } = this.streamPartsFor(reply, split);
    return createPartStream(parts, { ending, delayMs, preloaded: split === undefined, signal: asked.abortSignal });
  }

  assertDone(): void {
    if (this.options.repeat === true) return;
    const left = this.steps.length - this.asked;
    if (left > 0) {
      const open = this.steps
        .slice(this.asked)
        .map((step, index) => `step ${this.asked + index + 1}: ${describeStep(step)}`);
      throw new BridleError('SCRIPT_FAILED', `the model was not asked for ${left} steps: ${open.join('; ')}`, {
        problems: open,
      });
    }
    // What was thrown at a call too many may have been caught as a model's failure.
    if (left < 0) throw new BridleError('SCRIPT_FAILED', `${-left} calls of the model were not in the script`);
  }

  private next(asked: LanguageModelV4CallOptions): ScriptedStep {
    const { prompt, tools = [], abortSignal: _, ...settings } = asked;
    this.asked += 1;
    if (this.options.keepCalls !== false) this.calls.push({ prompt: [...prompt], tools, settings });
    const { length } = this.steps;
    const step = this.steps[this.options.repeat === true ? (this.asked - 1) % length : this.asked - 1];
    if (step !== undefined) return step;
    throw new BridleError(
      'SCRIPT_FAILED',
      `call ${this.asked} of the model is not in the script of ${length} steps; asked: ${describeCall(asked)}`,
    );
  }

  private streamPartsFor(
    reply: ScriptedReply,
    split: TextSplitter | undefined,
  ): { parts: LanguageModelV4StreamPart[]; ending: StreamEnding } {
    const { toolCalls = [] } = reply;
    const streamed: StreamedReply = {
      thinking: reply.thinking ?? '',
      text: reply.text ?? '',
      toolCalls: toolCalls.map((call) => toStreamedCall(call, () => `call-${(this.toolCalls += 1)}`)),
      responseId: reply.responseId,
      finishReason: reply.finishReason ?? (toolCalls.length > 0 ? 'tool-calls' : 'stop'),
      usage: toModelUsage(reply.usage),
    };
    if (!('cut' in reply) && reply.hang !== true) {
      const parts = replyParts(streamed, split);
      parts.push(finishPart(streamed));
      return { parts, ending: { type: 'close' } };
    }
    const parts = cutInMiddle(replyParts(streamed, split ?? halves));
    if (reply.hang === true) return { parts, ending: { type: 'hang' } };
    if (reply.cutBy !== 'part') return { parts, ending: { type: 'break', error: reply.cut } };
    parts.push({ type: 'error', error: reply.cut }, finishPart({ ...streamed, finishReason: 'error' }));
    return { parts, ending: { type: 'close' } };
  }
}

/** Without the end of what was streamed last: a text stays open, the last tool call lacks half of its arguments. */
function cutInMiddle(parts: LanguageModelV4StreamPart[]): LanguageModelV4StreamPart[] {
  if (parts.at(-1)?.type !== 'tool-call') return parts.slice(0, Math.max(1, parts.length - 1));
  const start = parts.findLastIndex(({ type }) => type === 'tool-input-start');
  return parts.slice(0, start + 1 + Math.ceil((parts.length - start - 3) / 2));
}

function isSilent(answer: ScriptedAnswer): boolean {
  if (typeof answer === 'string' || !('hang' in answer) || answer.hang !== true) return false;
  return answer.text === undefined && answer.thinking === undefined && answer.toolCalls === undefined;
}

function createSplitter(count: number | undefined): TextSplitter | undefined {
  if (count === undefined || count < 1) return undefined;
  return (text) => {
    const characters = Array.from(text);
    const size = Math.max(1, Math.ceil(characters.length / count));
    const pieces: string[] = [];
    for (let at = 0; at < characters.length; at += size) pieces.push(characters.slice(at, at + size).join(''));
    return pieces;
  };
}

const halves = createSplitter(2);

function describeCall({ prompt, tools = [] }: LanguageModelV4CallOptions): string {
  const last = prompt.at(-1);
  const content = JSON.stringify(last?.content)?.slice(0, 200) ?? 'nothing';
  return `${last?.role ?? 'nobody'}: ${content}, tools: ${tools.map(({ name }) => name).join(', ') || 'none'}`;
}

function describeStep(step: ScriptedStep): string {
  if (typeof step === 'function') return 'a function';
  if (typeof step === 'object' && 'error' in step) return 'an error';
  return JSON.stringify(step).slice(0, 200);
}
