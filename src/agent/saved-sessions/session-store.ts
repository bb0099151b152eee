/** Stores for saved sessions: the `SessionStore` interface, and stores in memory and in a folder. */

import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { BridleError, messageOf } from '../../kernel/errors.ts';
import { storedIdProblem } from '../../store/namespace/stored-id.ts';
import { writeFileAtomic } from '../../files/atomic-write.ts';
import { type SavedSession, savedSessionProblem } from './saved-session.ts';

/** The timeout for loading or saving one session. */
export const sessionStoreTimeoutMs = 30_000;

export interface SessionStore {
  /** The saved session with this id, if there is one. */
  load(id: string): Promise<SavedSession | undefined>;
  save(session: SavedSession): Promise<void>;
  delete(id: string): Promise<void>;
}

const claimedIds = new WeakMap<SessionStore, Set<string>>();

/**
 * Claims a session for one agent of this process. Returns a function that releases it, or undefined if it is already
 * claimed.
 */
export function claimSession(store: SessionStore | undefined, id: string): (() => void) | undefined {
  // Without a store there is nothing to conflict with.
  if (store === undefined) return () => undefined;
  const ids = claimedIds.get(store) ?? new Set();
  if (ids.has(id)) return undefined;
  claimedIds.set(store, ids.add(id));
  return () => void ids.delete(id);
}

/** Checks a session id, which is used as a file name and a database key. */
export const sessionIdProblem: (id: unknown) => string | undefined = storedIdProblem;

/** A session store in memory. */
export function memorySessions(): SessionStore {
  const texts = new Map<string, string>();
  return {
    load: async (id) => {
      const text = texts.get(id);
      return text === undefined ? undefined : parseSavedSession(text, id);
    },
    save: async (session) => void texts.set(session.id, JSON.stringify(session)),
    delete: async (id) => void texts.delete(id),
  };
}

/** A session store that writes one file per session, readable only by its owner. */
export function fileSessions(folder: string): SessionStore {
  if (typeof folder !== 'string' || folder === '') {
    throw new BridleError('OPTION_INVALID', 'fileSessions: pass the path of a folder');
  }
  const pathOf = (id: string): string => {
    const problem = sessionIdProblem(id);
    if (problem !== undefined) throw new BridleError('SESSION_STORE', `the session id "${id}" ${problem}`);
    return join(folder, `${id}.json`);
  };
  return {
    load: async (id) => {
      const text = await readIfExists(pathOf(id));
      return text === undefined ? undefined : parseSavedSession(text, id);
    },
    save: (session) => saveText(pathOf(session.id), JSON.stringify(session)),
    delete: (id) => rm(pathOf(id), { force: true }),
  };
}

async function readIfExists(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new BridleError('SESSION_STORE', `${path} cannot be read: ${messageOf(error)}`, { cause: error });
  }
}

async function saveText(path: string, text: string): Promise<void> {
  try {
    await writeFileAtomic(path, text);
  } catch (error) {
    throw new BridleError('SESSION_STORE', `${path} cannot be written: ${messageOf(error)}`, { cause: error });
  }
}

function parseSavedSession(text: string, id: string): SavedSession {
  let saved: unknown;
  try {
    saved = JSON.parse(text);
  } catch (error) {
    throw new BridleError('SESSION_STORE', `the saved session "${id}" is damaged: ${messageOf(error)}`, {
      cause: error,
    });
  }
  return readSavedSession(saved, id);
}

/** Checks that a loaded value is the saved session with this id. */
export function readSavedSession(saved: unknown, id: string): SavedSession {
  const problem = savedSessionProblem(saved, id);
  if (problem !== undefined) throw new BridleError('SESSION_STORE', `the saved session "${id}" ${problem}`);
  return saved as SavedSession;
}
