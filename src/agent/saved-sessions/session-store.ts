/** Where sessions are kept between runs: the conversation, the scopes, and what was counted. */

import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { BridleError, messageOf } from '../../kernel/errors.ts';
import { storedIdProblem } from '../../store/namespace/stored-id.ts';
import { writeFileAtomic } from '../../files/atomic-write.ts';
import { type SavedSession, savedSessionProblem } from './saved-session.ts';

/** How long a store may take for one session. */
export const sessionStoreTimeoutMs = 30_000;

export interface SessionStore {
  /** What was saved under this id, if anything was. */
  load(id: string): Promise<SavedSession | undefined>;
  save(session: SavedSession): Promise<void>;
  delete(id: string): Promise<void>;
}

const claimedIds = new WeakMap<SessionStore, Set<string>>();

/** Takes a session of a store for one agent of this process: what gives it back, or nothing if another has it. */
export function claimSession(store: SessionStore | undefined, id: string): (() => void) | undefined {
  // A session that is kept nowhere is nobody else's.
  if (store === undefined) return () => undefined;
  const ids = claimedIds.get(store) ?? new Set();
  if (ids.has(id)) return undefined;
  claimedIds.set(store, ids.add(id));
  return () => void ids.delete(id);
}

/** Ids name files and rows. */
export const sessionIdProblem: (id: unknown) => string | undefined = storedIdProblem;

/** Sessions kept in this process only. */
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

/** Sessions kept as files in a folder, one each, readable by their owner alone. */
export function fileSessions(folder: string): SessionStore {
  if (typeof folder !== 'string' || folder === '') {
    throw new BridleError('OPTION_INVALID', 'fileSessions takes the folder that sessions are kept in');
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

/** What a store gave back, if it is the session of this id. */
export function readSavedSession(saved: unknown, id: string): SavedSession {
  const problem = savedSessionProblem(saved, id);
  if (problem !== undefined) throw new BridleError('SESSION_STORE', `the saved session "${id}" ${problem}`);
  return saved as SavedSession;
}
