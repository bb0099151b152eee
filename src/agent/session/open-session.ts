/** Opens the sessions of an agent, new or saved, and knows which are open. */

import { type Deadlines, timedOut, withTimeout } from '../../kernel/deadlines.ts';
import { BridleError, messageOf } from '../../kernel/errors.ts';
import { AgentInSession } from '../turn/agent-in-session.ts';
import { AgentSession } from './agent-session.ts';
import type { Assembly } from '../assembly/assemble.ts';
import { SessionBudget } from '../budget/session-budget.ts';
import { History } from '../model/history.ts';
import type { ModelCaller } from '../model/model-caller.ts';
import { noSettings } from '../turn/model-request.ts';
import type { AgentSessionOptions } from '../options/agent-options.ts';
import { type SavedSession, savedSessionProblem } from '../saved-sessions/saved-session.ts';
import {
  sessionIdProblem,
  type SessionStore,
  sessionStoreTimeoutMs,
  claimSession,
} from '../saved-sessions/session-store.ts';
import { SharedBudget } from '../budget/shared-budget.ts';
import { createDelegate, type SubagentPlan } from '../turn/subagents.ts';
import { SessionUsage } from '../budget/usage.ts';
import type { Session } from '../../kernel/guard/session.ts';
import { randomUUID } from 'node:crypto';
import { sessionStoreFor } from './sessions-in-store.ts';

export interface OpenSessionOptions extends AgentSessionOptions {
  /** Seeds the session scope of a new session. */
  readonly state?: Readonly<Record<string, unknown>> | undefined;
}

export interface AgentRuntime {
  readonly assembly: Assembly;
  readonly newCaller: () => ModelCaller;
  readonly plans: ReadonlyMap<string, SubagentPlan>;
  /** Called before anything happens in the session. */
  readonly onOpen: (session: Session) => void;
  readonly onEnd: (session: Session) => void;
}

async function openSession(
  runtime: AgentRuntime,
  options: OpenSessionOptions & { readonly id: string },
): Promise<AgentSession> {
  const { parts, name } = runtime.assembly;
  const { id, store, state = {} } = options;
  const saved = await loadSaved(id, options, parts.deadlines);
  refuseOtherAgent(saved, name);
  const { session, agent, sessionUsage } = await openAgentInSession(runtime, { id, state, saved });
  return new AgentSession({
    session,
    agent,
    sessionUsage,
    store,
    agentName: name,
    onEnd: () => runtime.onEnd(session),
  });
}

/** A guard session and the agent in it. */
export interface OpenedAgent {
  readonly session: Session;
  readonly agent: AgentInSession;
  readonly sessionUsage: SessionUsage;
}

interface OpenAgentOptions {
  readonly id: string;
  /** Seeds the session scope of a new session. */
  readonly state: Readonly<Record<string, unknown>>;
  readonly saved: SavedSession | undefined;
}

/** Starts a new session or resumes a saved one. */
export async function openAgentInSession(
  runtime: AgentRuntime,
  { id, state, saved }: OpenAgentOptions,
): Promise<OpenedAgent> {
  const { assembly, newCaller, plans } = runtime;
  const { parts, name, hides } = assembly;
  const { turns = 0, toolState = {} } = saved ?? {};
  const session = await parts.guard.start({
    id,
    state: saved?.state ?? state,
    toolState,
    turns,
    resumed: saved !== undefined,
    host: 'bridle',
    loopName: parts.loop.name,
    agent: [name],
    cwd: parts.cwd,
    hides,
  });
  runtime.onOpen(session);
  const {
    store,
    budget = {},
    instructions,
    settings = noSettings,
    subagents = {},
    subagentDepth: depth = 1,
  } = assembly.options;
  const { shared: limits } = budget;
  const shared = limits && store && new SharedBudget(limits, store.counters, parts.clock);
  const spent = { counts: saved?.counts, recent: saved?.recent, shared };
  const sessionBudget = new SessionBudget(budget, parts.clock, spent);
  const sessionUsage = new SessionUsage(sessionBudget, saved);
  const path = Object.freeze([name]);
  const subagentContext = { parts, usage: sessionUsage, session, plans, depth };
  const agent = new AgentInSession(parts, sessionUsage, {
    session: session.id,
    path,
    instructions,
    settings,
    caller: newCaller(),
    history: new History(saved?.messages),
    hides,
    newTurn: (origin, resumed) => session.turn(origin, resumed),
    delegate: createDelegate(subagentContext, path, { mayStart: Object.keys(subagents), branch: undefined }),
  });
  return { session, agent, sessionUsage };
}

