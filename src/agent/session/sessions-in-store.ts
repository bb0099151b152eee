/** Sessions kept in a store: of two processes that go on with one session, the second cannot write over the first. */

import { createHash } from 'node:crypto';
import { BridleError } from '../../kernel/errors.ts';
import type { JsonObject } from '../../kernel/json.ts';
import type { Store } from '../../store/store.ts';
import type { AgentOptions, AgentSessionOptions } from '../options/agent-options.ts';
import { readSavedSession, type SessionStore } from '../saved-sessions/session-store.ts';
import type { SavedSession } from '../saved-sessions/saved-session.ts';

const cache = new WeakMap<Pick<Store, 'sessions'>, SessionStore>();

/** The sessions of a store; asked for twice, the same ones, so that one process does not open a session twice. */
export function storeSessions(store: Pick<Store, 'sessions'>): SessionStore {
  const sessions = cache.get(store) ?? createStoreSessions(store);
  cache.set(store, sessions);
  return sessions;
}

/** A session with a name is kept in the store of its agent, unless it has one of its own. */
export function sessionStoreFor(
  { id, store }: AgentSessionOptions,
  agent: Pick<AgentOptions, 'session' | 'store'>,
): SessionStore | undefined {
  const own = store ?? agent.session?.store;
  return own ?? (id === undefined || agent.store === undefined ? undefined : storeSessions(agent.store));
}

function createStoreSessions({ sessions }: Pick<Store, 'sessions'>): SessionStore {
  /** What was read or written last here. */
  const versions = new Map<string, number>();
  /** Hashes of what a store that failed may have kept all the same, as the version after that one. */
  const unconfirmed = new Map<string, Set<string>>();

  const saveNow = async (session: SavedSession): Promise<void> => {
    const { id } = session;
    versions.set(id, await sessions.save(id, toJsonObject(session), versions.get(id) ?? 0));
    unconfirmed.delete(id);
  };
  /** True if what is in the way is what this process has saved itself, without being told. */
  const isOwnSave = async (id: string): Promise<boolean> => {
    const found = unconfirmed.has(id) ? await sessions.load(id) : undefined;
    if (found === undefined || found.version !== (versions.get(id) ?? 0) + 1) return false;
    if (unconfirmed.get(id)?.has(hashOf(found.body)) !== true) return false;
    versions.set(id, found.version);
    return true;
  };

  return {
    async load(id) {
      const found = await sessions.load(id);
      versions.set(id, found?.version ?? 0);
      unconfirmed.delete(id);
      return found === undefined ? undefined : readSavedSession(found.body, id);
    },
    async save(session) {
      const { id } = session;
      try {
        await saveNow(session);
      } catch (error) {
        if (isConflict(error) && (await isOwnSave(id))) return saveNow(session);
        if (!isConflict(error))
          unconfirmed.set(id, (unconfirmed.get(id) ?? new Set()).add(hashOf(toJsonObject(session))));
        throw error;
      }
    },
    async delete(id) {
      await sessions.delete(id);
      versions.delete(id);
      unconfirmed.delete(id);
    },
  };
}

function isConflict(error: unknown): boolean {
  return error instanceof BridleError && error.code === 'STORE_CONFLICT';
}

function hashOf(body: JsonObject): string {
  return createHash('sha256').update(JSON.stringify(body)).digest('hex');
}

/** Everything in a saved session is JSON data. */
function toJsonObject(session: SavedSession): JsonObject {
  return session as unknown as JsonObject;
}
