/** DBOS in this process: loaded when it is needed, launched on the Postgres of the store, in a schema of its own. */

import type { DBOS as Dbos } from '@dbos-inc/dbos-sdk';
import type { registerInternalQueue as registerQueue } from '@dbos-inc/dbos-sdk/internal/wfqueue';
import pg from 'pg';
import { BridleError, messageOf } from '../kernel/errors.ts';
import { withLock } from './advisory-lock.ts';

export interface DbosOptions {
  readonly url: string;
  /** The schema of its tables. */
  readonly schema: string;
  /** Whose workflows these are: nobody else of the same schema sees or takes them. */
  readonly application: string;
  readonly executor: string;
  /** Declares workflows and queues, which must be known before anything is taken. */
  readonly declare: (dbos: LoadedDbos) => void;
  readonly problem: (message: string) => void;
}

interface LoadedDbos {
  readonly DBOS: typeof Dbos;
  readonly registerInternalQueue: typeof registerQueue;
}

export interface LaunchedDbos extends LoadedDbos {
  readonly pool: pg.Pool;
  /** Takes nothing more, and waits this long for what runs. */
  shutdown(patienceMs: number): Promise<void>;
}

/** Enough for a round of the queue, one of the feed, and the ends of some workflows at once. */
const maxConnections = 6;

export async function launchDbos(order: DbosOptions): Promise<LaunchedDbos> {
  const loaded = await loadDbos();
  const { DBOS } = loaded;
  if (DBOS.isInitialized()) {
    throw new BridleError('WORKER_FAILED', 'DBOS runs in this process already: start one worker per process');
  }
  const pool = openPool(order);
  const shutdown = async (patienceMs: number): Promise<void> => {
    await DBOS.shutdown({ deregister: true, workflowCompletionTimeoutMS: patienceMs });
    await pool.end();
  };
  try {
    order.declare(loaded);
    DBOS.setConfig(configOf(order, pool));
    // Workers that start together on an empty server would make the same tables.
    await withLock(pool, `launch ${order.schema}`, () => DBOS.launch());
    return { ...loaded, pool, shutdown };
  } catch (error) {
    await shutdown(0).catch(() => undefined);
    throw openError(error, order.schema);
  }
}

/** Without listeners a connection that breaks would end the process, idle or in use. */
function openPool({ url, problem }: DbosOptions): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max: maxConnections,
    application_name: 'bridle worker',
    connectionTimeoutMillis: 10_000,
    // A process that stands still must not hold up the others for ever.
    idle_in_transaction_session_timeout: 60_000,
    keepAlive: true,
  });
  pool.on('error', (error) => problem(`the queue lost a connection: ${messageOf(error)}`));
  // Whoever uses the connection is told by its queries.
  pool.on('connect', (client) => client.on('error', ignore));
  return pool;
}

function configOf(
  { url, schema, application, executor, problem }: DbosOptions,
  pool: pg.Pool,
): Parameters<typeof Dbos.setConfig>[0] {
  const tell = (entry: unknown): void => problem(`DBOS: ${messageOf(entry)}`);
  return {
    name: application,
    systemDatabaseUrl: url,
    systemDatabasePool: pool,
    systemDatabaseSchemaName: schema,
    // What a workflow is given has this form; versions are told apart by name in the whole schema.
    applicationVersion: `${application}/1`,
    executorID: executor,
    // Queues of this process are declared in it, and those of others are not its business.
    listenQueues: [],
    useListenNotify: false,
    logger: { debug: ignore, info: ignore, warn: tell, error: tell },
  };
}

function ignore(): void {
  // What goes well is not told.
}

async function loadDbos(): Promise<LoadedDbos> {
  try {
    const [{ DBOS }, { registerInternalQueue }] = await Promise.all([
      import('@dbos-inc/dbos-sdk'),
      import('@dbos-inc/dbos-sdk/internal/wfqueue'),
    ]);
    return { DBOS, registerInternalQueue };
  } catch (error) {
    throw new BridleError(
      'WORKER_FAILED',
      'a worker on Postgres needs the package @dbos-inc/dbos-sdk, which cannot be loaded: ' +
        `${messageOf(error)}. Install it: npm install @dbos-inc/dbos-sdk@5.3.0`,
      { cause: error },
    );
  }
}

function openError(error: unknown, schema: string): BridleError {
  const message = messageOf(error);
  const hint = /permission denied/.test(message)
    ? `. The role needs the right to make the schema ${schema} once, or to use it: see "Rights" in docs/guides/fleet.md`
    : '';
  return new BridleError('WORKER_FAILED', `the queue on Postgres cannot be opened: ${message}${hint}`, {
    cause: error,
  });
}