async function loadSaved(
  id: string,
  { store, mode = 'createOrResume' }: AgentSessionOptions,
  deadlines: Deadlines,
): Promise<SavedSession | undefined> {
  const problem = sessionIdProblem(id);
  if (problem !== undefined) throw new BridleError('SESSION_STORE', `the session id ${problem}`);
  if (store === undefined) {
    if (mode === 'resume')
      throw new BridleError('SESSION_STORE', 'a session can only be resumed from a store; set "store"');
    return undefined;
  }
  const saved = await loadFrom(store, id, deadlines);
  if (mode === 'resume' && saved === undefined)
    throw new BridleError('SESSION_STORE', `there is no saved session "${id}"`);
  if (mode === 'createOnly' && saved !== undefined) {
    throw new BridleError('SESSION_STORE', `the session "${id}" already exists`);
  }
  return saved;
}

/** The result of a custom store is checked like the content of a file. */
async function loadFrom(store: SessionStore, id: string, deadlines: Deadlines): Promise<SavedSession | undefined> {
  let saved: SavedSession | typeof timedOut | undefined;
  try {
    saved = await withTimeout(Promise.resolve(store.load(id)), sessionStoreTimeoutMs, { deadlines });
  } catch (error) {
    if (error instanceof BridleError) throw error;
    throw new BridleError('SESSION_STORE', `the session "${id}" could not be loaded: ${messageOf(error)}`, {
      cause: error,
    });
  }
  if (saved === timedOut) {
    throw new BridleError('SESSION_STORE', `the store did not answer within ${sessionStoreTimeoutMs} ms`);
  }
  const problem = saved === undefined ? undefined : savedSessionProblem(saved, id);
  if (problem !== undefined) throw new BridleError('SESSION_STORE', `the saved session "${id}" ${problem}`);
  return saved;
}

function refuseOtherAgent(saved: SavedSession | undefined, name: string): void {
  if (saved === undefined || saved.agent === name) return;
  const problem = `belongs to the agent "${saved.agent}", not to "${name}"`;
  throw new BridleError('SESSION_STORE', `the session "${saved.id}" ${problem}`);
}

/** An id can be open only once, or two sessions would overwrite each other's history. */
export class SessionRegistry {
  private readonly sessions = new Map<string, AgentSession>();
  /** Functions that release the ids of sessions that are open or opening. */
  private readonly releases = new Map<string, () => void>();

  constructor(private readonly assembly: Assembly) {}

  /** True if a session with this id is open or opening. */
  has(id: string): boolean {
    return this.releases.has(id);
  }

  async open(runtime: AgentRuntime, options: OpenSessionOptions): Promise<AgentSession> {
    const id = options.id ?? randomUUID();
    const store = sessionStoreFor(options, this.assembly.options);
    const isTaken = this.releases.has(id) || this.assembly.runs.has(id);
    const release = isTaken ? undefined : claimSession(store, id);
    if (release === undefined) throw new BridleError('SESSION_STORE', `the session "${id}" is already open`);
    this.releases.set(id, release);
    try {
      const session = await openSession(runtime, { ...options, id, store });
      this.sessions.set(id, session);
      return session;
    } catch (error) {
      this.remove(id);
      throw error;
    }
  }

  remove(id: string): void {
    this.releases.get(id)?.();
    this.releases.delete(id);
    this.sessions.delete(id);
  }

  stop(reason: string | undefined): Promise<PromiseSettledResult<void>[]> {
    return Promise.allSettled([...this.sessions.values()].map((session) => session.stop(reason)));
  }
}
