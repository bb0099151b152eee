/**
 * Runs on many machines: each stretch of a run is put into the queue of DBOS, which gives it to one worker. What happens
 * in a run is recorded in the store alone: the queue delivers, the claim of the run decides, and a delivery that is
 * doubled or late changes nothing.
 */

import type { QueuedRun, Runs } from '../store/runs/run-record.ts';
import { type DbosQueue, type DbosQueueOptions, openDbosQueue, type Segment } from './dbos-queue.ts';
import type { Dispatcher } from './dispatcher.ts';

/** How long a stretch that is over is remembered, so that a late look at the store does not queue it again. */
const retentionMs = 60_000;
const maxConcurrent = 8;

export async function openDbosDispatcher(order: DbosQueueOptions): Promise<Dispatcher> {
  const here = new Set<string>();
  const queue = await openDbosQueue({
    ...order,
    work: async (run) => {
      here.add(run.id);
      try {
        await order.work(run);
      } finally {
        here.delete(run.id);
      }
    },
  });
  return new DbosDispatcher({ queue, runs: order.store.runs, leaseMs: order.settings.leaseMs, here });
}

interface DispatcherParts {
  readonly queue: DbosQueue;
  readonly runs: Runs;
  readonly leaseMs: number;
  /** The runs that are worked on in this process. */
  readonly here: ReadonlySet<string>;
}

class DbosDispatcher implements Dispatcher {
  /** Stretches known to be in the queue: all others are looked up. */
  private delivered = new Set<string>();

  constructor(private readonly parts: DispatcherParts) {}

  async offer(runs: readonly QueuedRun[]): Promise<void> {
    const wanted = runs.map(nextSegment);
    const unknown = wanted.filter((segment) => !this.delivered.has(keyOf(segment)));
    if (unknown.length > 0) await this.deliver(unknown);
    // What is no longer queued in the store need not be remembered.
    this.delivered = new Set(wanted.map(keyOf).filter((key) => this.delivered.has(key)));
  }

  async cleanUp(): Promise<void> {
    this.delivered.clear();
    const { queue, leaseMs } = this.parts;
    const now = Date.now();
    await queue.exclusively(async () => {
      await queue.removeEndedBefore(now - retentionMs);
      for (const segment of await queue.claimedBefore(now - leaseMs)) await this.recoverSegment(segment);
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
    const lane = async (): Promise<void> => {
      for (let segment = left.shift(); segment !== undefined; segment = left.shift()) {
        const state = states.get(segment);
        if (state === 'over') await this.deliverAgain(segment);
        else if (state === undefined) await queue.add(segment);
        this.delivered.add(keyOf(segment));
      }
    };
    await Promise.all(Array.from({ length: maxConcurrent }, lane));
  }

  /** It was worked on, and yet the run seems not to have been taken: a store that was away, or an old look at it. */
  private async deliverAgain(segment: Segment): Promise<void> {
    if (!(await this.isDue(segment))) return;
    await this.parts.queue.remove([segment]);
    await this.parts.queue.add(segment);
  }

  /**
   * What a worker took and has not finished within a lease: either it works on the run, or it is dead. A run that it had
   * not taken yet is delivered anew once this is forgotten.
   */
  private async recoverSegment(segment: Segment): Promise<void> {
    const { queue, runs, here } = this.parts;
    if (here.has(segment.run)) return;
    const record = await runs.get(segment.run);
    if (record?.state === 'running' && record.segment === segment.number) return;
    await queue.remove([segment]);
  }

  private async isDue({ run, number }: Segment): Promise<boolean> {
    const record = await this.parts.runs.get(run);
    return record?.state === 'queued' && record.segment === number - 1;
  }
}

/** The stretch that comes next of a run. */
function nextSegment({ id, agent, segment }: QueuedRun): Segment {
  return { run: id, agent, number: segment + 1 };
}

function keyOf({ run, number }: Segment): string {
  return `${run}:${number}`;
}
