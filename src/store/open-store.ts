/** Opens a store: its keys, its database, and every part of it for one namespace. */

import { callable, type ChecksOf, fieldProblems, flag, object, text } from '../catalog/check-fields.ts';
import { BridleError } from '../errors.ts';
import { openAnswers } from './answers/open-answers.ts';
import { answerTables } from './answers/answer-tables.ts';
import { approvalTables } from './approvals/approval-tables.ts';
import { openApprovals } from './approvals/open-approvals.ts';
import { counterTables } from './counters/counter-tables.ts';
import { openCounters } from './counters/open-counters.ts';
import { claimNamespace } from './claim-namespace.ts';
import { openDatabase, type OpenedDatabase } from './database/open-database.ts';
import { readStoreAddress } from './database/store-address.ts';
import { journalTables } from './journal/journal-tables.ts';
import { openJournal } from './journal/open-journal.ts';
import { openHostApprover } from './host-approver.ts';
import { openKeyRing } from './keys/open-key-ring.ts';
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
  const { namespace = 'default', encrypt = false, clock = Date.now, create = true, ...place } = readOptions(options);
  const address = readStoreAddress(place.at);
  // Where nothing is made, a missing store is said first: without it nobody has keys for it.
  const made = create ? openKeyRing(place.keys) : undefined;
  const opened = await openDatabase(address, { durability: place.durability, create, tables });
  const { database } = opened;
  try {
    const keys = made ?? openKeyRing(place.keys, { create });
    await claimNamespace({ database, namespace, keys, clock, create });
    return makeStore(opened, { database, namespace, keys, clock, sealer: makeSealer({ keys, namespace, encrypt }) });
  } catch (error) {
    await database.close();
    throw error;
  }
}

function makeStore({ at, files, database }: OpenedDatabase, parts: PartOptions): Store {
  const journal = openJournal(parts);
  const approvals = openApprovals(parts);
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
    approvals,
    answers: openAnswers(parts),
    counters: openCounters(parts),
    sessions: openSessions(parts),
    runs: openRuns(parts),
    openApprover: (key) => openHostApprover({ approvals, keys: parts.keys }, key),
    close: () => (closing ??= close()),
  };
}

const optionChecks: ChecksOf<StoreOptions> = {
  at: text,
  namespace: text,
  keys: text,
  durability: text,
  encrypt: flag,
  create: flag,
  clock: callable,
};

function readOptions(options: StoreOptions | string): StoreOptions {
  const read = typeof options === 'string' ? { at: options } : options;
  // A word that was mistyped, `encrypt` say, must not mean that it was not wanted.
  const wrong = object(read) ?? fieldProblems(read, optionChecks)[0];
  if (wrong !== undefined) throw new BridleError('OPTION_INVALID', `openStore: the options object: ${wrong}`);
  const { namespace, durability } = read;
  if (namespace !== undefined && !/^[^\p{C}]{1,200}$/u.test(namespace)) {
    throw new BridleError('OPTION_INVALID', 'A namespace is 1 to 200 characters, all of them visible.');
  }
  if (durability !== undefined && durability !== 'full' && durability !== 'process') {
    throw new BridleError('OPTION_INVALID', "The durability of a store is 'full' or 'process'.");
  }
  return read;
}
