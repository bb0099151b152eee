/** `bridle runs resume`: goes on with runs where another process had left them. */

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

export function resumeRuns({ words, options, scene }: StoreInvocation<ResumeFlags>): Promise<number> {
  const { agent: file, all = false, wait = false, json = false } = options;
  if (all === words.length > 0) throw usageError('name the runs to resume, or add --all');
  return withStore(options, scene.env, (store) =>
    withAgent(file, store, async (agent) => {
      const ids = all ? await resumableRuns(agent, store) : words;
      const results: RunResult[] = [];
      for (const id of ids) {
        const result = await resumeRun(agent, id, { wait, all });
        if (result !== undefined) results.push(result);
      }
      return writeReport(runsReport(results), { json, colours: false });
    }),
  );
}

/** The runs of this agent that nobody has ended and that wait for nobody, the oldest first. */
async function resumableRuns({ name }: Agent, { runs }: Store): Promise<readonly string[]> {
  await runs.reap();
  const queued = await runs.queued({ agents: [name], limit: 10_000 });
  // Taking one tells whether whoever has it is dead.
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
    // Another process has it.
    if (all && error instanceof BridleError && error.code === 'RUN_STATE') return undefined;
    throw error;
  }
}
