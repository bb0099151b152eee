/** `bridle worker`: works on the runs in a store until a signal stops it. */

import type { WorkerEvent } from '../../fleet/worker-options.ts';
import { loadAgentSource } from './agent-module.ts';
import { type Invocation, usageError } from '../command/command-row.ts';
import { exitCodes } from '../command/exit-codes.ts';
import { readCount } from '../command/read-input.ts';
import { type StoreFlags, storeOptions } from '../command/store-options.ts';
import { writeTo } from '../../files/blocking-io.ts';
import { safeJson, escapeControls } from '../../terminal/output/safe-text.ts';

interface WorkerFlags extends StoreFlags {
  readonly agent?: readonly string[] | undefined;
  readonly concurrency?: string | undefined;
  readonly lease?: string | undefined;
}

const [stdout, stderr] = [1, 2];
const signals = [
  ['SIGINT', exitCodes.cancelled],
  ['SIGTERM', exitCodes.terminated],
  ['SIGHUP', exitCodes.hangup],
] as const;

export async function runWorker({ options, env }: Invocation<WorkerFlags>): Promise<number> {
  const { agent: files = [], concurrency, lease } = options;
  if (files.length === 0) throw usageError('--agent is missing: give a module whose default export is agent options');
  const agents = await Promise.all(files.map((file) => loadAgentSource(file)));
  const { startWorker } = await import('../../fleet/worker.ts');
  const stop = waitForSignal();
  try {
    const worker = await startWorker({
      store: { ...storeOptions(options, env), create: true },
      agents,
      concurrency: concurrency === undefined ? undefined : readCount('--concurrency', concurrency),
      leaseMs: lease === undefined ? undefined : readTime(lease),
      onEvent: (event) => void (options.json === true ? showJson(event) : showText(event)),
    });
    await stop.signal;
    await worker.stop();
    return exitCodes.ok;
  } finally {
    stop.close();
  }
}

/** Resolves on the first signal; the second one exits immediately. */
function waitForSignal(): { readonly signal: Promise<void>; close(): void } {
  const undo: (() => void)[] = [];
  let count = 0;
  const signal = new Promise<void>((resolve) => {
    for (const [name, code] of signals) {
      const onSignal = (): void => {
        if (++count > 1) process.exit(code);
        resolve();
      };
      process.on(name, onSignal);
      undo.push(() => process.off(name, onSignal));
    }
  });
  return { signal, close: () => undo.forEach((each) => each()) };
}

function showJson(event: WorkerEvent): boolean {
  return writeTo(stdout, `${safeJson({ at: new Date().toISOString(), ...event })}\n`);
}

function showText(event: WorkerEvent): boolean {
  return writeTo(stderr, `${new Date().toISOString()} ${escapeControls(textOf(event))}\n`);
}

function textOf(event: WorkerEvent): string {
  switch (event.type) {
    case 'worker_started':
      return `worker ${event.worker}: ${event.agents.join(', ')} on ${event.store}, namespace ${event.namespace}`;
    case 'segment_started':
      return `${event.run} claimed`;
    case 'segment_ended': {
      const { run, state, message, elapsedMs } = event;
      return `${run} ${state} after ${Math.round(elapsedMs)} ms${message === undefined ? '' : `: ${message}`}`;
    }
    case 'runs_taken_back':
      return `reclaimed from dead workers: ${event.runs.join(', ')}`;
    case 'problem':
      return event.message;
    case 'worker_stopping':
      return 'stopping: claiming no more runs, releasing each run after its current step';
    case 'worker_stopped':
      return 'stopped';
    default:
      return event satisfies never;
  }
}

const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

function readTime(given: string): number {
  const [, amount, unit = ''] = /^(\d{1,9})(ms|s|m|h)$/.exec(given.trim()) ?? [];
  if (amount === undefined)
    throw usageError(`--lease must be a time such as 30s, 500ms or 5m, not ${JSON.stringify(given)}`);
  return Number(amount) * (units[unit] ?? 1);
}
