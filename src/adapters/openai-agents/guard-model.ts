/** Guards a model of the OpenAI Agents SDK: hooks at `preLlmCall`, `postLlmCall` and `onLlmError` see and change its calls. */

import { BridleError } from '../../kernel/errors.ts';
import type { MaybePromise } from '../../kernel/maybe-promise.ts';
import { quoteName } from '../../kernel/names.ts';
import { isRecord } from '../../kernel/shapes.ts';
import type { FrameworkGuard } from '../framework-guard.ts';
import type { FrameworkSession } from '../framework-session.ts';
import { checkVersion } from '../installed-version.ts';
import { guardModelCall, hasModelHooks, type ModelCallResult, modelPoints } from '../model-call.ts';
import { type Emit, streamWork } from '../streamed-work.ts';
import { type AgentRun, runsBySchema } from './agent-run.ts';
import {
  frameworkName,
  type ModelRequest,
  type ModelResponse,
  type OpenAiAgent,
  type OpenAiModel,
  type OpenAiModelProvider,
  type StreamEvent,
  testedVersions,
} from './agents-sdk.ts';
import {
  answerIn,
  rejectedAnswer,
  requestOf,
  responseOf,
  streamOf,
  withRequest,
  withResponse,
} from './model-answer.ts';

export interface GuardModelOptions {
  /** The session of calls without tools; others belong to the run of their agent. */
  readonly session?: string | undefined;
}

interface NativeModel {
  getResponse(request: ModelRequest): Promise<ModelResponse>;
  getStreamedResponse(request: ModelRequest): AsyncIterable<StreamEvent>;
}

const guardsOfProviders = new WeakSet<FrameworkGuard>();
const originals = new WeakMap<object, NativeModel>();

/**
 * Returns the same model or model provider, guarded. Use it in `new Runner({ modelProvider })` if agents name their model
 * only; `guardAgent` guards a model that is an object itself.
 */
export function guardModel<M extends OpenAiModel | OpenAiModelProvider>(
  guard: FrameworkGuard,
  model: M,
  options: GuardModelOptions = {},
): M {
  checkVersion(testedVersions);
  guard.attach({ framework: frameworkName, points: modelPoints, tools: [] });
  guardsOfProviders.add(guard);
  if (isModel(model)) return guardCalls(guard, model, options) as unknown as M;
  if (typeof (model as OpenAiModelProvider).getModel !== 'function') {
    throw new BridleError('OPTION_INVALID', 'guardModel takes a model or a model provider of OpenAI Agents');
  }
  return withMethods(model, {
    getModel: async (name?: string) =>
      guardModel(guard, (await (model as OpenAiModelProvider).getModel(name)) as OpenAiModel, options),
  });
}

/** Throws if hooks would not see the model calls of an agent (B04): then the runner chooses a model that is not guarded. */
export function refuseUnguardedModel(
  guard: FrameworkGuard,
  { name, model }: Pick<OpenAiAgent, 'name' | 'model'>,
  session: FrameworkSession,
): void {
  if (isModel(model) || guardsOfProviders.has(guard) || !hasModelHooks(session)) return;
  const points = modelPoints.filter((point) => session.hasHooks(point));
  throw new BridleError(
    'HOOK_UNREACHABLE',
    `there are hooks at ${points.join(' and ')}, but the runner chooses the model of the agent ${quoteName(name)}. ` +
      `Use new Runner({ modelProvider: guardModel(guard, provider) }), or give the agent a model object`,
  );
}

export function isModel(model: unknown): model is NativeModel {
  return isRecord(model) && typeof (model as NativeModel).getResponse === 'function';
}

/** How the session of a call is found that has no tools. */
interface CallOwner {
  readonly session?: string | undefined;
  readonly runOf?: () => AgentRun | undefined;
}

/** The same model with guarded calls. A model that is guarded already, such as that of a clone, gets another owner. */
export function guardCalls(guard: FrameworkGuard, model: NativeModel, owner: CallOwner): NativeModel {
  const original = originals.get(model) ?? model;
  const calls = new ModelCalls(guard, original, owner);
  const guarded = withMethods(original, {
    getResponse: (request: ModelRequest) => calls.respond(request),
    getStreamedResponse: (request: ModelRequest) => calls.stream(request),
  });
  originals.set(guarded, original);
  return guarded;
}

