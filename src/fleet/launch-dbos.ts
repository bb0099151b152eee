/** Launches DBOS on the store's Postgres database, in its own schema. */

import { setTimeout as sleep } from 'node:timers/promises';
import { DBOS } from '@dbos-inc/dbos-sdk';
import pg from 'pg';
import { BridleError, messageOf } from '../kernel/errors.ts';
import { isConnectionLost } from '../store/postgres/postgres-error.ts';
import { withLock } from './advisory-lock.ts';

export interface DbosOptions {
  readonly url: string;
  /** The schema of its tables. */
  readonly schema: string;
  /** Owns the workflows: other applications in the same schema don't see them. */
  readonly application: string;
  readonly executor: string;
  /** Registers workflows and queues; called before the first delivery, and again for each further attempt to launch. */
  readonly declare: () => void;
  readonly problem: (message: string) => void;
}

export interface LaunchedDbos {
  readonly pool: pg.Pool;
  /** Stops deliveries and waits this long for running workflows. */
  shutdown(timeoutMs: number): Promise<void>;
}

/** Enough for polling the queue, offering runs, and ending several workflows at the same time. */
const maxConnections = 6;

/** Pauses between attempts to launch if the connection is lost, for example because the server restarts. */
const pausesMs = [100, 400, 1600];

export async function launchDbos(options: DbosOptions): Promise<LaunchedDbos> {
  if (DBOS.isInitialized()) {
    throw new BridleError('WORKER_FAILED', 'DBOS is already running in this process: start one worker per process');
  }
  for (let attempt = 0; ; attempt++) {
    try {
      return await tryLaunch(options);
    } catch (error) {
      const pauseMs = pausesMs[attempt];
      if (pauseMs === undefined || !isLaunchInterrupted(error)) throw openError(error, options.schema);
      options.problem(`cannot open the queue yet: ${messageOf(error)}`);
      await sleep(pauseMs);
    }
  }
}

async function tryLaunch(options: DbosOptions): Promise<LaunchedDbos> {
  const pool = openPool(options);
  const shutdown = async (timeoutMs: number): Promise<void> => {
    await DBOS.shutdown({ deregister: true, workflowCompletionTimeoutMS: timeoutMs });
    await pool.end();
  };
  try {
    options.declare();
    DBOS.setConfig(configOf(options, pool));
    // Prevents workers that start together on an empty database from creating the same tables.
    await withLock(pool, `launch ${options.schema}`, () => DBOS.launch());
    return { pool, shutdown };
  } catch (error) {
    await shutdown(0).catch(() => undefined);
    throw error;
  }
}

/** DBOS keeps the database's error in `error`. */
function isLaunchInterrupted(error: unknown): boolean {
  return isConnectionLost(error) || (error instanceof Error && 'error' in error && isConnectionLost(error.error));
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
): Parameters<typeof DBOS.setConfig>[0] {
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

function openError(error: unknown, schema: string): BridleError {
  const message = messageOf(error);
  const hint = /permission denied/.test(message)
    ? `. The role needs the right to create the schema ${schema}, or to use it: see "Rights" in docs/guides/fleet.md`
    : '';
  return new BridleError('WORKER_FAILED', `cannot open the queue on Postgres: ${message}${hint}`, {
    cause: error,
  });
}
