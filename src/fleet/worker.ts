/**
 * A worker: takes runs that are queued in a store, goes on with each until it has ended or waits for an answer, and
 * takes over what dead workers have left. Several workers on one store share the work.
 */

import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { openStore } from '../store/open-store.ts';
import type { Store } from '../store/store.ts';
import type { Dispatcher, WorkOn } from './dispatcher.ts';
import { LocalDispatcher } from './local-dispatcher.ts';
import { Loop } from './loop.ts';
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
const lookAhead = 500;
/** Answers and new runs wake a worker at once; this is how long it takes if the news is lost. */
const sweepMs = 5000;

/** Starts a worker. */
export async function startWorker(options: WorkerOptions): Promise<Worker> {
  const settings = readWorkerOptions(options);
  const id = `${hostname()}-${process.pid}-${randomBytes(4).toString('hex')}`;
  const store = await openStore(settings.store);
  const undo: (() => Promise<void>)[] = [() => store.close()];
  try {
    const agents = await WorkerAgents.start(settings.agents, store);
    undo.push(() => agents.stop());
    const worker = new RunningWorker({ id, store, agents, settings });
    await worker.begin();
    return worker;
  } catch (error) {
    for (const each of undo.toReversed()) await each();
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
  private readonly loops: Loop[] = [];
  private unwatch: (() => void) | undefined;
  private stopping: Promise<void> | undefined;

  constructor(private readonly parts: WorkerParts) {
    this.id = parts.id;
    this.store = parts.store;
    this.agents = parts.agents.names;
  }

  async begin(): Promise<void> {
    const { id, store, agents, parts } = this;
    const { concurrency, leaseMs, tell } = parts.settings;
    const dispatcher = await this.openDispatcher();
    this.dispatcher = dispatcher;
    const failed = (message: string): void => tell({ type: 'problem', message });
    const feed = new Loop({ work: () => this.feed(dispatcher), pauseMs: sweepMs, leastMs: 50, failed });
    const pauseMs = leaseMs / 2;
    const care = new Loop({ work: () => this.care(dispatcher), pauseMs, leastMs: pauseMs, failed });
    this.loops.push(feed, care);
    const { at, namespace } = store;
    tell({ type: 'worker_started', worker: id, store: at, namespace, agents, concurrency, leaseMs });
    this.unwatch = await store.runs.watch(() => feed.wake());
  }

  stop(): Promise<void> {
    this.stopping ??= this.end();
    return this.stopping;
  }

  private async end(): Promise<void> {
    const { agents, store, settings } = this.parts;
    settings.tell({ type: 'worker_stopping' });
    this.unwatch?.();
    for (const loop of this.loops) loop.stop();
    try {
      // Nothing is taken any more before the agents go: they would refuse it, and it would be late elsewhere.
      await this.dispatcher?.pause();
      await agents.stop();
      await this.dispatcher?.close();
    } finally {
      await store.close();
      settings.tell({ type: 'worker_stopped' });
    }
  }

  private async openDispatcher(): Promise<Dispatcher> {
    const { id, store, agents, settings } = this.parts;
    const { concurrency } = settings;
    const work: WorkOn = (run) => this.workOn(run);
    if (store.dialect === 'sqlite') {
      return new LocalDispatcher({ concurrency, work, onRoom: () => this.loops[0]?.wake() });
    }
    const { openDbosDispatcher } = await import('./dbos-dispatcher.ts');
    return openDbosDispatcher({ worker: id, store, agents: agents.names, settings, work });
  }

  private async feed(dispatcher: Dispatcher): Promise<void> {
    await dispatcher.offer(await this.store.runs.queued({ agents: this.agents, limit: lookAhead }));
  }

  /** What is due by the clock, whoever lives: leases and questions that have run out. */
  private async care(dispatcher: Dispatcher): Promise<void> {
    const { runs, approvals } = this.store;
    const taken = await runs.reap();
    if (taken.length > 0) this.parts.settings.tell({ type: 'runs_taken_back', runs: taken });
    await approvals.expire(Date.now());
    await dispatcher.tidy();
    this.loops[0]?.wake();
  }

  private async workOn({ id: run, agent }: Parameters<WorkOn>[0]): Promise<void> {
    const { agents, settings } = this.parts;
    const { leaseMs, tell } = settings;
    const begun = performance.now();
    tell({ type: 'segment_started', run, agent });
    const end = await agents.resume(run, { agent, leaseMs });
    tell({ type: 'segment_ended', run, agent, ...end, elapsedMs: performance.now() - begun });
  }
}
