/**
 * Dispatches runs to many machines. Each segment of a run is queued in DBOS, which delivers it to one worker. Runs are
 * recorded only in the store: the worker must claim the run there, so a duplicate or late delivery changes nothing.
 */

import type { QueuedRun, Runs } from '../store/runs/run-record.ts';
import { type DbosQueue, type DbosQueueOptions, openDbosQueue, type Segment } from './dbos-queue.ts';
import type { Dispatcher } from './dispatcher.ts';

/** How long an ended segment is kept, so that a stale read of the store does not queue it again. */
const retentionMs = 60_000;
const maxConcurrent = 8;

export async function openDbosDispatcher(options: DbosQueueOptions): Promise<Dispatcher> {
  const runningHere = new Set<string>();
  const queue = await openDbosQueue({
    ...options,
    work: async (run) => {
      runningHere.add(run.id);
      try {
        await options.work(run);
      } finally {
        runningHere.delete(run.id);
      }
    },
  });
  return new DbosDispatcher({ queue, runs: options.store.runs, leaseMs: options.settings.leaseMs, runningHere });
}

interface DispatcherParts {
  readonly queue: DbosQueue;
  readonly runs: Runs;
  readonly leaseMs: number;
  /** The runs that this process is working on. */
  readonly runningHere: ReadonlySet<string>;
}

class DbosDispatcher implements Dispatcher {
  /** Segments known to be in the queue; all others are looked up. */
  private delivered = new Set<string>();

  constructor(private readonly parts: DispatcherParts) {}

  async offer(runs: readonly QueuedRun[]): Promise<void> {
    const wanted = runs.map(nextSegment);
    const unknown = wanted.filter((segment) => !this.delivered.has(keyOf(segment)));
    if (unknown.length > 0) await this.deliver(unknown);
    // Forget segments that are no longer queued in the store.
    this.delivered = new Set(wanted.map(keyOf).filter((key) => this.delivered.has(key)));
  }

  async cleanUp(): Promise<void> {
    this.delivered.clear();
    const { queue, leaseMs } = this.parts;
    const now = Date.now();
    await queue.exclusively(async () => {
      await queue.removeEndedBefore(now - retentionMs);
      for (const segment of await queue.deliveredBefore(now - leaseMs)) await this.recoverSegment(segment);
    });
  }

  pause(): Promise<void> {
    return this.parts.queue.pause();
  }

  close(): Promise<void> {
    return this.parts.queue.close();
  }

  private async deliver(segments: readonly Segment[]): Promise<void> {
    const { queue } = this.parts;
    const states = await queue.states(segments);
    const left = [...segments];
    const deliverNext = async (): Promise<void> => {
      for (let segment = left.shift(); segment !== undefined; segment = left.shift()) {
        const state = states.get(segment);
        if (state === 'ended') await this.deliverAgain(segment);
        else if (state === undefined) await queue.add(segment);
        this.delivered.add(keyOf(segment));
      }
    };
    await Promise.all(Array.from({ length: maxConcurrent }, deliverNext));
  }

  /** The segment ended, but the run still looks unclaimed: the store was unavailable, or the read was stale. */
  private async deliverAgain(segment: Segment): Promise<void> {
    if (!(await this.isDue(segment))) return;
    await this.parts.queue.remove([segment]);
    await this.parts.queue.add(segment);
  }

  /**
   * For a segment that a worker received but did not finish within a lease: the worker is still on the run, or it is dead.
   * If it had not claimed the run, removing the segment lets the run be delivered again.
   */
  private async recoverSegment(segment: Segment): Promise<void> {
    const { queue, runs, runningHere } = this.parts;
    if (runningHere.has(segment.run)) return;
    const record = await runs.get(segment.run);
    if (record?.state === 'running' && record.segment === segment.number) return;
    await queue.remove([segment]);
  }

  private async isDue({ run, number }: Segment): Promise<boolean> {
    const record = await this.parts.runs.get(run);
    return record?.state === 'queued' && record.segment === number - 1;
  }
}

/** The next segment of a run. */
function nextSegment({ id, agent, segment }: QueuedRun): Segment {
  return { run: id, agent, number: segment + 1 };
}

function keyOf({ run, number }: Segment): string {
  return `${run}:${number}`;
}
