/** Delivers queued runs to a worker with free capacity. */

import type { QueuedRun } from '../store/runs/run-record.ts';

export interface Dispatcher {
  /** Makes sure that a worker gets each of these runs. Offering a run again has no effect. */
  offer(runs: readonly QueuedRun[]): Promise<void>;
  /** Recovers runs left by dead workers and removes ended deliveries. */
  cleanUp(): Promise<void>;
  /** Stops deliveries to this worker. */
  pause(): Promise<void>;
  /** Resolves when nothing is running here; call it after {@link pause}. */
  close(): Promise<void>;
}

/** Works on a run until it leaves this worker. It never throws. */
export type RunHandler = (run: { readonly id: string; readonly agent: string }) => Promise<void>;

interface LocalDispatcherOptions {
  /** How many runs of each agent to work on at the same time. */
  readonly concurrency: number;
  readonly work: RunHandler;
  /** Called when a run has left and there is capacity again. */
  readonly onRoom: () => void;
}

/** Dispatches runs within this process, for a store that no other machine uses. */
export class LocalDispatcher implements Dispatcher {
  private readonly running = new Map<string, { readonly agent: string; readonly ended: Promise<void> }>();
  /** Segments tried since the last cleanup, so that a run that can't be resumed is not retried in a tight loop. */
  private readonly attempted = new Set<string>();
  private paused = false;

  constructor(private readonly options: LocalDispatcherOptions) {}

  async offer(runs: readonly QueuedRun[]): Promise<void> {
    for (const run of runs) {
      const attempt = `${run.id}:${run.segment}`;
      if (this.paused || this.running.has(run.id) || this.attempted.has(attempt) || !this.hasRoom(run.agent)) continue;
      this.attempted.add(attempt);
      this.running.set(run.id, { agent: run.agent, ended: this.start(run) });
    }
  }

  async cleanUp(): Promise<void> {
    this.attempted.clear();
  }

  async pause(): Promise<void> {
    this.paused = true;
  }

  async close(): Promise<void> {
    await Promise.all([...this.running.values()].map(({ ended }) => ended));
  }

  private hasRoom(agent: string): boolean {
    const busy = [...this.running.values()].filter((each) => each.agent === agent);
    return busy.length < this.options.concurrency;
  }

  private async start(run: QueuedRun): Promise<void> {
    const { work, onRoom } = this.options;
    await work(run);
    this.running.delete(run.id);
    onRoom();
  }
}
