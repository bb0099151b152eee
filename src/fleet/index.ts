/** `bridle/fleet`: workers that work on the runs in a store, in one process or on many machines. */

export type { AgentSource } from './agent-source.ts';
export { queueRun, type QueueRunOptions } from './queue-run.ts';
export { startWorker, type Worker } from './worker.ts';
export type { SegmentState, WorkerEvent, WorkerOptions } from './worker-options.ts';
