/** The queue as DBOS keeps it: a workflow per stretch of a run, under an id that names both. */

import { AsyncResource } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
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

/** Which stretch of which run; stretches are counted from 1, like the segments of a run that was taken. */
export interface Segment {
  readonly run: string;
  readonly agent: string;
  readonly number: number;
}

/** `queued`: nobody has it. `taken`: a worker has it, or had it when it died. `over`: it was worked on. */
export type DeliveryState = 'queued' | 'taken' | 'over';

/** What the workflow is given. */
type WorkflowInput = Pick<Segment, 'run' | 'agent'>;
type LocalQueue = ReturnType<LaunchedDbos['registerInternalQueue']>;
type SegmentWorkflow = (given: WorkflowInput) => Promise<void>;

const workflowName = 'bridle.segment';
const endedStatuses = ['SUCCESS', 'ERROR', 'CANCELLED', 'MAX_RECOVERY_ATTEMPTS_EXCEEDED'] as const;
const withoutData = { workflowName, loadInput: false, loadOutput: false } as const;
/** Rows that are read or deleted at once. */
const batchSize = 1000;
/** Longer than an agent takes to let its runs go. */
const shutdownTimeoutMs = 20_000;

export async function openDbosQueue(order: DbosQueueOptions): Promise<DbosQueue> {
  const { worker, store, agents, settings } = order;
  const { concurrency, pollMs, emit: tell } = settings;
  const application = `bridle/${store.namespace}`;
  // The code of agents is no part of a workflow: it runs in the context of whoever started the worker.
  const outside = AsyncResource.bind(order.work);
  const locals: LocalQueue[] = [];
  let workflow: SegmentWorkflow = ({ run, agent }) => outside({ id: run, agent });
  const { url, schema } = databaseOf(settings.store.at);
  const dbos = await launchDbos({
    url,
    schema,
    application,
    executor: worker,
    declare: ({ DBOS, registerInternalQueue }) => {
      workflow = DBOS.registerWorkflow(workflow, { name: workflowName });
      // The limits of a registered queue are a row that all workers share; these are this worker's own.
      const limits = { workerConcurrency: concurrency, minPollingIntervalMs: pollMs };
      for (const agent of agents) locals.push(registerInternalQueue(`${application}/${agent}`, limits));
    },
    problem: (message) => tell({ type: 'problem', message }),
  });
  return new DbosQueue({ dbos, workflow, locals, application, pollMs, namespace: store.namespace, schema });
}

/** Beside the tables of the store, in a schema that is named after theirs. */
function databaseOf(at: string | undefined): { readonly url: string; readonly schema: string } {
  const address = readStoreAddress(at);
  if (address.type !== 'postgres') throw new BridleError('WORKER_FAILED', 'DBOS needs a store on Postgres');
  return { url: address.url.href, schema: `${address.schema}_dbos` };
}

interface DbosQueueParts {
  readonly dbos: LaunchedDbos;
  readonly workflow: SegmentWorkflow;
  readonly locals: readonly LocalQueue[];
  readonly application: string;
  readonly namespace: string;
  readonly schema: string;
  readonly pollMs: number;
}

export class DbosQueue {
  constructor(private readonly parts: DbosQueueParts) {}

  /** Puts a stretch into the queue, unless it is or was there. */
  async add(segment: Segment): Promise<void> {
    const { DBOS } = this.parts.dbos;
    const { run, agent } = segment;
    const start = { workflowID: this.idOf(segment), queueName: this.nameOf(agent) };
    await DBOS.startWorkflow(this.parts.workflow, start)({ run, agent });
  }

  /** What became of these; nothing for one that is not known, or was forgotten. */
  async states(segments: readonly Segment[]): Promise<ReadonlyMap<Segment, DeliveryState>> {
    const byId = new Map(segments.map((segment) => [this.idOf(segment), segment]));
    const rows = await this.parts.dbos.DBOS.listWorkflows({ ...withoutData, workflowIDs: [...byId.keys()] });
    return new Map(
      rows.flatMap(({ workflowID, status }) => {
        const segment = byId.get(workflowID);
        return segment === undefined ? [] : [[segment, stateOf(status)] as const];
      }),
    );
  }

  /** Stretches that were taken before this time and are not over. */
  async claimedBefore(time: number): Promise<readonly Segment[]> {
    const dequeuedBefore = new Date(time).toISOString();
    const rows = await this.parts.dbos.DBOS.listWorkflows({
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
    if (segments.length > 0) await this.parts.dbos.DBOS.deleteWorkflows(segments.map((each) => this.idOf(each)));
  }

  async removeEndedBefore(time: number): Promise<void> {
    const { DBOS } = this.parts.dbos;
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

  /** Does something that one worker of all does at a time. */
  async exclusively(work: () => Promise<void>): Promise<void> {
    await tryWithLock(this.parts.dbos.pool, `tidy ${this.parts.schema} ${this.parts.application}`, work);
  }

  /** Takes nothing more; what is just being taken has begun when this settles. */
  async pause(): Promise<void> {
    for (const local of this.parts.locals) local.workerConcurrency = 0;
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
  if (status === 'PENDING') return 'taken';
  return (endedStatuses as readonly string[]).includes(status) ? 'over' : 'queued';
}
