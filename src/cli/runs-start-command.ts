/** `bridle runs start`: starts a run here, or leaves it to a worker. */

import { queueRun } from '../fleet/queue-run.ts';
import { deliver } from './command-report.ts';
import { runsReport, withAgent } from './drive-runs.ts';
import { wrong } from './wrong-use.ts';
import { runsExitCodes } from './runs-exit-codes.ts';
import type { StoreRun } from './store-command.ts';
import { type StoreFlags, storeOptions } from './store-options.ts';

interface StartFlags extends StoreFlags {
  readonly agent?: string | undefined;
  readonly prompt?: string | undefined;
  readonly id?: string | undefined;
  readonly queue?: string | boolean | undefined;
  readonly wait?: boolean | undefined;
}

export async function startRun({ options, scene }: StoreRun<StartFlags>): Promise<number> {
  const { agent: file, prompt, id, queue, wait = false, json = false } = options;
  if (prompt === undefined) throw wrong('--prompt is missing: write what the agent should do');
  if (queue !== undefined && file !== undefined)
    throw wrong('--queue and --agent cannot be combined: the worker that takes the run has the agent');
  const { openStore } = await import('../store/open-store.ts');
  const store = await openStore({ ...storeOptions(options, scene.env), create: true });
  try {
    if (queue === undefined) {
      return await withAgent(file, store, async (agent) => {
        const result = await agent.run(prompt, { id, hold: wait ? 'process' : 'release' });
        return deliver(runsReport([result]), { json, colours: false });
      });
    }
    const agent = typeof queue === 'string' ? queue : undefined;
    const run = await queueRun(store, { prompt, id, agent });
    const report = { code: runsExitCodes.ok, data: run, lines: () => [`${run.id}: ${run.state} for "${run.agent}"`] };
    return deliver(report, { json, colours: false });
  } finally {
    await store.close();
  }
}
