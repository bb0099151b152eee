/** Sessions in the agent's store. If two processes continue the same session, the second cannot overwrite the first. */

import { createHash } from 'node:crypto';
import { BridleError } from '../../kernel/errors.ts';
import type { JsonObject } from '../../kernel/json.ts';
import type { Store } from '../../store/store.ts';
import type { AgentOptions, AgentSessionOptions } from '../options/agent-options.ts';
import { readSavedSession, type SessionStore } from '../saved-sessions/session-store.ts';
import type { SavedSession } from '../saved-sessions/saved-session.ts';

const cache = new WeakMap<Pick<Store, 'sessions'>, SessionStore>();

/**
 * The session store on top of a store. Always the same object for a store, so that a process cannot open a session
 * twice.
 */
export function storeSessions(store: Pick<Store, 'sessions'>): SessionStore {
  const sessions = cache.get(store) ?? createStoreSessions(store);
  cache.set(store, sessions);
  return sessions;
}

/** The store for a session: its own, or the agent's store if the session has an id. */
export function sessionStoreFor(
  { id, store }: AgentSessionOptions,
  agent: Pick<AgentOptions, 'session' | 'store'>,
): SessionStore | undefined {
  const own = store ?? agent.session?.store;
  return own ?? (id === undefined || agent.store === undefined ? undefined : storeSessions(agent.store));
}

function createStoreSessions({ sessions }: Pick<Store, 'sessions'>): SessionStore {
  /** The version of each session that this process last read or wrote. */
  const versions = new Map<string, number>();
  /** Hashes of states whose save failed but may have been written anyway. */
  const unconfirmed = new Map<string, Set<string>>();

  const saveNow = async (session: SavedSession): Promise<void> => {
    const { id } = session;
    versions.set(id, await sessions.save(id, toJsonObject(session), versions.get(id) ?? 0));
    unconfirmed.delete(id);
  };
  /** True if the conflict is with this process's own unconfirmed save. */
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
