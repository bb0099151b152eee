/**
 * A model for tests that follows a script, without key, network or latency. It fails on a call that is not in the
 * script.
 */

import type { LanguageModelV4, ModelCallOptions, StreamPart } from '../agent/model/model-interface.ts';
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
  /** Into how many pieces texts, thinking and arguments are split. Default: everything arrives in one piece. */
  readonly chunks?: number | undefined;
  /** The delay before each part of the stream. */
  readonly delayMs?: number | undefined;
  readonly provider?: string | undefined;
  readonly modelId?: string | undefined;
  /** Starts over after the last step, so the script never ends. */
  readonly repeat?: boolean | undefined;
  /** `false` counts calls without recording them, for long tests. */
  readonly keepCalls?: boolean | undefined;
}

/** One recorded call of the model. */
export interface ScriptedCall {
  readonly prompt: ModelCallOptions['prompt'];
  readonly tools: NonNullable<ModelCallOptions['tools']>;
  /** All other settings: temperature, response format, headers… */
  readonly settings: Omit<ModelCallOptions, 'prompt' | 'tools' | 'abortSignal'>;
}

export interface ScriptedModel extends LanguageModelV4 {
  /** Every call in order, including unexpected ones. */
  readonly calls: readonly ScriptedCall[];
  /** Throws if steps are left over, or if there were too few. */
  readonly assertDone: () => void;
}

/** Creates a model with one step for each expected call. */
export function scriptedModel(steps: readonly ScriptedStep[], options: ScriptedModelOptions = {}): ScriptedModel {
  if (!Array.isArray(steps)) {
    const example = `scriptedModel(['text', { toolCalls: [{ tool, args }] }])`;
    throw new BridleError('OPTION_INVALID', `scriptedModel: pass a list of steps, such as ${example}`);
  }
  const script = new Script(steps, options);
  const doStream = async (call: ModelCallOptions) => ({ stream: await script.answer(call) });
  return {
    specificationVersion: 'v4',
    provider: options.provider ?? 'bridle.testing',
    modelId: options.modelId ?? 'scripted',
    supportedUrls: {},
    calls: script.calls,
    assertDone: () => script.assertDone(),
    doStream,
    doGenerate: async (call) => collectStream(await doStream(call)),
  };
}

class Script {
  readonly calls: ScriptedCall[] = [];
  private readonly steps: readonly ScriptedStep[];
  private readonly options: ScriptedModelOptions;
  private callCount = 0;
  private toolCalls = 0;

  constructor(steps: readonly ScriptedStep[], options: ScriptedModelOptions) {
    this.steps = steps;
    this.options = options;
  }

  async answer(call: ModelCallOptions): Promise<ReadableStream<StreamPart>> {
    const step = this.next(call);
    throwIfAborted(call.abortSignal);
    const answer = typeof step === 'function' ? await step(call) : step;
    if (typeof answer === 'object' && 'error' in answer) throw answer.error;
    const reply: ScriptedReply = typeof answer === 'string' ? { text: answer } : answer;
    const delayMs = reply.delayMs ?? this.options.delayMs ?? 0;
    if (delayMs > 0) await abortableDelay(delayMs, call.abortSignal);
    if (isSilent(answer)) return rejectOnAbort(call.abortSignal);
    const split = createSplitter(reply.chunks ?? this.options.chunks);
    const { parts, ending } = this.streamPartsFor(reply, split);
    return createPartStream(parts, { ending, delayMs, preloaded: split === undefined, signal: call.abortSignal });
  }

  assertDone(): void {
    if (this.options.repeat === true) return;
    const left = this.steps.length - this.callCount;
    if (left > 0) {
      const unused = this.steps
        .slice(this.callCount)
        .map((step, index) => `step ${this.callCount + index + 1}: ${describeStep(step)}`);
      throw new BridleError(
        'SCRIPT_FAILED',
        `${left} of ${this.steps.length} scripted steps were not used: ${unused.join('; ')}`,
        {
          problems: unused,
        },
      );
    }
    // The error of an unexpected call may have been handled as a model failure, so it is reported here again.
    if (left < 0)
      throw new BridleError('SCRIPT_FAILED', `the model was called ${-left} times more than the script has steps`);
  }

  private next(options: ModelCallOptions): ScriptedStep {
    const { prompt, tools = [], abortSignal: _, ...settings } = options;
    this.callCount += 1;
    if (this.options.keepCalls !== false) this.calls.push({ prompt: [...prompt], tools, settings });
    const { length } = this.steps;
    const step = this.steps[this.options.repeat === true ? (this.callCount - 1) % length : this.callCount - 1];
    if (step !== undefined) return step;
    throw new BridleError(
      'SCRIPT_FAILED',
      `unexpected model call ${this.callCount}: the script has only ${length} steps. The call was ${describeCall(options)}`,
    );
  }

  private streamPartsFor(
    reply: ScriptedReply,
    split: TextSplitter | undefined,
  ): { parts: StreamPart[]; ending: StreamEnding } {
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

/** Cuts the stream in its last text, or in the arguments of its last tool call. */
function cutInMiddle(parts: StreamPart[]): StreamPart[] {
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

function describeCall({ prompt, tools = [] }: ModelCallOptions): string {
  const last = prompt.at(-1);
  const content = JSON.stringify(last?.content)?.slice(0, 200) ?? 'nothing';
  return `${last?.role ?? 'nobody'}: ${content}, tools: ${tools.map(({ name }) => name).join(', ') || 'none'}`;
}

function describeStep(step: ScriptedStep): string {
  if (typeof step === 'function') return 'a function';
  if (typeof step === 'object' && 'error' in step) return 'an error';
  return JSON.stringify(step).slice(0, 200);
}
