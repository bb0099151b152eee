/**
 * A worker claims queued runs from a store, works on each until it ends or waits for an approval, and takes over the runs
 * of dead workers. Several workers on one store share the work.
 */

import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { loadWithPackages } from '../files/optional-packages.ts';
import { openStore } from '../store/open-store.ts';
import type { Store } from '../store/store.ts';
import { type Dispatcher, LocalDispatcher, type RunHandler } from './dispatcher.ts';
import { PollingLoop } from './polling-loop.ts';
import { WorkerAgents } from './worker-agents.ts';
import { readWorkerOptions, type WorkerOptions, type WorkerSettings } from './worker-options.ts';

export interface Worker {
  /** Unique among all workers. */
  readonly id: string;
  /** Its store; closed when the worker stops. */
  readonly store: Store;
  /** The names of its agents. */
  readonly agents: readonly string[];
  /** Claims no more runs, releases each run after its current step, and closes the store. Safe to call twice. */
  stop(): Promise<void>;
}

/** How many of the oldest queued runs to offer per round: more than a fleet can claim between two rounds. */
const maxOffered = 200;
/** Answers and new runs wake a worker immediately; this is the delay if a notification is lost. */
const offerIntervalMs = 5000;
/** The queue is not read more often than this, however many notifications arrive. */
const minOfferIntervalMs = 100;
/**
 * The share of the lease after which a run without heartbeats expires. Heartbeats are sent every third of it, and leases
 * are checked every eighth of the whole lease, so a dead worker's run is taken over within its lease.
 */
const leaseShare = 0.75;

/** Starts a worker. */
export async function startWorker(options: WorkerOptions): Promise<Worker> {
  const settings = readWorkerOptions(options);
  const id = `${hostname()}-${process.pid}-${randomBytes(4).toString('hex')}`;
  const store = await openStore(settings.store);
  let agents: WorkerAgents;
  try {
    agents = await WorkerAgents.start(settings.agents, store);
  } catch (error) {
    await store.close();
    throw error;
  }
  const worker = new RunningWorker({ id, store, agents, settings });
  try {
    await worker.start();
    return worker;
  } catch (error) {
    await worker.stop();
    throw error;
  }
}

interface WorkerParts {
  readonly id: string;
  readonly store: Store;
  readonly agents: WorkerAgents;
  readonly settings: WorkerSettings;
}

class RunningWorker implements Worker {
  readonly id: string;
  readonly store: Store;
  readonly agents: readonly string[];
  private dispatcher: Dispatcher | undefined;
  private readonly loops: PollingLoop[] = [];
  /** Starts the next round of offering runs. */
  private wake: () => void = () => undefined;
  private unwatch: (() => void) | undefined;
  private stopping: Promise<void> | undefined;

  constructor(private readonly parts: WorkerParts) {
    this.id = parts.id;
    this.store = parts.store;
    this.agents = parts.agents.names;
  }

  async start(): Promise<void> {
    const { id, store, agents, parts } = this;
    const { concurrency, leaseMs, emit } = parts.settings;
    const dispatcher = await this.openDispatcher();
    this.dispatcher = dispatcher;
    this.unwatch = await store.runs.watch(() => this.wake());
    const onError = (message: string): void => emit({ type: 'problem', message });
    const loop = (work: () => Promise<void>, pauseMs: number, minPauseMs = 0): PollingLoop => {
      const created = new PollingLoop({ work, pauseMs, minPauseMs, onError });
      this.loops.push(created);
      return created;
    };
    const offerLoop = loop(() => this.offerQueuedRuns(dispatcher), offerIntervalMs, minOfferIntervalMs);
    this.wake = () => offerLoop.wake();
    loop(() => this.expireLeases(), leaseMs / 8);
    loop(() => this.cleanUp(dispatcher), leaseMs / 2);
    const { at, namespace } = store;
    emit({ type: 'worker_started', worker: id, store: at, namespace, agents, concurrency, leaseMs });
  }

  stop(): Promise<void> {
    this.stopping ??= this.shutDown();
    return this.stopping;
  }

  private async shutDown(): Promise<void> {
    const { agents, store, settings } = this.parts;
    settings.emit({ type: 'worker_stopping' });
    this.unwatch?.();
    for (const loop of this.loops) loop.stop();
    try {
      // Stop deliveries before the agents: a stopped agent refuses runs, which would delay them.
      await this.dispatcher?.pause();
      await agents.stop();
      await this.dispatcher?.close();
    } finally {
      await store.close();
      settings.emit({ type: 'worker_stopped' });
    }
  }

  private async openDispatcher(): Promise<Dispatcher> {
    const { id, store, agents, settings } = this.parts;
    const { concurrency } = settings;
    const work: RunHandler = (run) => this.workOn(run);
    if (store.dialect === 'sqlite') {
      return new LocalDispatcher({ concurrency, work, onRoom: () => this.wake() });
    }
    const { openDbosDispatcher } = await loadWithPackages(
      'A worker on Postgres',
      ['@dbos-inc/dbos-sdk', 'pg'],
      () => import('./dbos-dispatcher.ts'),
    );
    return openDbosDispatcher({ worker: id, store, agents: agents.names, settings, work });
  }

  private async offerQueuedRuns(dispatcher: Dispatcher): Promise<void> {
    await dispatcher.offer(await this.store.runs.queued({ agents: this.agents, limit: maxOffered }));
  }

  /** Reclaims runs with expired leases and expires approvals. */
  private async expireLeases(): Promise<void> {
    const { runs, approvals } = this.store;
    const reclaimed = await runs.reap();
    if (reclaimed.length > 0) this.parts.settings.emit({ type: 'runs_taken_back', runs: reclaimed });
    await approvals.expire();
  }

  private async cleanUp(dispatcher: Dispatcher): Promise<void> {
    await dispatcher.cleanUp();
    this.wake();
  }

  private async workOn({ id: run, agent }: Parameters<RunHandler>[0]): Promise<void> {
    const { agents, settings } = this.parts;
    const { leaseMs, emit } = settings;
    const startedAt = performance.now();
    emit({ type: 'segment_started', run, agent });
    const result = await agents.resume(run, { agent, leaseMs: leaseMs * leaseShare });
    emit({ type: 'segment_ended', run, agent, ...result, elapsedMs: performance.now() - startedAt });
  }
}
