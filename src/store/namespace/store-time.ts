/** One clock for all processes that share a store, so leases and rates do not depend on synchronized machines. */

import type { Queries } from '../database/database.ts';
import type { NamespaceContext } from './namespace-context.ts';

const serverTime = 'SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT) AS at';

/** Milliseconds since 1970: the server's time on Postgres, unless the store was opened with its own clock. */
export async function storeTime({ database, clock }: NamespaceContext, queries: Queries): Promise<number> {
  if (database.dialect !== 'postgres' || clock !== Date.now) return clock();
  const [row] = await queries.all(serverTime);
  return Number(row?.['at']);
}
