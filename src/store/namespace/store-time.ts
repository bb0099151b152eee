/** One time for all processes of a store, so that leases and rates do not depend on how well their clocks agree. */

import type { Queries } from '../database/database.ts';
import type { NamespaceContext } from './namespace-context.ts';

const serverTime = 'SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT) AS at';

/** Milliseconds since 1970: those of the server where there is one, unless the store was given a clock of its own. */
export async function storeTime({ database, clock }: NamespaceContext, queries: Queries): Promise<number> {
  if (database.dialect !== 'postgres' || clock !== Date.now) return clock();
  const [row] = await queries.all(serverTime);
  return Number(row?.['at']);
}
