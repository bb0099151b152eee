/** Opens a store: its keys, its database, and every part of it for one namespace. */

import { BridleError } from '../errors.ts';
import { openAnswers } from './answers/open-answers.ts';
import { answerTables } from './answers/answer-tables.ts';
import { approvalTables } from './approvals/approval-tables.ts';
import { openApprovals } from './approvals/open-approvals.ts';
import { counterTables } from './counters/counter-tables.ts';
import { openCounters } from './counters/open-counters.ts';
import type { Database } from './database/database.ts';
import { openDatabase, type OpenedDatabase } from './database/open-database.ts';
import { journalTables } from './journal/journal-tables.ts';
import { openJournal } from './journal/open-journal.ts';
import { openKeyRing, secretFingerprint } from './keys/open-key-ring.ts';
import type { KeyRing } from './keys/key-ring.ts';
import type { PartOptions } from './part-options.ts';
import { openRuns } from './runs/open-runs.ts';
import { runTables } from './runs/run-tables.ts';
import { makeSealer } from './sealed-row.ts';
import { openSessions } from './sessions/open-sessions.ts';
import { sessionTables } from './sessions/session-tables.ts';
import type { Store, StoreOptions } from './store.ts';

const tables = [journalTables, approvalTables, answerTables, counterTables, sessionTables, runTables];

/** Opens a store at a path or a Postgres URL, or as the options say; makes it if it is missing. */
export async function openStore(options: StoreOptions | string = {}): Promise<Store> {
  const { namespace = 'default', encrypt = false, clock = Date.now, ...place } = readOptions(options);
  const keys = openKeyRing(place.keys, { create: place.create });
  const opened = await openDatabase(place, tables);
  try {
    await claimNamespace(opened.database, { namespace, keys, clock });
    const parts = {
      database: opened.database,
      namespace,
      keys,
      clock,
      sealer: makeSealer({ keys, namespace, encrypt }),
    };
    return makeStore(opened, parts);
  } catch (error) {
    await opened.database.close();
    throw error;
  }
}

function makeStore({ at, files, database }: OpenedDatabase, parts: PartOptions): Store {
  const journal = openJournal(parts);
  let closing: Promise<void> | undefined;
  const close = async () => {
    try {
      await journal.close();
    } finally {
      await database.close();
    }
  };
  return {
    type: 'bridle-store',
    dialect: database.dialect,
    at,
    namespace: parts.namespace,
    files: [...files, parts.keys.folder],
    keys: parts.keys,
    journal,
    approvals: openApprovals(parts),
    answers: openAnswers(parts),
    counters: openCounters(parts),
    sessions: openSessions(parts),
    runs: openRuns(parts),
    close: () => (closing ??= close()),
  };
}

/** Rows of a namespace open with the secret it began with and no other: said here, before every row seems damaged. */
async function claimNamespace(
  database: Database,
  { namespace, keys, clock }: Pick<PartOptions, 'namespace' | 'keys' | 'clock'>,
): Promise<void> {
  const own = secretFingerprint(keys);
  const read = 'SELECT fingerprint FROM bridle_namespaces WHERE namespace = ?';
  let rows = await database.all(read, [namespace]);
  if (rows.length === 0) {
    await database.run(
      'INSERT INTO bridle_namespaces (namespace, fingerprint, created_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
      [namespace, own, clock()],
    );
    rows = await database.all(read, [namespace]);
  }
  if (rows[0]?.['fingerprint'] !== own) throw otherKeys(namespace, keys);
}

function otherKeys(namespace: string, keys: KeyRing): BridleError {
  return new BridleError(
    'STORE_KEYS',
    `The namespace ${JSON.stringify(namespace)} of the store was made with another secret than the one in ${keys.folder}. ` +
      'Copy the file store.secret from where the store was made into a folder of keys, or use another namespace.',
  );
}

function readOptions(options: StoreOptions | string): StoreOptions {
  const read = typeof options === 'string' ? { at: options } : options;
  const { namespace, durability } = read;
  if (namespace !== undefined && !/^[^\p{C}]{1,200}$/u.test(namespace)) {
    throw new BridleError('OPTION_INVALID', 'A namespace is 1 to 200 characters, all of them visible.');
  }
  if (durability !== undefined && durability !== 'full' && durability !== 'process') {
    throw new BridleError('OPTION_INVALID', "The durability of a store is 'full' or 'process'.");
  }
  return read;
}
