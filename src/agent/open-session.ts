/** Opening a session of an agent: new, or as it was saved. */

import { type Deadlines, deadlinesOf, timedOut, within } from '../deadlines.ts';
import { BridleError, messageOf } from '../errors.ts';
import { Actor } from './actor.ts';
import { AgentSession } from './agent-session.ts';
import type { Assembly } from './assemble.ts';
import { BudgetKeeper } from './budget-keeper.ts';
import { History } from './history.ts';
import type { ModelCaller } from './model-caller.ts';
import { noSettings } from './model-request.ts';
import type { SessionChoice } from './options.ts';
import { type SavedSession, savedProblem } from './saved-session.ts';
import { sessionIdProblem, type SessionStore, storeTimeoutMs } from './session-store.ts';
import { SharedBudget } from './shared-budget.ts';
import { delegator, type SubagentPlan } from './subagents.ts';
import { UsageBook } from './usage-book.ts';
import type { Session } from '../guard/session.ts';

export interface OpenSessionOptions extends SessionChoice {
  /** Seeds the session scope of a new session. */
  readonly state?: Readonly<Record<string, unknown>> | undefined;
}

export interface Opening {
  readonly assembly: Assembly;
  readonly newCaller: () => ModelCaller;
  readonly plans: ReadonlyMap<string, SubagentPlan>;
  /** Called with the session before anything happens in it. */
  readonly onOpen: (session: Session) => void;
  readonly onEnd: (session: Session) => void;
}

export async function openSession(
  opening: Opening,
  options: OpenSessionOptions & { readonly id: string },
): Promise<AgentSession> {
  const { parts, name } = opening.assembly;
  const { id, store, state = {} } = options;
  const saved = await loadSaved(id, options, deadlinesOf(parts.clock));
  refuseForeign(saved, name);
  const { session, actor, book } = await openActor(opening, { id, state, saved });
  return new AgentSession({ session, actor, book, store, agentName: name, onEnd: () => opening.onEnd(session) });
}

/** A session of the guard, and the agent at work in it. */
export interface OpenedActor {
  readonly session: Session;
  readonly actor: Actor;
  readonly book: UsageBook;
}

interface ActorStart {
  readonly id: string;
  /** Seeds the session scope of a new session. */
  readonly state: Readonly<Record<string, unknown>>;
  readonly saved: SavedSession | undefined;
}

/** Starts a session, or goes on with a saved one. */
export async function openActor(opening: Opening, { id, state, saved }: ActorStart): Promise<OpenedActor> {
  const { assembly, newCaller, plans } = opening;
  const { parts, name, hides } = assembly;
  const { turns = 0, toolState = {} } = saved ?? {};
  const session = await parts.guard.start({
    id,
    state: saved?.state ?? state,
    toolState,
    turns,
    resumed: saved !== undefined,
    host: 'bridle',
    coreType: parts.core.name,
    agent: [name],
    cwd: parts.cwd,
    hides,
  });
  opening.onOpen(session);
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
  const keeper = new BudgetKeeper(budget, parts.clock, { counts: saved?.counts, recent: saved?.recent, shared });
  const book = new UsageBook(keeper, saved);
  const path = Object.freeze([name]);
  const world = { parts, ledger: book, session, plans, depth };
  const actor = new Actor(parts, book, {
    session: session.id,
    path,
    instructions,
    settings,
    caller: newCaller(),
    history: new History(saved?.messages),
    hides,
    newTurn: (origin, resumed) => session.turn(origin, resumed),
    delegate: delegator(world, path, { mayStart: Object.keys(subagents), branch: undefined }),
  });
  return { session, actor, book };
}

async function loadSaved(
  id: string,
  { store, mode = 'createOrResume' }: SessionChoice,
  deadlines: Deadlines,
): Promise<SavedSession | undefined> {
  const problem = sessionIdProblem(id);
  if (problem !== undefined) throw new BridleError('SESSION_STORE', `the session id ${problem}`);
  if (store === undefined) {
    if (mode === 'resume')
      throw new BridleError('SESSION_STORE', 'a session can only be resumed from a store: give one');
    return undefined;
  }
  const saved = await loadFrom(store, id, deadlines);
  if (mode === 'resume' && saved === undefined)
    throw new BridleError('SESSION_STORE', `there is no saved session "${id}"`);
  if (mode === 'createOnly' && saved !== undefined) {
    throw new BridleError('SESSION_STORE', `the session "${id}" exists already`);
  }
  return saved;
}

/** A store of the user's own is believed no more than a file. */
async function loadFrom(store: SessionStore, id: string, deadlines: Deadlines): Promise<SavedSession | undefined> {
  let saved: SavedSession | typeof timedOut | undefined;
  try {
    saved = await within(Promise.resolve(store.load(id)), storeTimeoutMs, { deadlines });
  } catch (error) {
    if (error instanceof BridleError) throw error;
    throw new BridleError('SESSION_STORE', `the session "${id}" cannot be loaded: ${messageOf(error)}`, {
      cause: error,
    });
  }
  if (saved === timedOut) {
    throw new BridleError('SESSION_STORE', `the store did not answer within ${storeTimeoutMs} ms`);
  }
  const problem = saved === undefined ? undefined : savedProblem(saved, id);
  if (problem !== undefined) throw new BridleError('SESSION_STORE', `the saved session "${id}" ${problem}`);
  return saved;
}

function refuseForeign(saved: SavedSession | undefined, name: string): void {
  if (saved === undefined || saved.agent === name) return;
  const whose = `is one of the agent "${saved.agent}", not of "${name}"`;
  throw new BridleError('SESSION_STORE', `the session "${saved.id}" ${whose}`);
}
