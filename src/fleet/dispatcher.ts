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
