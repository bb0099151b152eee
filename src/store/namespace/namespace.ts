/** A namespace of a store: what every part of the store works with. */

import type { KeyRing } from '../../approvals/signing/key-ring.ts';
import { BridleError } from '../../kernel/errors.ts';
import type { Database, Queries } from '../database/database.ts';
import { secretFingerprint } from '../keys/open-key-ring.ts';
import type { Sealer } from './sealed-row.ts';

export interface NamespaceContext {
  readonly database: Database;
  readonly namespace: string;
  readonly keys: KeyRing;
  readonly sealer: Sealer;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
}

/**
 * One clock for all processes that share a store, so leases and rates do not depend on synchronized machines: the
 * server's time, if there is a server and the store was not opened with its own clock.
 */
export async function storeTime({ database, clock }: NamespaceContext, queries: Queries): Promise<number> {
  const { time } = database.dialect;
  if (time === undefined || clock !== Date.now) return clock();
  const [row] = await queries.all(time);
  return Number(row?.['at']);
}

type NamespaceClaim = Pick<NamespaceContext, 'database' | 'namespace' | 'keys' | 'clock'> & {
  /** False: a missing namespace is an error. */
  readonly create: boolean;
};

/**
 * Binds a namespace to the secret it was created with, so a wrong key folder is reported before every row looks
 * damaged.
 */
export async function claimNamespace({ database, namespace, keys, clock, create }: NamespaceClaim): Promise<void> {
  const fingerprint = secretFingerprint(keys);
  const stored = await fingerprintOf(database, namespace);
  if (stored === undefined && !create) throw missingNamespace(namespace);
  if (stored === undefined) {
    await database.run(
      'INSERT INTO bridle_namespaces (namespace, fingerprint, created_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
      [namespace, fingerprint, clock()],
    );
  }
  // If two processes create it at the same time, the first one sets the fingerprint.
  if ((stored ?? (await fingerprintOf(database, namespace))) === fingerprint) return;
  throw new BridleError(
    'STORE_KEYS',
    `The namespace ${JSON.stringify(namespace)} was created with a different secret than the one in ${keys.folder}. ` +
      'Copy store.secret from the machine that created the store into the key folder, or use another namespace.',
  );
}

async function fingerprintOf(database: Database, namespace: string): Promise<string | undefined> {
  const rows = await database.all('SELECT fingerprint FROM bridle_namespaces WHERE namespace = ?', [namespace]);
  return rows[0] === undefined ? undefined : String(rows[0]['fingerprint']);
}

/** Does not list the other namespaces: each may be a customer. */
function missingNamespace(namespace: string): BridleError {
  return new BridleError(
    'STORE_FAILED',
    `The store has no namespace ${JSON.stringify(namespace)}. Check the spelling: a namespace is created by the first process that writes to it.`,
  );
}
