/** `bridle runs resume`: continues runs that another process left. */

import { BridleError } from '../../kernel/errors.ts';
import type { RunResult } from '../../agent/runs/run-result.ts';
import type { Agent } from '../../agent/agent.ts';
import type { Store } from '../../store/store.ts';
import { writeReport } from '../output/command-report.ts';
import { runsReport, withAgent } from './with-agent.ts';
import { usageError } from '../options/usage-error.ts';
import type { StoreInvocation } from '../options/store-command.ts';
import { type StoreFlags, withStore } from '../options/store-options.ts';

interface ResumeFlags extends StoreFlags {
  readonly agent?: string | undefined;
  readonly all?: boolean | undefined;
  readonly wait?: boolean | undefined;
}

export function resumeRuns({ positionals, options, context }: StoreInvocation<ResumeFlags>): Promise<number> {
  const { agent: file, all = false, wait = false, json = false } = options;
  if (all === positionals.length > 0) throw usageError('give the ids of the runs to resume, or --all');
  return withStore(options, context.env, (store) =>
    withAgent(file, store, async (agent) => {
      const ids = all ? await resumableRuns(agent, store) : positionals;
      const results: RunResult[] = [];
      for (const id of ids) {
        const result = await resumeRun(agent, id, { wait, all });
        if (result !== undefined) results.push(result);
      }
      return writeReport(runsReport(results), { json, colours: false });
    }),
  );
}

/** The agent's unfinished runs that are not waiting for an approval, oldest first. */
async function resumableRuns({ name }: Agent, { runs }: Store): Promise<readonly string[]> {
  await runs.reap();
  const queued = await runs.queued({ agents: [name], limit: 10_000 });
  // Claiming a running one shows whether its owner is dead.
  const running = await runs.list({ agent: name, state: 'running', limit: 10_000 });
  return [...queued, ...running].map(({ id }) => id);
}

async function resumeRun(
  agent: Agent,
  id: string,
  { wait, all }: { readonly wait: boolean; readonly all: boolean },
): Promise<RunResult | undefined> {
  try {
    return await agent.resume(id, { hold: wait ? 'process' : 'release' });
  } catch (error) {
    // Another process owns the run.
    if (all && error instanceof BridleError && error.code === 'RUN_STATE') return undefined;
    throw error;
  }
}
