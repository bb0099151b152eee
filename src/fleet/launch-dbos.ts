/** Loads and launches DBOS on the store's Postgres database, in its own schema. */

import type { DBOS as Dbos } from '@dbos-inc/dbos-sdk';
import type { registerInternalQueue as registerQueue } from '@dbos-inc/dbos-sdk/internal/wfqueue';
import pg from 'pg';
import { BridleError, messageOf } from '../kernel/errors.ts';
import { withLock } from './advisory-lock.ts';

export interface DbosOptions {
  readonly url: string;
  /** The schema of its tables. */
  readonly schema: string;
  /** Owns the workflows: other applications in the same schema don't see them. */
  readonly application: string;
  readonly executor: string;
  /** Registers workflows and queues; called before the first delivery. */
  readonly declare: (dbos: LoadedDbos) => void;
  readonly problem: (message: string) => void;
}

interface LoadedDbos {
  readonly DBOS: typeof Dbos;
  readonly registerInternalQueue: typeof registerQueue;
}

export interface LaunchedDbos extends LoadedDbos {
  readonly pool: pg.Pool;
  /** Stops deliveries and waits this long for running workflows. */
  shutdown(timeoutMs: number): Promise<void>;
}

/** Enough for polling the queue, offering runs, and ending several workflows at the same time. */
const maxConnections = 6;

export async function launchDbos(options: DbosOptions): Promise<LaunchedDbos> {
  const loaded = await loadDbos();
  const { DBOS } = loaded;
  if (DBOS.isInitialized()) {
    throw new BridleError('WORKER_FAILED', 'DBOS is already running in this process: start one worker per process');
  }
  const pool = openPool(options);
  const shutdown = async (timeoutMs: number): Promise<void> => {
    await DBOS.shutdown({ deregister: true, workflowCompletionTimeoutMS: timeoutMs });
    await pool.end();
  };
  try {
    options.declare(loaded);
    DBOS.setConfig(configOf(options, pool));
    // Prevents workers that start together on an empty database from creating the same tables.
    await withLock(pool, `launch ${options.schema}`, () => DBOS.launch());
    return { ...loaded, pool, shutdown };
  } catch (error) {
    await shutdown(0).catch(() => undefined);
    throw openError(error, options.schema);
  }
}

/** Without error listeners, a broken connection, idle or in use, would crash the process. */
function openPool({ url, problem }: DbosOptions): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max: maxConnections,
    application_name: 'bridle worker',
    connectionTimeoutMillis: 10_000,
    // A frozen process must not block the others for ever.
    idle_in_transaction_session_timeout: 60_000,
    keepAlive: true,
  });
  pool.on('error', (error) => problem(`the queue lost a connection: ${messageOf(error)}`));
  // Queries on the connection report the error themselves.
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
    // The version of the workflow's input; version names are shared by the whole schema.
    applicationVersion: `${application}/1`,
    executorID: executor,
    // Only the queues registered in this process.
    listenQueues: [],
    useListenNotify: false,
    logger: { debug: ignore, info: ignore, warn: tell, error: tell },
  };
}

function ignore(): void {
  // Routine messages are not reported.
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
      'a worker on Postgres needs the package @dbos-inc/dbos-sdk, but it cannot be loaded: ' +
        `${messageOf(error)}. Install it: npm install @dbos-inc/dbos-sdk@5.3.0`,
      { cause: error },
    );
  }
}

function openError(error: unknown, schema: string): BridleError {
  const message = messageOf(error);
  const hint = /permission denied/.test(message)
    ? `. The role needs the right to create the schema ${schema}, or to use it: see "Rights" in docs/guides/fleet.md`
    : '';
  return new BridleError('WORKER_FAILED', `cannot open the queue on Postgres: ${message}${hint}`, {
    cause: error,
  });
}
