/**
 * A worker: takes runs that are queued in a store, goes on with each until it has ended or waits for an answer, and
 * takes over what dead workers have left. Several workers on one store share the work.
 */

import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { openStore } from '../store/open-store.ts';
import type { Store } from '../store/store.ts';
import type { Dispatcher, RunHandler } from './dispatcher.ts';
import { LocalDispatcher } from './local-dispatcher.ts';
import { PollingLoop } from './polling-loop.ts';
import { WorkerAgents } from './worker-agents.ts';
import { readWorkerOptions, type WorkerOptions, type WorkerSettings } from './worker-options.ts';

export interface Worker {
  /** Told apart from every other worker. */
  readonly id: string;
  /** Its store; closed when the worker stops. */
  readonly store: Store;
  /** The names of its agents. */
  readonly agents: readonly string[];
  /** Takes no more, lets each run go after the step it is at, and closes what was opened; twice is once. */
  stop(): Promise<void>;
}

/** Of the runs that wait longest, how many are looked at: more than the workers of a fleet can take in between. */
const maxOffered = 200;
/** Answers and new runs wake a worker at once; this is how long it takes if the news is lost. */
const offerIntervalMs = 5000;
/** However much there is to tell, the queue is not looked at more often. */
const minOfferIntervalMs = 100;
/**
 * The part of a lease that a run is held for without a sign of life. Signs come every third of it, and leases are looked
 * at every eighth of a whole one: a run is elsewhere within the lease of the worker that died.
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
  /** Has the queue looked at. */
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
    const { concurrency, leaseMs, emit: tell } = parts.settings;
    const dispatcher = await this.openDispatcher();
    this.dispatcher = dispatcher;
    this.unwatch = await store.runs.watch(() => this.wake());
    const failed = (message: string): void => tell({ type: 'problem', message });
    const loop = (work: () => Promise<void>, pauseMs: number, leastMs = 0): PollingLoop => {
      const made = new PollingLoop({ work, pauseMs, leastMs, failed });
      this.loops.push(made);
      return made;
    };
    const offerQueuedRuns = loop(() => this.feed(dispatcher), offerIntervalMs, minOfferIntervalMs);
    this.wake = () => offerQueuedRuns.wake();
    loop(() => this.expireLeases(), leaseMs / 8);
    loop(() => this.cleanUp(dispatcher), leaseMs / 2);
    const { at, namespace } = store;
    tell({ type: 'worker_started', worker: id, store: at, namespace, agents, concurrency, leaseMs });
  }

  stop(): Promise<void> {
    this.stopping ??= this.end();
    return this.stopping;
  }

  private async end(): Promise<void> {
    const { agents, store, settings } = this.parts;
    settings.emit({ type: 'worker_stopping' });
    this.unwatch?.();
    for (const loop of this.loops) loop.stop();
    try {
      // Nothing is taken any more before the agents go: they would refuse it, and it would be late elsewhere.
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
    const { openDbosDispatcher } = await import('./dbos-dispatcher.ts');
    return openDbosDispatcher({ worker: id, store, agents: agents.names, settings, work });
  }

  private async feed(dispatcher: Dispatcher): Promise<void> {
    await dispatcher.offer(await this.store.runs.queued({ agents: this.agents, limit: maxOffered }));
  }

  /** What is due by the clock, whoever lives: leases and questions that have run out. */
  private async expireLeases(): Promise<void> {
    const { runs, approvals } = this.store;
    const taken = await runs.reap();
    if (taken.length > 0) this.parts.settings.emit({ type: 'runs_taken_back', runs: taken });
    await approvals.expire();
  }

  private async cleanUp(dispatcher: Dispatcher): Promise<void> {
    await dispatcher.cleanUp();
    this.wake();
  }

  private async workOn({ id: run, agent }: Parameters<RunHandler>[0]): Promise<void> {
    const { agents, settings } = this.parts;
    const { leaseMs, emit: tell } = settings;
    const begun = performance.now();
    tell({ type: 'segment_started', run, agent });
    const shutDown = await agents.resume(run, { agent, leaseMs: leaseMs * leaseShare });
    tell({ type: 'segment_ended', run, agent, ...shutDown, elapsedMs: performance.now() - begun });
  }
}
