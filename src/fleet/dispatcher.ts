/** What brings queued runs to a worker that has room for them. */

import type { QueuedRun } from '../store/runs/run-record.ts';

export interface Dispatcher {
  /** Sees to it that each of these is taken by somebody. Told of one again, it does nothing more. */
  offer(runs: readonly QueuedRun[]): Promise<void>;
  /** Puts right what dead workers have left behind, and forgets what is over. */
  cleanUp(): Promise<void>;
  /** Takes nothing more here. */
  pause(): Promise<void>;
  /** Settles when nothing runs here any more; to be called after {@link pause}. */
  close(): Promise<void>;
}

/** Goes on with a run until it leaves this worker. It never throws. */
export type RunHandler = (run: { readonly id: string; readonly agent: string }) => Promise<void>;
