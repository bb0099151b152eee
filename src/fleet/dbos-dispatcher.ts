/**
 * Runs on many machines: each stretch of a run is put into the queue of DBOS, which gives it to one worker. What happens
 * in a run is recorded in the store alone: the queue delivers, the claim of the run decides, and a delivery that is
 * doubled or late changes nothing.
 */

import type { QueuedRun, Runs } from '../store/runs/run-record.ts';
import { type DbosQueue, type DbosQueueOrder, openDbosQueue, type Segment } from './dbos-queue.ts';
import type { Dispatcher } from './dispatcher.ts';

/** How long a stretch that is over is remembered, so that a late look at the store does not queue it again. */
const keepMs = 60_000;
const atOnce = 8;

export async function openDbosDispatcher(order: DbosQueueOrder): Promise<Dispatcher> {
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
  private known = new Set<string>();

  constructor(private readonly parts: DispatcherParts) {}

  async offer(runs: readonly QueuedRun[]): Promise<void> {
    const wanted = runs.map(nextOf);
    const unknown = wanted.filter((segment) => !this.known.has(keyOf(segment)));
    if (unknown.length > 0) await this.deliver(unknown);
    // What is no longer queued in the store need not be remembered.
    this.known = new Set(wanted.map(keyOf).filter((key) => this.known.has(key)));
  }

  async tidy(): Promise<void> {
    this.known.clear();
    const { queue, leaseMs } = this.parts;
    const now = Date.now();
    await queue.alone(async () => {
      await queue.forgetEndedBefore(now - keepMs);
      for (const segment of await queue.takenBefore(now - leaseMs)) await this.putRight(segment);
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
        this.known.add(keyOf(segment));
      }
    };
    await Promise.all(Array.from({ length: atOnce }, lane));
  }

  /** It was worked on, and yet the run seems not to have been taken: a store that was away, or an old look at it. */
  private async deliverAgain(segment: Segment): Promise<void> {
    if (!(await this.isDue(segment))) return;
    await this.parts.queue.forget([segment]);
    await this.parts.queue.add(segment);
  }

  /**
   * What a worker took and has not finished within a lease: either it works on the run, or it is dead. A run that it had
   * not taken yet is delivered anew once this is forgotten.
   */
  private async putRight(segment: Segment): Promise<void> {
    const { queue, runs, here } = this.parts;
    if (here.has(segment.run)) return;
    const record = await runs.get(segment.run);
    if (record?.state === 'running' && record.segment === segment.number) return;
    await queue.forget([segment]);
  }

  private async isDue({ run, number }: Segment): Promise<boolean> {
    const record = await this.parts.runs.get(run);
    return record?.state === 'queued' && record.segment === number - 1;
  }
}

/** The stretch that comes next of a run. */
function nextOf({ id, agent, segment }: QueuedRun): Segment {
  return { run: id, agent, number: segment + 1 };
}

function keyOf({ run, number }: Segment): string {
  return `${run}:${number}`;
}
