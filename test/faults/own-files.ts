/**
 * Every kind of file that Bridle writes for itself: how to write it, and how to tell which version is there afterwards.
 */

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { budgetKinds } from '../../src/agent/budget/budget-options.ts';
import { fileSessions } from '../../src/agent/saved-sessions/session-store.ts';
import type { SavedSession } from '../../src/agent/saved-sessions/saved-session.ts';
import { PrivateCache } from '../../src/policy-files/read/private-cache.ts';
import type { PolicyFileOnDisk } from '../../src/policy-files/read/read-policy-files.ts';
import { listTrusted, trustPolicy } from '../../src/policy-files/load/trust.ts';
import { noUsage } from '../../src/agent/budget/usage.ts';
import { loadPins, updatePins } from '../../src/mcp/pins/pin-file.ts';
import { createApproverKey, openApproverKey } from '../../src/store/keys/approver-keys.ts';
import { openKeyRing } from '../../src/store/keys/open-key-ring.ts';
import { createFileAtomicSync, writeFileAtomic, writeFileAtomicSync } from '../../src/files/atomic-write.ts';

export interface OwnFile {
  readonly title: string;
  /** The expected errors of its writer. Default: any error. */
  readonly code?: string;
  /** Writes the old version. Default: none. */
  readonly prepare?: (folder: string) => unknown;
  readonly write: (folder: string) => unknown;
  /** A later write, which always succeeds. */
  readonly again?: (folder: string) => unknown;
  /** Which version is there: `old` or `new`. Anything else, or an error, means an incomplete file. */
  readonly read: (folder: string) => Promise<string> | string;
}

const long = 'x'.repeat(5000);
const texts = { old: `old ${long}`, new: `new ${long}` };

function told(text: string | undefined): string {
  if (text === undefined) return 'old';
  return Object.entries(texts).find(([, whole]) => whole === text)?.[0] ?? `${text.length} characters`;
}

function textIn(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function session(text: string): SavedSession {
  return {
    version: 1,
    id: 's1',
    agent: 'a',
    savedAt: 1,
    turns: 1,
    messages: [{ role: 'user', content: [{ type: 'text', text }] }],
    state: {},
    toolState: {},
    counts: Object.fromEntries(budgetKinds.map((name) => [name, 1])) as unknown as SavedSession['counts'],
    usage: { main: noUsage },
  };
}

const sessions: OwnFile = {
  title: 'a session',
  code: 'SESSION_STORE',
  prepare: (folder) => fileSessions(folder).save(session(texts.old)),
  write: (folder) => fileSessions(folder).save(session(texts.new)),
  read: async (folder) => {
    const [message] = (await fileSessions(folder).load('s1'))?.messages ?? [];
    const [part] = (message?.content ?? []) as { text?: string }[];
    return told(part?.text);
  },
};

function policy(hash: string): readonly PolicyFileOnDisk[] {
  return [{ path: import.meta.filename, hash } as PolicyFileOnDisk];
}

const trust: OwnFile = {
  title: 'the trust in policies',
  code: 'POLICY_FILE',
  prepare: (home) => trustPolicy(home, policy('old'), 1),
  write: (home) => trustPolicy(home, policy('new'), 2),
  read: (home) => ['nothing', 'old', 'new'][listTrusted(home)[0]?.at ?? 0] ?? 'something else',
};

function pins(folder: string, name: string): Promise<void> {
  const print = { hash: 'h', reach: 'r', parts: {} };
  return updatePins(
    join(folder, 'pins.json'),
    () => new Map([['s', { name: 's', print: { ...print, hash: name }, tools: [] }]]),
  );
}

const pinFile: OwnFile = {
  title: 'pins',
  code: 'PINS_UNUSABLE',
  prepare: (folder) => pins(folder, 'old'),
  write: (folder) => pins(folder, 'new'),
  read: (folder) => {
    buryLocks(folder);
    return loadPins(join(folder, 'pins.json')).get('s')?.print.hash ?? 'old';
  },
};

/** After a real crash the process that owns the lock is dead; here it is still alive. */
function buryLocks(folder: string): void {
  for (const name of readdirSync(folder).filter((each) => each.endsWith('.lock'))) {
    const path = join(folder, name);
    const lock = readFileSync(path, 'utf8');
    if (!/^\d+ [\da-f]{16}$/.test(lock)) throw new RangeError(`the lock is incomplete: ${JSON.stringify(lock)}`);
    writeFileSync(path, lock.replace(/^\d+/, '4194304'));
  }
}

const cache: OwnFile = {
  title: 'the cache',
  prepare: (home) => keepInCache(home, texts.old),
  write: (home) => keepInCache(home, texts.new),
  read: (home) => told(new PrivateCache(home, 'test').read('document-x')?.toString()),
};

function keepInCache(home: string, text: string): void {
  const kept = new PrivateCache(home, 'test');
  kept.write('document-x', text, 4);
  if (!kept.hasWritten) throw new RangeError('not kept');
}

const secret: OwnFile = {
  title: 'the secret of a store',
  code: 'STORE_KEYS',
  write: (folder) => openKeyRing(join(folder, 'keys')),
  read: (folder) => {
    const text = textIn(join(folder, 'keys', 'store.secret'));
    if (text === undefined) return 'old';
    return /^[0-9a-f]{64}\n$/.test(text) ? 'new' : `${text.length} characters`;
  },
};

const journalKey: OwnFile = {
  title: 'the key of a journal',
  code: 'STORE_KEYS',
  prepare: (folder) => openKeyRing(join(folder, 'keys')),
  write: (folder) => openKeyRing(join(folder, 'keys')).journalKey(),
  read: (folder) => {
    const ring = openKeyRing(join(folder, 'keys'), { create: false });
    return ring.journalKeys().length === 0 ? 'old' : ring.journalKey().name.replace('journal', 'new');
  },
};

const approverKey: OwnFile = {
  title: 'the key of an approver',
  code: 'STORE_KEYS',
  prepare: (folder) => mkdirSync(join(folder, 'keys'), { mode: 0o700 }),
  write: (folder) => createApproverKey({ folder: join(folder, 'keys'), name: 'ann' }),
  again: (folder) => createApproverKey({ folder: join(folder, 'keys'), name: 'ben' }),
  read: (folder) => {
    const trusted = openKeyRing(join(folder, 'keys')).approverKeys();
    if (trusted.length === 0) return 'old';
    const own = openApproverKey({ folder: join(folder, 'keys'), name: trusted[0]?.name ?? '' });
    return own.id === trusted[0]?.id ? 'new' : 'another key';
  },
};

export const ownFiles: readonly OwnFile[] = [
  {
    title: 'a file',
    prepare: (folder) => writeFileAtomicSync(join(folder, 'f'), texts.old),
    write: (folder) => writeFileAtomicSync(join(folder, 'f'), texts.new),
    read: (folder) => told(textIn(join(folder, 'f'))),
  },
  {
    title: 'a file in folders that are not there, later',
    write: (folder) => writeFileAtomic(join(folder, 'a', 'b', 'f'), texts.new),
    read: (folder) => told(textIn(join(folder, 'a', 'b', 'f'))),
  },
  {
    title: 'a file that must not be there',
    write: (folder) => createFileAtomicSync(join(folder, 'f'), texts.new),
    read: (folder) => told(textIn(join(folder, 'f'))),
  },
  sessions,
  trust,
  pinFile,
  cache,
  secret,
  journalKey,
  approverKey,
];
