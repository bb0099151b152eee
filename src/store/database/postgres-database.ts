/** Postgres by its URL. */

import { BridleError } from '../../errors.ts';
import type { Database } from './database.ts';

export interface PostgresOptions {
  readonly url: URL;
  readonly durability: 'full' | 'process';
}

export async function openPostgres(options: PostgresOptions): Promise<Database> {
  await Promise.resolve();
  throw new BridleError('STORE_FAILED', `Postgres is not there yet: ${options.url.host}.`);
}
