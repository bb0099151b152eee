/** `bridle runs resume`: goes on with runs where another process had left them. */

import { BridleError } from '../errors.ts';
import type { RunResult } from '../agent/runs/run-result.ts';
import type { Agent } from '../agent/agent.ts';
import type { Store } from '../store/store.ts';
import { deliver } from './command-report.ts';
import { runsReport, withAgent } from './drive-runs.ts';
import { wrong } from './wrong-use.ts';
import type { StoreRun } from './store-command.ts';
import { type StoreFlags, withStore } from './store-options.ts';

interface ResumeFlags extends StoreFlags {
  readonly agent?: string | undefined;
  readonly all?: boolean | undefined;
  readonly wait?: boolean | undefined;
}

export function resumeRuns({ words, options, scene }: StoreRun<ResumeFlags>): Promise<number> {
  const { agent: file, all = false, wait = false, json = false } = options;
  if (all === words.length > 0) throw wrong('name the runs to resume, or add --all');
  return withStore(options, scene.env, (store) =>
    withAgent(file, store, async (agent) => {
      const ids = all ? await open(agent, store) : words;
      const results: RunResult[] = [];
      for (const id of ids) {
        const result = await resume(agent, id, { wait, all });
        if (result !== undefined) results.push(result);
      }
      return deliver(runsReport(results), { json, colours: false });
    }),
  );
}

/** The runs of this agent that nobody has ended and that wait for nobody, the oldest first. */
async function open({ name }: Agent, { runs }: Store): Promise<readonly string[]> {
  await runs.reap();
  const queued = await runs.queued({ agents: [name], limit: 10_000 });
  // Taking one tells whether whoever has it is dead.
  const running = await runs.list({ agent: name, state: 'running', limit: 10_000 });
  return [...queued, ...running].map(({ id }) => id);
}

async function resume(
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
