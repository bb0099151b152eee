/** The calls of a model with the AI SDK's interface. Frameworks with such models share this. */

import type {
  ModelCallOptions,
  GeneratedAnswer,
  StreamPart,
  StreamedAnswer,
} from '../../agent/model/model-interface.ts';
import { modelKeyOf, toPrompt } from '../../agent/model/language-model.ts';
import type { Turn } from '../../kernel/guard/turn.ts';
import type { LlmRequest, Message } from '../../kernel/hooks/points/payloads.ts';
import type { JsonObject } from '../../kernel/json.ts';
import type { MaybePromise } from '../../kernel/maybe-promise.ts';
import { guardModelCall, hasModelHooks, type ModelCallResult } from '../model-call.ts';
import { collectAnswer, readableOf, rejectedAnswer, responseOf, streamOf, withResponse } from './model-answer.ts';

/** A model of the AI SDK: an object, not the name of one. */
export interface AiModel {
  readonly specificationVersion: string;
  readonly provider: string;
  readonly modelId: string;
  doGenerate(options: never): PromiseLike<unknown>;
  doStream(options: never): PromiseLike<unknown>;
}

/** The turn that a model call belongs to. Throws if the call must not be made. */
export type TurnOfCall = (call: ModelCallOptions) => MaybePromise<Turn>;

type Method = 'doGenerate' | 'doStream';

/** Settings of a call that hooks see and may change. */
const settingNames = [
  'maxOutputTokens',
  'temperature',
  'stopSequences',
  'topP',
  'topK',
  'presencePenalty',
  'frequencyPenalty',
  'seed',
] as const satisfies readonly (keyof ModelCallOptions)[];

/**
 * The same model with guarded calls. All other fields are those of the model, which may be private to its class.
 * `generates` says what its `doGenerate` returns: the AI SDK's models return an answer, those of Mastra a stream.
 */
export function withGuardedCalls<M extends AiModel>(
  model: M,
  turnOf: TurnOfCall,
  generates: 'answer' | 'stream' = 'answer',
): M {
  const calls = new ModelCalls(model, turnOf, generates);
  return new Proxy(model, {
    get(target, key): unknown {
      if (key === 'doGenerate' || key === 'doStream') return calls[key];
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}

type Generated = GeneratedAnswer;
type Streamed = StreamedAnswer;

class ModelCalls {
  constructor(
    private readonly model: AiModel,
    private readonly turnOf: TurnOfCall,
    private readonly generates: 'answer' | 'stream',
  ) {}

  readonly doGenerate = (call: ModelCallOptions): PromiseLike<unknown> => this.start(call, 'doGenerate');
  readonly doStream = (call: ModelCallOptions): PromiseLike<unknown> => this.start(call, 'doStream');

  private start(call: ModelCallOptions, method: Method): PromiseLike<unknown> {
    try {
      const turn = this.turnOf(call);
      return turn instanceof Promise
        ? turn.then((each) => this.guard(each, call, method))
        : this.guard(turn, call, method);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  private guard(turn: Turn, call: ModelCallOptions, method: Method): PromiseLike<unknown> {
    if (!hasModelHooks(turn)) return this.model[method](call as never);
    const isAnswer = method === 'doGenerate' && this.generates === 'answer';
    return isAnswer ? this.generate(turn, call) : this.stream(turn, call, method);
  }

  private async generate(turn: Turn, call: ModelCallOptions): Promise<Generated> {
    const result = await guardModelCall(turn, this.requestOf(call), async (request, isChanged) => {
      const native = (await this.model.doGenerate(this.callOf(call, request, isChanged))) as Generated;
      return { native, response: responseOf(native, modelKeyOf(this.model)) };
    });
    return this.answerOf(result);
  }

  /** If a hook may change the answer, its text is held back until the hook has seen all of it. */
  private async stream(turn: Turn, call: ModelCallOptions, method: Method): Promise<Streamed> {
    const isHeld = turn.canAnswer('postLlmCall');
    let opened: Streamed | undefined;
    let passed: ReadableStream<StreamPart> | undefined;
    let observed: Promise<unknown> | undefined;
    const parts: StreamPart[] = [];
    const result = await new Promise<ModelCallResult<Generated>>((resolve, reject) => {
      const guarded = guardModelCall(turn, this.requestOf(call), async (request, isChanged) => {
        opened = (await this.model[method](this.callOf(call, request, isChanged))) as Streamed;
        parts.length = 0;
        const [own, copy] = isHeld ? [undefined, opened.stream] : opened.stream.tee();
        if (own !== undefined) {
          passed = own;
          const nothing = rejectedAnswer('', this.model.specificationVersion);
          resolve({ type: 'answered', native: nothing, response: responseOf(nothing, ''), isChanged: false });
        }
        const native = await collectAnswer(isHeld ? copy.pipeThrough(noting(parts)) : copy);
        return { native, response: responseOf(native, modelKeyOf(this.model)) };
      });
      observed = guarded.then(resolve, reject);
    });
    if (passed !== undefined) return { ...opened, stream: passed.pipeThrough(afterwards(() => observed)) };
    const answer = this.answerOf(result);
    // An answer that no hook changed keeps its parts.
    const isUnchanged = result.type === 'answered' && !result.isChanged;
    const stream = isUnchanged ? readableOf(parts) : streamOf(answer);
    return method === 'doStream' ? { ...opened, stream } : { ...opened, ...answer, stream };
  }

  private answerOf(result: ModelCallResult<Generated>): Generated {
    if (result.type === 'rejected') return rejectedAnswer(result.reason, this.model.specificationVersion);
    return result.isChanged ? withResponse(result.native, result.response) : result.native;
  }

  private requestOf({ prompt, tools = [], ...call }: ModelCallOptions): LlmRequest {
    const settings: Record<string, unknown> = {};
    for (const name of settingNames) if (call[name] !== undefined) settings[name] = call[name];
    return {
      model: modelKeyOf(this.model),
      messages: prompt as readonly unknown[] as readonly Message[],
      tools: tools.map((tool) =>
        tool.type === 'function'
          ? { name: tool.name, description: tool.description, inputSchema: tool.inputSchema }
          : { name: tool.name },
      ),
      settings: settings as JsonObject,
    };
  }

  private callOf(call: ModelCallOptions, request: LlmRequest, isChanged: boolean): never {
    if (!isChanged) return call as never;
    const listed = new Set(request.tools.map(({ name }) => name));
    const tools = call.tools?.filter(({ name }) => listed.has(name));
    return { ...call, ...request.settings, prompt: toPrompt(request.messages), tools } as never;
  }
}

/** The same stream. Its end waits for hooks that observe the answer. */
function afterwards<T>(work: () => Promise<unknown> | undefined): TransformStream<T, T> {
  return new TransformStream<T, T>({
    async flush() {
      await work();
    },
  });
}

/** The same stream. Its parts are added to a list. */
function noting<T>(parts: T[]): TransformStream<T, T> {
  return new TransformStream<T, T>({
    transform(part, controller) {
      parts.push(part);
      controller.enqueue(part);
    },
  });
}
