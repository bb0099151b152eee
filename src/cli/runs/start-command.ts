/** `bridle runs start`: starts a run in this process, or queues it for a worker. */

import { queueRun } from '../../fleet/queue-run.ts';
import { writeReport } from '../output/command-report.ts';
import { runsReport, withAgent } from './with-agent.ts';
import { usageError } from '../options/usage-error.ts';
import { runsExitCodes } from '../exit/runs-exit-codes.ts';
import type { StoreInvocation } from '../options/store-command.ts';
import { type StoreFlags, storeOptions } from '../options/store-options.ts';

interface StartFlags extends StoreFlags {
  readonly agent?: string | undefined;
  readonly prompt?: string | undefined;
  readonly id?: string | undefined;
  readonly queue?: string | boolean | undefined;
  readonly wait?: boolean | undefined;
}

export async function startRun({ options, context }: StoreInvocation<StartFlags>): Promise<number> {
  const { agent: file, prompt, id, queue, wait = false, json = false } = options;
  if (prompt === undefined) throw usageError('--prompt is missing: write what the agent should do');
  if (queue !== undefined && file !== undefined)
    throw usageError('--queue and --agent cannot be combined: the worker that claims the run has the agent');
  const { openStore } = await import('../../store/open-store.ts');
  const store = await openStore({ ...storeOptions(options, context.env), create: true });
  try {
    if (queue === undefined) {
      return await withAgent(file, store, async (agent) => {
        const result = await agent.run(prompt, { id, hold: wait ? 'process' : 'release' });
        return writeReport(runsReport([result]), { json, colours: false });
      });
    }
    const agent = typeof queue === 'string' ? queue : undefined;
    const run = await queueRun(store, { prompt, id, agent });
    const report = { code: runsExitCodes.ok, data: run, lines: () => [`${run.id}: ${run.state} for "${run.agent}"`] };
    return writeReport(report, { json, colours: false });
  } finally {
    await store.close();
  }
}
