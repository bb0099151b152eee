/** The queue in DBOS: one workflow per segment of a run; its id contains the run's id and the segment's number. */

import { AsyncResource } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { DBOS } from '@dbos-inc/dbos-sdk';
import { registerInternalQueue } from '@dbos-inc/dbos-sdk/internal/wfqueue';
import { BridleError } from '../kernel/errors.ts';
import { readStoreAddress } from '../store/database/store-address.ts';
import type { Store } from '../store/store.ts';
import { tryWithLock } from './advisory-lock.ts';
import { type LaunchedDbos, launchDbos } from './launch-dbos.ts';
import type { RunHandler } from './dispatcher.ts';
import type { WorkerSettings } from './worker-options.ts';

export interface DbosQueueOptions {
  readonly worker: string;
  readonly store: Store;
  readonly agents: readonly string[];
  readonly settings: WorkerSettings;
  readonly work: RunHandler;
}

/** One segment of a run, from claim to end or next wait; numbered from 1. */
export interface Segment {
  readonly run: string;
  readonly agent: string;
  readonly number: number;
}

/** `queued`: not delivered. `delivered`: a worker has it, or died with it. `ended`: a worker has finished it. */
export type DeliveryState = 'queued' | 'delivered' | 'ended';

/** The workflow's input. */
type WorkflowInput = Pick<Segment, 'run' | 'agent'>;
type LocalQueue = ReturnType<typeof registerInternalQueue>;
type SegmentWorkflow = (given: WorkflowInput) => Promise<void>;

const workflowName = 'bridle.segment';
const endedStatuses = ['SUCCESS', 'ERROR', 'CANCELLED', 'MAX_RECOVERY_ATTEMPTS_EXCEEDED'] as const;
const withoutData = { workflowName, loadInput: false, loadOutput: false } as const;
/** Rows read or deleted in one batch. */
const batchSize = 1000;
/** Longer than an agent needs to release its runs. */
const shutdownTimeoutMs = 20_000;

export async function openDbosQueue(options: DbosQueueOptions): Promise<DbosQueue> {
  const { worker, store, agents, settings } = options;
  const { concurrency, pollMs, emit } = settings;
  const application = `bridle/${store.namespace}`;
  // Agents must not run inside the workflow: they run in the async context that started the worker.
  const runOutside = AsyncResource.bind(options.work);
  const queues: LocalQueue[] = [];
  const segment: SegmentWorkflow = ({ run, agent }) => runOutside({ id: run, agent });
  let workflow = segment;
  const { url, schema } = databaseOf(settings.store.at);
  const dbos = await launchDbos({
    url,
    schema,
    application,
    executor: worker,
    declare: () => {
      workflow = DBOS.registerWorkflow(segment, { name: workflowName });
      // A registered queue's limits are shared by all workers; an internal queue's are this worker's own.
      const limits = { workerConcurrency: concurrency, minPollingIntervalMs: pollMs };
      queues.length = 0;
      for (const agent of agents) queues.push(registerInternalQueue(`${application}/${agent}`, limits));
    },
    problem: (message) => emit({ type: 'problem', message }),
  });
  return new DbosQueue({ dbos, workflow, queues, application, pollMs, namespace: store.namespace, schema });
}

/** The store's database; the queue gets its own schema, named after the store's. */
function databaseOf(at: string | undefined): { readonly url: string; readonly schema: string } {
  const address = readStoreAddress(at);
  if (address.type !== 'postgres') throw new BridleError('WORKER_FAILED', 'DBOS needs a store on Postgres');
  return { url: address.url.href, schema: `${address.schema}_dbos` };
}

interface DbosQueueParts {
  readonly dbos: LaunchedDbos;
  readonly workflow: SegmentWorkflow;
  readonly queues: readonly LocalQueue[];
  readonly application: string;
  readonly namespace: string;
  readonly schema: string;
  readonly pollMs: number;
}

export class DbosQueue {
  constructor(private readonly parts: DbosQueueParts) {}

  /** Queues a segment, unless it is or was in the queue. */
  async add(segment: Segment): Promise<void> {
    const { run, agent } = segment;
    const start = { workflowID: this.idOf(segment), queueName: this.nameOf(agent) };
    await DBOS.startWorkflow(this.parts.workflow, start)({ run, agent });
  }

  /** The states of these segments; unknown and removed ones are missing. */
  async states(segments: readonly Segment[]): Promise<ReadonlyMap<Segment, DeliveryState>> {
    const byId = new Map(segments.map((segment) => [this.idOf(segment), segment]));
    const rows = await DBOS.listWorkflows({ ...withoutData, workflowIDs: [...byId.keys()] });
    return new Map(
      rows.flatMap(({ workflowID, status }) => {
        const segment = byId.get(workflowID);
        return segment === undefined ? [] : [[segment, stateOf(status)] as const];
      }),
    );
  }

  /** Segments that were delivered before this time and have not ended. */
  async deliveredBefore(time: number): Promise<readonly Segment[]> {
    const dequeuedBefore = new Date(time).toISOString();
    const rows = await DBOS.listWorkflows({
      ...withoutData,
      status: 'PENDING',
      dequeuedBefore,
      limit: batchSize,
    });
    return rows.flatMap(({ workflowID, queueName = '' }) => {
      const segment = this.segmentOf(workflowID, queueName);
      return segment === undefined ? [] : [segment];
    });
  }

  async remove(segments: readonly Segment[]): Promise<void> {
    if (segments.length > 0) await DBOS.deleteWorkflows(segments.map((each) => this.idOf(each)));
  }

  async removeEndedBefore(time: number): Promise<void> {
    const completedBefore = new Date(time).toISOString();
    for (;;) {
      const rows = await DBOS.listWorkflows({
        ...withoutData,
        status: [...endedStatuses],
        completedBefore,
        limit: batchSize,
      });
      if (rows.length > 0) await DBOS.deleteWorkflows(rows.map(({ workflowID }) => workflowID));
      if (rows.length < batchSize) return;
    }
  }

  /** Runs `work` if no other worker is running it. */
  async exclusively(work: () => Promise<void>): Promise<void> {
    await tryWithLock(this.parts.dbos.pool, `tidy ${this.parts.schema} ${this.parts.application}`, work);
  }

  /** Stops deliveries here. When it resolves, segments that were being delivered have started. */
  async pause(): Promise<void> {
    for (const queue of this.parts.queues) queue.workerConcurrency = 0;
    await sleep(2 * this.parts.pollMs);
  }

  async close(): Promise<void> {
    await this.parts.dbos.shutdown(shutdownTimeoutMs);
  }

  private nameOf(agent: string): string {
    return `${this.parts.application}/${agent}`;
  }

  private idOf({ run, number }: Segment): string {
    return `${this.parts.namespace}/${run}:${number}`;
  }

  private segmentOf(id: string, queue: string): Segment | undefined {
    const { namespace, application } = this.parts;
    const [, run, number] = /^(.*):(\d+)$/.exec(id.slice(namespace.length + 1)) ?? [];
    if (run === undefined || !queue.startsWith(`${application}/`)) return undefined;
    return { run, agent: queue.slice(application.length + 1), number: Number(number) };
  }
}

function stateOf(status: string): DeliveryState {
  if (status === 'PENDING') return 'delivered';
  return (endedStatuses as readonly string[]).includes(status) ? 'ended' : 'queued';
}
