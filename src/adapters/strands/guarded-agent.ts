/** One agent of Strands: where its runs, calls and model calls belong. */

import { newId } from '../../kernel/ids.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { getOrCreate } from '../../kernel/lazy.ts';
import type { FrameworkGuard } from '../framework-guard.ts';
import type { FrameworkSession } from '../framework-session.ts';
import { hasModelHooks } from '../model-call.ts';
import { changeableArgs } from '../rewritten-args.ts';
import { isInterrupt } from './approvals.ts';
import { callModel } from './model-calls.ts';
import type { ModelStage, Next, RunStage, Step, StrandsAgent, StrandsTool, ToolStage } from './strands-types.ts';
import type { CallPlace, NextTool, ToolCalls } from './tool-calls.ts';

export const frameworkName = 'strands';

/** What agents with the same plugin share. */
export interface SharedParts {
  readonly guard: FrameworkGuard;
  readonly calls: ToolCalls;
  readonly session: string | undefined;
  readonly path: readonly string[];
  /** Guards an agent that another one uses as a tool. */
  readonly adopt: (agent: StrandsAgent) => Promise<void>;
}

const invalidName = 'INVALID_TOOL_NAME';

interface Run {
  readonly session: string;
  readonly path: readonly string[];
  readonly isChild: boolean;
  readonly turn: string;
  step: number;
}

type StepResult = Promise<IteratorResult<unknown, unknown>>;
type Place = Pick<Run, 'session' | 'path'>;

/** For each run, the agents that are used as tools in it. Strands gives them the same state object. */
const children = new WeakMap<object, Map<StrandsAgent, Place>>();

export class GuardedAgent {
  private readonly ownSession = newId();
  private current: Run | undefined;
  private opened: FrameworkSession | undefined;
  /** False if no hook sees model calls. */
  private seesModel = true;
  /** The message of the model whose calls are being executed. */
  private asking: AssistantMessage | undefined;

  constructor(
    private readonly agent: StrandsAgent,
    private readonly parts: SharedParts,
  ) {}

  /** The stage `agentStream`: a turn. Another generator around it would slow down every event, so it changes this one. */
  run(stage: RunStage, next: Next<RunStage, unknown>): Step<unknown> {
    const source = next(stage);
    const step = source.next.bind(source);
    const stop = source.return.bind(source);
    const fail = source.throw.bind(source);
    const onStep = (result: IteratorResult<unknown, unknown>): typeof result => this.noted(result);
    const onFailed = (error: unknown): never => {
      if (!isInterrupt(error)) this.endTurn();
      throw error;
    };
    const proceed = (): StepResult => step().then(onStep, onFailed);
    let hasBegun = false;
    // `yield*` reads this function once, so it cannot be replaced after the first step.
    source.next = () => {
      if (hasBegun) return proceed();
      hasBegun = true;
      return this.begin(stage).then(proceed);
    };
    source.return = (value) => stop(value).finally(() => this.endTurn());
    source.throw = (error) => fail(error).then(onStep, onFailed);
    return source;
  }

  /** The stage `invokeModel`. */
  model(stage: ModelStage, next: Next<ModelStage, never>): Step<unknown> {
    this.newest().step++;
    return this.seesModel ? this.guardedModel(stage, next) : next(stage);
  }

  /** The stage `executeTool`. */
  call(stage: ToolStage, next: NextTool): ReturnType<NextTool> {
    const child = agentOf(stage.tool);
    return child === undefined ? this.guarded(stage, next) : this.callChild(child, stage, next);
  }

  /** The same tool, for `agent.tool.<name>`, which no stage covers. It cannot pause. */
  direct(tool: StrandsTool): StrandsTool {
    const { agent } = this;
    const call = this.call.bind(this);
    const stream: StrandsTool['stream'] = async function* (context) {
      const { toolUse, invocationState, cancelSignal } = context;
      const run: NextTool = async function* (stage) {
        const own = stage.tool as StrandsTool;
        return { result: yield* own.stream({ ...context, toolUse: stage.toolUse }) };
      };
      const { result } = yield* call({ agent, tool, toolUse, invocationState, cancelSignal }, run);
      return result;
    };
    return new Proxy(tool, {
      get: (target, field) => (field === 'stream' ? stream : Reflect.get(target, field, target)),
    });
  }

