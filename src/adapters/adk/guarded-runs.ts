/** The runs of a Runner: the session, the turn and the agent path of every call. */

import { AsyncLocalStorage } from 'node:async_hooks';
import { newId } from '../../kernel/ids.ts';
import { getOrCreate } from '../../kernel/lazy.ts';
import type { FrameworkGuard } from '../framework-guard.ts';
import type { FrameworkSession, TurnKey } from '../framework-session.ts';
import { hasModelHooks } from '../model-call.ts';
import type { AdkAgent, AdkEvent, AdkFunctionResponse, AdkSession, InvocationContext } from './adk-types.ts';
import { firstInvocation, keepQuestion } from './approvals.ts';

export const frameworkName = 'adk';

export interface CallPlace {
  readonly session: FrameworkSession;
  readonly key: TurnKey;
  /** True in an agent that is used as a tool, where ADK loses a pause. */
  readonly cannotPause: boolean;
}

interface Run {
  readonly session: string;
  /** The path of the root agent. */
  readonly root: readonly string[];
  readonly isNested: boolean;
  readonly turn: string;
  /** The sessions and turns of its agents. */
  readonly used: Map<string, Pick<CallPlace, 'session' | 'key'>>;
  /** The results of the current step of each agent. */
  readonly results: Map<string, Map<string, AdkFunctionResponse>>;
  step: number;
  isPaused: boolean;
  /** False if no hook sees model calls. */
  seesModel: boolean;
}

/** Where a tool was called that runs an agent of its own. */
interface Caller {
  readonly invocation: string;
  readonly session: string;
  readonly path: readonly string[];
}

/** One for all: each of them makes every promise of the process slower. */
const callers = new AsyncLocalStorage<Caller>();

export class GuardedRuns {
  /** The runs of a session by the id of their invocation. */
  private readonly runs = new WeakMap<AdkSession, Map<string, Run>>();

  constructor(private readonly guard: FrameworkGuard) {}

  /** Where a call of this context belongs. */
  async place(context: InvocationContext): Promise<CallPlace> {
    const run = this.runOf(context);
    const session = await this.guard.session(frameworkName, run.session);
    const key = { agent: pathOf(run, context.agent), turn: run.turn, step: Math.max(run.step, 1) };
    run.used.set(key.agent.join('/'), { session, key });
    return { session, key, cannotPause: run.isNested };
  }

  /** A run begins. Its session starts here, so a hook that cannot be called fails the run. */
  async begin(context: InvocationContext): Promise<void> {
    const run = this.runOf(context);
    run.seesModel = hasModelHooks(await this.guard.session(frameworkName, run.session));
  }

  seesModel(context: InvocationContext): boolean {
    return this.runOf(context).seesModel;
  }

  /** A model call begins, and with it a step. */
  nextStep(context: InvocationContext): void {
    const run = this.runOf(context);
    run.step++;
    run.results.delete(context.agent?.name ?? '');
  }

  /** True in an agent that is used as a tool. */
  isNested(context: InvocationContext): boolean {
    const caller = callers.getStore();
    return caller !== undefined && caller.invocation !== context.invocationId;
  }

  /** Runs an AgentTool. Its agent comes below the calling one. */
  inside<T>(context: InvocationContext, work: () => T): T {
    const run = this.runOf(context);
    const path = pathOf(run, context.agent);
    return callers.run({ invocation: context.invocationId, session: run.session, path }, work);
  }

  noteResult(context: InvocationContext, response: AdkFunctionResponse): void {
    const { results } = this.runOf(context);
    getOrCreate(results, context.agent?.name ?? '', () => new Map()).set(response.id ?? '', response);
  }

  /** An event of a run. */
  noteEvent(context: InvocationContext, event: AdkEvent): Promise<void> | undefined {
    return keepQuestion(event, context) ? this.notePause(context, event) : undefined;
  }

  /** An event that pauses the run. ADK drops the results of the other calls, so they are added to the history. */
  private async notePause(context: InvocationContext, event: AdkEvent): Promise<void> {
    const run = this.runOf(context);
    run.isPaused = true;
    const asked = event.actions.requestedToolConfirmations ?? {};
    const parts = [...(run.results.get(event.author ?? '')?.values() ?? [])]
      .filter(({ id = '' }) => asked[id] === undefined)
      .map((functionResponse) => ({ functionResponse }));
    run.results.delete(event.author ?? '');
    if (parts.length === 0) return;
    const actions = { stateDelta: {}, artifactDelta: {}, requestedAuthConfigs: {}, requestedToolConfirmations: {} };
    const { longRunningToolIds: _, ...rest } = event;
    const results: AdkEvent = { ...rest, id: newId(), actions, content: { role: 'user', parts } };
    await context.sessionService?.appendEvent({ session: context.session, event: results });
  }

  end(context: InvocationContext): void {
    const run = this.runOf(context);
    this.runs.get(context.session)?.delete(context.invocationId);
    if (run.isPaused) return;
    for (const { session, key } of run.used.values()) session.endTurn(key);
  }

  private runOf(context: InvocationContext): Run {
    const { session, agent } = context;
    const runs = getOrCreate(this.runs, session, () => new Map<string, Run>());
    return getOrCreate(runs, context.invocationId, () => {
      const nested = this.isNested(context) ? callers.getStore() : undefined;
      return {
        session: nested?.session ?? JSON.stringify([session.appName, session.userId, session.id]),
        root: nested === undefined ? ['main'] : [...nested.path, agent?.rootAgent.name ?? 'workflow'],
        isNested: nested !== undefined,
        turn: firstInvocation(context),
        used: new Map(),
        results: new Map(),
        step: 0,
        isPaused: false,
        seesModel: true,
      };
    });
  }
}

/** The names of the agents from the root agent to this one. */
function pathOf({ root }: Run, agent: AdkAgent | undefined): readonly string[] {
  const below: string[] = [];
  for (let each = agent; each?.parentAgent !== undefined; each = each.parentAgent) below.unshift(each.name);
  return [...root, ...below];
}
