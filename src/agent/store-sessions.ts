/** Sessions kept in a store: of two processes that go on with one session, the second cannot write over the first. */

import type { JsonObject } from '../json.ts';
import type { Store } from '../store/store.ts';
import type { AgentOptions, SessionChoice } from './options.ts';
import { readSaved, type SessionStore } from './session-store.ts';
import type { SavedSession } from './saved-session.ts';

const known = new WeakMap<Pick<Store, 'sessions'>, SessionStore>();

/** The sessions of a store; asked for twice, the same ones, so that one process does not open a session twice. */
export function storeSessions(store: Pick<Store, 'sessions'>): SessionStore {
  const sessions = known.get(store) ?? sessionsOf(store);
  known.set(store, sessions);
  return sessions;
}

/** A session with a name is kept in the store of its agent, unless it has one of its own. */
export function storeFor(
  { id, store }: SessionChoice,
  agent: Pick<AgentOptions, 'session' | 'store'>,
): SessionStore | undefined {
  const own = store ?? agent.session?.store;
  return own ?? (id === undefined || agent.store === undefined ? undefined : storeSessions(agent.store));
}

function sessionsOf({ sessions }: Pick<Store, 'sessions'>): SessionStore {
  /** What was read or written last here. */
  const versions = new Map<string, number>();
  return {
    async load(id) {
      const found = await sessions.load(id);
      versions.set(id, found?.version ?? 0);
      return found === undefined ? undefined : readSaved(found.body, id);
    },
    async save(session) {
      const { id } = session;
      versions.set(id, await sessions.save(id, asDocument(session), versions.get(id) ?? 0));
    },
    async delete(id) {
      await sessions.delete(id);
      versions.delete(id);
    },
  };
}

/** Everything in a saved session is JSON data. */
function asDocument(session: SavedSession): JsonObject {
  return session as unknown as JsonObject;
}
