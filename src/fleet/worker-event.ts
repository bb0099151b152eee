/** What a worker tells about its work. */

/**
 * How far a run got before it left this worker. `refused`: somebody else has it, or it needs nothing done. `fenced`:
 * somebody else took it over while it was worked on here. `error`: it could not be gone on with, and is tried again.
 */
export type SegmentState = 'done' | 'waiting' | 'queued' | 'failed' | 'cancelled' | 'refused' | 'fenced' | 'error';

export type WorkerEvent =
  | {
      readonly type: 'worker_started';
      readonly worker: string;
      /** Without a password. */
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
      /** What went wrong, where something did. */
      readonly message?: string | undefined;
      readonly elapsedMs: number;
    }
  /** Runs of workers that are gone; they go on elsewhere. */
  | { readonly type: 'runs_taken_back'; readonly runs: readonly string[] }
  /** Something went wrong and is tried again. */
  | { readonly type: 'problem'; readonly message: string }
  | { readonly type: 'worker_stopping' }
  | { readonly type: 'worker_stopped' };
