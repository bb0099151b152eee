/** One agent of Strands: where its runs, calls and model calls belong. */

import { newId } from '../../kernel/ids.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { getOrCreate } from '../../kernel/lazy.ts';
import type { FrameworkGuard } from '../framework-guard.ts';
import type { FrameworkSession } from '../framework-session.ts';
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

interface Run {
  readonly session: string;
  readonly path: readonly string[];
  readonly isChild: boolean;
  readonly turn: string;
  step: number;
}

type Place = Pick<Run, 'session' | 'path'>;

/** For each run, the agents that are used as tools in it. Strands gives them the same state object. */
const children = new WeakMap<object, Map<StrandsAgent, Place>>();

export class GuardedAgent {
  private readonly ownSession = newId();
  private current: Run | undefined;
  private opened: FrameworkSession | undefined;
  /** The message of the model whose calls are being executed. */
  private asking: AssistantMessage | undefined;

  constructor(
    private readonly agent: StrandsAgent,
    private readonly parts: SharedParts,
  ) {}

  /** The stage `agentStream`: a turn. A resumed run continues the turn that was paused. */
  async *run(stage: RunStage, next: Next<RunStage, unknown>): Step<unknown> {
    await this.attachTools();
    const isResumed = this.current !== undefined && this.agent._interruptState?.activated === true;
    if (!isResumed) this.current = this.newRun(stage.options?.invocationState);
    let isPaused = false;
    try {
      return yield* this.noting(next(stage));
    } catch (error) {
      isPaused = isInterrupt(error);
      throw error;
    } finally {
      if (!isPaused) this.endTurn();
    }
  }

  /** The stage `invokeModel`. */
  async *model(stage: ModelStage, next: Next<ModelStage, never>): Step<unknown> {
    this.newest().step++;
    const { session, key } = await this.place();
    return yield* callModel(session.turn(key), stage, next);
  }

  /** The stage `executeTool`. */
  async *call(stage: ToolStage, next: NextTool): ReturnType<NextTool> {
    const child = agentOf(stage.tool);
    if (child === undefined) return yield* this.guarded(stage, next);
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
    const onArgs = (args: JsonObject): void => this.showArgs(stage.toolUse.toolUseId, args);
    return this.parts.calls.call(stage, next, { place: () => this.place(), onArgs });
  }

  private async attachTools(): Promise<void> {
    this.parts.calls.attach(this.agent.tools);
    for (const child of this.agent.tools.map(agentOf)) if (child !== undefined) await this.parts.adopt(child);
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

  private async place(): Promise<CallPlace> {
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

  /** The same events. It notes the message whose calls are about to run. */
  private noting(source: Step<unknown>): Step<unknown> {
    const next = source.next.bind(source);
    source.next = async () => {
      const step = await next();
      const event = step.value as { readonly type?: string; readonly message?: AssistantMessage } | undefined;
      if (step.done !== true && event?.type === 'beforeToolsEvent') this.asking = event.message;
      return step;
    };
    return source;
  }

  /** Makes the history show the args that run. */
  private showArgs(id: string, args: JsonObject): void {
    const block = this.asking?.content.find(({ toolUseId }) => toolUseId === id);
    if (block !== undefined && !Object.isFrozen(block)) block.input = structuredClone(args);
  }
}

interface AssistantMessage {
  readonly content: readonly { readonly toolUseId?: string; input?: unknown }[];
}

/** The agent behind a tool that `asTool` made. */
function agentOf(tool: StrandsTool | undefined): StrandsAgent | undefined {
  const agent = tool?.agent as StrandsAgent | undefined;
  return typeof agent?.toolRegistry === 'object' ? agent : undefined;
}