/** The same object with other methods. Private fields of its class still work. */
function withMethods<T extends object>(given: T, methods: Readonly<Record<string, unknown>>): T {
  return new Proxy(given, {
    get(target, key) {
      if (typeof key === 'string' && Object.hasOwn(methods, key)) return methods[key];
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}

class ModelCalls {
  private readonly name: string;

  constructor(
    private readonly guard: FrameworkGuard,
    private readonly model: NativeModel,
    private readonly owner: CallOwner,
  ) {
    const { model: id, _model: own } = model as { readonly model?: unknown; readonly _model?: unknown };
    this.name = [id, own].find((each) => typeof each === 'string') ?? 'openai-agents';
  }

  async respond(request: ModelRequest): Promise<ModelResponse> {
    const run = this.runOf(request);
    const known = this.sessionOf(request, run);
    const session = known instanceof Promise ? await known : known;
    if (!hasModelHooks(session)) return passed(await this.model.getResponse(request), run);
    const turn = session.turn(run?.key ?? {});
    const result = await guardModelCall(turn, requestOf(request, this.name), async (asked, isChanged) => {
      const native = await this.model.getResponse(isChanged ? withRequest(request, asked) : request);
      return { native, response: responseOf(native, this.name) };
    });
    return answerOf(result, run);
  }

  /** If a hook may change the answer, its text is held back until the hook has seen all of it. */
  stream(request: ModelRequest): AsyncIterable<StreamEvent> {
    return streamWork<StreamEvent, void>(async (emit, closed) => {
      const run = this.runOf(request);
      const session = await this.sessionOf(request, run);
      const turn = session.turn(run?.key ?? {});
      const isHeld = turn.canAnswer('postLlmCall');
      const stream = new ModelStream(isHeld ? undefined : emit, closed);
      const result = await guardModelCall(turn, requestOf(request, this.name), async (asked, isChanged) => {
        const native = await stream.read(() =>
          this.model.getStreamedResponse(isChanged ? withRequest(request, asked) : request),
        );
        return { native, response: responseOf(native, this.name) };
      });
      const answer = answerOf(result, run);
      const isUnchanged = result.type === 'answered' && !result.isChanged;
      if (isUnchanged) stream.finish(emit);
      else for (const event of streamOf(answer)) emit(event);
    });
  }

  /** The run of a request. Refuses tools that would run unguarded. */
  private runOf({ tools = [], handoffs = [] }: ModelRequest): AgentRun | undefined {
    let found: AgentRun | undefined;
    const unguarded: string[] = [];
    for (const { type, name, parameters } of tools) {
      const run = parameters && runsBySchema.get(parameters);
      found ??= run;
      if (run === undefined && type === 'function') unguarded.push(quoteName(name));
    }
    if (unguarded.length > 0) {
      const names = unguarded.join(', ');
      throw new BridleError('TOOL_INVALID', `${names} would run unguarded: pass the agent through guardAgent`);
    }
    for (const { inputJsonSchema } of handoffs) found ??= inputJsonSchema && runsBySchema.get(inputJsonSchema);
    return found ?? this.owner.runOf?.();
  }

  private sessionOf({ input }: ModelRequest, run: AgentRun | undefined): MaybePromise<FrameworkSession> {
    if (run === undefined) return this.guard.session(frameworkName, this.owner.session);
    const { session } = run.parts;
    return run.recordRefusals(input)?.then(() => session) ?? session;
  }
}

function answerOf(result: ModelCallResult<ModelResponse>, run: AgentRun | undefined): ModelResponse {
  if (result.type === 'rejected') return rejectedAnswer(result.reason);
  return passed(result.isChanged ? withResponse(result.native, result.response) : result.native, run);
}

function passed(answer: ModelResponse, run: AgentRun | undefined): ModelResponse {
  run?.passInvalid(answer.output);
  return answer;
}

/** The events of a model's stream. Without `emit`, they are held back. `response_done` waits for the hooks. */
class ModelStream {
  private events: StreamEvent[] = [];
  private hasShown = false;
  private failure: { readonly error: unknown } | undefined;

  constructor(
    private readonly emit: Emit<StreamEvent> | undefined,
    private readonly closed: AbortSignal,
  ) {}

  async read(open: () => AsyncIterable<StreamEvent>): Promise<ModelResponse> {
    // Text that was shown cannot be taken back, so there is no second attempt.
    if (this.failure !== undefined) throw this.failure.error;
    this.events = [];
    let isDone = false;
    try {
      for await (const event of open()) {
        if (this.closed.aborted) break;
        this.events.push(event);
        isDone ||= event.type === 'response_done';
        if (!isDone) this.show();
      }
    } catch (error) {
      if (this.hasShown) this.failure = { error };
      throw error;
    }
    return answerIn(this.events);
  }

  /** Shows everything that has not been shown yet. */
  finish(emit: Emit<StreamEvent>): void {
    for (const event of this.events.splice(0)) emit(event);
  }

  private show(): void {
    if (this.emit === undefined) return;
    this.hasShown = true;
    this.finish(this.emit);
  }
}
