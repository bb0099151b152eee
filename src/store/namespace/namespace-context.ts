/** What every part of a store works with. */

import type { Database } from '../database/database.ts';
import type { KeyRing } from '../../approvals/signing/key-ring.ts';
import type { Sealer } from './sealed-row.ts';

export interface NamespaceContext {
  readonly database: Database;
  readonly namespace: string;
  readonly keys: KeyRing;
  readonly sealer: Sealer;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
}
