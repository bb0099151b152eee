/** Opens a store: its keys, its database, and all its parts for one namespace. */

import * as is from '../kernel/shapes.ts';
import { readOptions } from '../kernel/shapes.ts';
import { openRememberedAnswers } from './approvals/open-remembered-answers.ts';
import { openApprovals } from './approvals/open-approvals.ts';
import { openCounters } from './counters/open-counters.ts';
import { claimNamespace, type NamespaceContext } from './namespace/namespace.ts';
import { openDatabase, type OpenedDatabase, type OpenOptions } from './open-database.ts';
import { readStoreAddress } from './database/store-address.ts';
import { openJournal } from './journal/open-journal.ts';
import { openHostApprover } from './host-approver.ts';
import { openKeyRing } from './keys/open-key-ring.ts';
import { findDriver } from './sqlite/sqlite-drivers.ts';
import { openRuns } from './runs/open-runs.ts';
import { createSealer } from './namespace/sealed-row.ts';
import { openSessions } from './sessions/open-sessions.ts';
import type { Store, StoreOptions } from './store.ts';

/** Opens the store at a path or Postgres URL, or as the options say. Creates it if it does not exist. */
export async function openStore(
  options: StoreOptions | string = {},
  { maxLogBytes }: Pick<OpenOptions, 'maxLogBytes'> = {},
): Promise<Store> {
  const given = typeof options === 'string' ? { at: options } : options;
  const {
    namespace = 'default',
    encrypt = false,
    clock = Date.now,
    create = true,
    ...rest
  } = readOptions('openStore', given, shape);
  const address = readStoreAddress(rest.at);
  // Without a driver, nothing is created.
  if (address.type === 'sqlite' && create) findDriver();
  // With `create: false`, report a missing store before missing keys: a store that does not exist has no keys.
  const newKeys = create ? openKeyRing(rest.keys) : undefined;
  const opened = await openDatabase(address, { durability: rest.durability, create, maxLogBytes });
  const { database } = opened;
  try {
    const keys = newKeys ?? openKeyRing(rest.keys, { create });
    await claimNamespace({ database, namespace, keys, clock, create });
    return makeStore(opened, { database, namespace, keys, clock, sealer: createSealer({ keys, namespace, encrypt }) });
  } catch (error) {
    await database.close();
    throw error;
  }
}

function makeStore({ at, files, database }: OpenedDatabase, context: NamespaceContext): Store {
  const journal = openJournal(context);
  const approvals = openApprovals(context);
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
    dialect: database.dialect.name,
    at,
    namespace: context.namespace,
    files: [...files, context.keys.folder],
    keys: context.keys,
    journal,
    approvals,
    answers: openRememberedAnswers(context),
    counters: openCounters(context),
    sessions: openSessions(context),
    runs: openRuns(context),
    openApprover: (key) => openHostApprover({ approvals, keys: context.keys }, key),
    close: () => (closing ??= close()),
  };
}

const shape = is.options<StoreOptions>({
  at: is.text,
  namespace: is.that(
    'a text of 1 to 200 visible characters',
    (value) => typeof value === 'string' && /^[^\p{C}]{1,200}$/u.test(value),
  ),
  keys: is.text,
  durability: is.oneOf('full', 'process'),
  // A misspelled `encrypt` must be an error: ignoring it would store plain text.
  encrypt: is.flag,
  create: is.flag,
  clock: is.func,
});