  private guarded(stage: ToolStage, next: NextTool): ReturnType<NextTool> {
    return this.parts.calls.call(stage, next, this);
  }

  private async attachTools(): Promise<void> {
    const { tools } = this.agent;
    this.parts.calls.attach(tools);
    for (const tool of tools) {
      const child = agentOf(tool);
      if (child !== undefined) await this.parts.adopt(child);
    }
  }

  private newRun(state: object | undefined): Run {
    const parent = state === undefined ? undefined : children.get(state)?.get(this.agent);
    const { session, path } = this.parts;
    const own = this.agent.sessionManager === undefined ? this.ownSession : this.agent.sessionId;
    const place = parent ?? { session: session ?? own, path };
    return { ...place, isChild: parent !== undefined, turn: newId(), step: 0 };
  }

  private newest(): Run {
    return (this.current ??= this.newRun(undefined));
  }

  /** Where a call of this agent belongs. */
  async place(): Promise<CallPlace> {
    const { session: id, path, turn, step, isChild } = this.newest();
    const session = await this.parts.guard.session(frameworkName, id);
    this.opened = session;
    return { session, key: { agent: path, turn, step: Math.max(step, 1) }, cannotPause: isChild };
  }

  private endTurn(): void {
    const { path, turn } = this.newest();
    this.opened?.endTurn({ agent: path, turn });
    this.asking = undefined;
  }

  /** A resumed run continues the turn that was paused. */
  private async begin({ options }: RunStage): Promise<void> {
    await this.attachTools();
    const isResumed = this.current !== undefined && this.agent._interruptState?.activated === true;
    if (!isResumed) this.current = this.newRun(options?.invocationState);
    const { session } = await this.place();
    this.seesModel = hasModelHooks(session);
  }

  private async *guardedModel(stage: ModelStage, next: Next<ModelStage, never>): Step<unknown> {
    const { session, key } = await this.place();
    return yield* callModel(session.turn(key), stage, next);
  }

  private async *callChild(child: StrandsAgent, stage: ToolStage, next: NextTool): ReturnType<NextTool> {
    await this.parts.adopt(child);
    const places = getOrCreate(children, stage.invocationState ?? {}, () => new Map<StrandsAgent, Place>());
    const { session, path } = this.newest();
    places.set(child, { session, path: [...path, child.name] });
    try {
      return yield* this.guarded(stage, next);
    } finally {
      places.delete(child);
    }
  }

  /** Notes the message whose calls are about to run, and the end of the turn. */
  private noted(step: IteratorResult<unknown, unknown>): IteratorResult<unknown, unknown> {
    const event = step.value as { readonly type?: string; readonly message?: AssistantMessage } | undefined;
    if (step.done === true) this.endTurn();
    else if (event?.type === 'beforeToolsEvent') {
      this.asking = event.message;
      this.renameInherited();
    }
    return step;
  }

  /**
   * Strands counts calls in an object, by the name that the model wrote. A name such as `__proto__` would change all
   * objects of the process. No tool has it, so the call gets the name that Strands itself gives to invalid ones.
   */
  private renameInherited(): void {
    for (const block of this.asking?.content ?? []) {
      const { name } = block;
      if (name === undefined || !(name in Object.prototype)) continue;
      if (name === '__proto__' || !this.agent.tools.some((tool) => tool.name === name)) block.name = invalidName;
    }
  }

  /** Makes the history show the args that run. */
  showArgs(id: string, args: JsonObject): void {
    const block = this.asking?.content.find(({ toolUseId }) => toolUseId === id);
    if (block !== undefined && !Object.isFrozen(block)) block.input = changeableArgs(args);
  }
}

interface AssistantMessage {
  readonly content: readonly { readonly toolUseId?: string; name?: string; input?: unknown }[];
}

/** The agent behind a tool that `asTool` made. */
function agentOf(tool: StrandsTool | undefined): StrandsAgent | undefined {
  const agent = tool?.agent as StrandsAgent | undefined;
  return typeof agent?.toolRegistry === 'object' ? agent : undefined;
}
