/** The events of a worker. */

/**
 * How a run left this worker. `refused`: another worker has it, or it needs no work. `fenced`: another worker took it over
 * while this one was working on it. `error`: it could not be resumed, and will be tried again.
 */
export type SegmentState = 'done' | 'waiting' | 'queued' | 'failed' | 'cancelled' | 'refused' | 'fenced' | 'error';

export type WorkerEvent =
  | {
      readonly type: 'worker_started';
      readonly worker: string;
      /** The store's address without its password. */
      readonly store: string;
      readonly namespace: string;
      readonly agents: readonly string[];
      readonly concurrency: number;
      readonly leaseMs: number;
    }
  | { readonly type: 'segment_started'; readonly run: string; readonly agent: string }
  | {
      readonly type: 'segment_ended';
      readonly run: string;
      readonly agent: string;
      readonly state: SegmentState;
      /** The error, if there was one. */
      readonly message?: string | undefined;
      readonly elapsedMs: number;
    }
  /** Runs reclaimed from dead workers; they are queued again. */
  | { readonly type: 'runs_taken_back'; readonly runs: readonly string[] }
  /** An error; the operation is retried. */
  | { readonly type: 'problem'; readonly message: string }
  | { readonly type: 'worker_stopping' }
  | { readonly type: 'worker_stopped' };
