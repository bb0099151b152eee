/** The namespace of a store belongs to the secret it began with: said at once, before every row seems damaged. */

import { BridleError } from '../../kernel/errors.ts';
import type { Database } from '../database/database.ts';
import { secretFingerprint } from '../keys/open-key-ring.ts';
import type { NamespaceContext } from './namespace-context.ts';

type NamespaceClaim = Pick<NamespaceContext, 'database' | 'namespace' | 'keys' | 'clock'> & {
  /** False: a namespace that is not there is not made. */
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
  // Of two processes that begin it together, one has given it its secret.
  if ((stored ?? (await fingerprintOf(database, namespace))) === fingerprint) return;
  throw new BridleError(
    'STORE_KEYS',
    `The namespace ${JSON.stringify(namespace)} of the store was made with another secret than the one in ${keys.folder}. ` +
      'Copy the file store.secret from where the store was made into a folder of keys, or use another namespace.',
  );
}

async function fingerprintOf(database: Database, namespace: string): Promise<string | undefined> {
  const rows = await database.all('SELECT fingerprint FROM bridle_namespaces WHERE namespace = ?', [namespace]);
  return rows[0] === undefined ? undefined : String(rows[0]['fingerprint']);
}

/** Which others there are is theirs to tell: a namespace may be a customer. */
function missingNamespace(namespace: string): BridleError {
  return new BridleError(
    'STORE_FAILED',
    `There is no namespace ${JSON.stringify(namespace)} in the store. Look at how it is spelled; what writes to the store makes it.`,
  );
}
