/** Guards a model of the AI SDK: hooks at `preLlmCall`, `postLlmCall` and `onLlmError` see and change its calls. */

import type {
  LanguageModelV4CallOptions,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamPart,
  LanguageModelV4StreamResult,
} from '@ai-sdk/provider';
import { modelKeyOf, toPrompt } from '../../agent/model/language-model.ts';
import { BridleError } from '../../kernel/errors.ts';
import type { Turn } from '../../kernel/guard/turn.ts';
import type { LlmRequest, Message } from '../../kernel/hooks/points/payloads.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { quoteName } from '../../kernel/names.ts';
import type { FrameworkGuard } from '../framework-guard.ts';
import { checkVersion, refuseMissing } from '../installed-version.ts';
import { guardModelCall, type ModelCallResult, modelPoints } from '../model-call.ts';
import { type ChatMessage, positionOf, refusalsIn, userName } from './approvals.ts';
import { frameworkName, type GuardToolsOptions, testedVersions } from './guard-tools.ts';
import { collectAnswer, rejectedAnswer, responseOf, streamOf, withResponse } from './model-answer.ts';

/** A model of the AI SDK: an object, not the name of one. */
export interface AiModel {
  readonly specificationVersion: string;
  readonly provider: string;
  readonly modelId: string;
  doGenerate(options: never): PromiseLike<unknown>;
  doStream(options: never): PromiseLike<unknown>;
}

export type GuardModelOptions = Pick<GuardToolsOptions, 'session' | 'agent' | 'providerTools'>;

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
] as const satisfies readonly (keyof LanguageModelV4CallOptions)[];

/** Returns the same model, guarded. Tools that are not guarded are refused by name. */
export function guardModel<M extends AiModel>(guard: FrameworkGuard, model: M, options: GuardModelOptions = {}): M {
  checkVersion(testedVersions);
  if (typeof model === 'string') {
    throw new BridleError('OPTION_INVALID', `guardModel takes a model, not the name ${quoteName(model)}`);
  }
  refuseMissing('the AI SDK', {
    'doGenerate of the model': typeof model.doGenerate === 'function',
    'doStream of the model': typeof model.doStream === 'function',
  });
  guard.attach({ framework: frameworkName, points: modelPoints, tools: [] });
  const calls = new ModelCalls(guard, model, options);
  const fields = {
    doGenerate: { value: (call: LanguageModelV4CallOptions) => calls.generate(call) },
    doStream: { value: (call: LanguageModelV4CallOptions) => calls.stream(call) },
  };
  return Object.create(model, fields) as M;
}

type Generated = LanguageModelV4GenerateResult;
type Streamed = LanguageModelV4StreamResult;

class ModelCalls {
  constructor(
    private readonly guard: FrameworkGuard,
    private readonly model: AiModel,
    private readonly options: GuardModelOptions,
  ) {}

  async generate(call: LanguageModelV4CallOptions): Promise<Generated> {
    const turn = await this.turnOf(call);
    const result = await guardModelCall(turn, this.requestOf(call), async (request, isChanged) => {
      const native = (await this.model.doGenerate(this.callOf(call, request, isChanged))) as Generated;
      return { native, response: responseOf(native, modelKeyOf(this.model)) };
    });
    return this.answerOf(result);
  }

  /** If a hook may change the answer, its text is held back until the hook has seen all of it. */
  async stream(call: LanguageModelV4CallOptions): Promise<Streamed> {
    const turn = await this.turnOf(call);
    const isHeld = turn.canAnswer('postLlmCall');
    let opened: Streamed | undefined;
    let passed: ReadableStream<LanguageModelV4StreamPart> | undefined;
    let observed: Promise<unknown> | undefined;
    const result = await new Promise<ModelCallResult<Generated>>((resolve, reject) => {
      const guarded = guardModelCall(turn, this.requestOf(call), async (request, isChanged) => {
        opened = (await this.model.doStream(this.callOf(call, request, isChanged))) as Streamed;
        const [own, copy] = isHeld ? [undefined, opened.stream] : opened.stream.tee();
        if (own !== undefined) {
          passed = own;
          const nothing = rejectedAnswer('');
          resolve({ type: 'answered', native: nothing, response: responseOf(nothing, ''), isChanged: false });
        }
        const native = await collectAnswer(copy);
        return { native, response: responseOf(native, modelKeyOf(this.model)) };
      });
      observed = guarded.then(resolve, reject);
    });
    if (passed !== undefined) return { ...opened, stream: passed.pipeThrough(afterwards(() => observed)) };
    return { ...opened, stream: streamOf(this.answerOf(result)) };
  }

  private answerOf(result: ModelCallResult<Generated>): Generated {
    if (result.type === 'rejected') return rejectedAnswer(result.reason);
    return result.isChanged ? withResponse(result.native, result.response) : result.native;
  }

  private async turnOf(call: LanguageModelV4CallOptions): Promise<Turn> {
    this.refuseUnguarded(call);
    const session = await this.guard.session(frameworkName, this.options.session ?? this.guard.defaultSession);
    const messages = call.prompt as readonly unknown[] as readonly ChatMessage[];
    const { agent } = this.options;
    for (const { id, reason } of refusalsIn(messages)) {
      // The SDK runs nothing for a refusal, so it is recorded here.
      const question = session.questionOf({ id, agent });
      const tool = question && this.guard.attachedTool(question);
      if (question === undefined || tool === undefined) continue;
      const answer = { type: 'deny', reason, by: userName } as const;
      await session.decide({ id, tool, args: question.args, agent, ...positionOf(messages, id) }, answer);
    }
    return session.turn({ agent, ...positionOf(messages) });
  }

  /** A tool that was passed to the SDK without `guardTools` would run unguarded (B03). */
  private refuseUnguarded({ tools = [] }: LanguageModelV4CallOptions): void {
    const acceptsProvider = this.options.providerTools === 'unguarded';
    const unguarded = tools.filter(({ type, name }) =>
      type === 'function' ? !this.guard.isAttached(name) : !acceptsProvider,
    );
    if (unguarded.length === 0) return;
    const names = unguarded.map(({ name }) => quoteName(name)).join(', ');
    throw new BridleError(
      'TOOL_INVALID',
      `${names} would run unguarded: pass it through guardTools, or, if the provider runs it, set providerTools: 'unguarded'`,
    );
  }

  private requestOf({ prompt, tools = [], ...call }: LanguageModelV4CallOptions): LlmRequest {
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

  private callOf(call: LanguageModelV4CallOptions, request: LlmRequest, isChanged: boolean): never {
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
