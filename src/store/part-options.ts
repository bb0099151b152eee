/** What every part of a store is made from. */

import type { Database } from './database/database.ts';
import type { KeyRing } from './keys/key-ring.ts';
import type { Sealer } from './sealed-row.ts';

export interface PartOptions {
  readonly database: Database;
  readonly namespace: string;
  readonly keys: KeyRing;
  readonly sealer: Sealer;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
}
