/**
 * Binds a namespace to the secret it was created with, so a wrong key folder is reported before every row looks
 * damaged.
 */

import { BridleError } from '../../kernel/errors.ts';
import type { Database } from '../database/database.ts';
import { secretFingerprint } from '../keys/open-key-ring.ts';
import type { NamespaceContext } from './namespace-context.ts';

type NamespaceClaim = Pick<NamespaceContext, 'database' | 'namespace' | 'keys' | 'clock'> & {
  /** False: a missing namespace is an error. */
  readonly create: boolean;
};

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
