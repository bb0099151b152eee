/** `bridle runs start` and `resume`: work on runs in this process, with an agent loaded from a module. */

import type { Agent } from '../../agent/agent.ts';
import type { RunResult } from '../../agent/runs/run-result.ts';
import { openAgent } from '../../fleet/agent-source.ts';
import { queueRun } from '../../fleet/queue-run.ts';
import { BridleError } from '../../kernel/errors.ts';
import type { Store } from '../../store/store.ts';
import { loadAgentSource } from './agent-module.ts';
import { type CommandReport, type Invocation, usageError } from '../command/command-row.ts';
import { type ExitCode, exitCodes } from '../command/exit-codes.ts';
import { type StoreFlags, storeOptions, withStore } from '../command/store-options.ts';
import { safeText } from '../../terminal/output/safe-text.ts';

interface StartFlags extends StoreFlags {
  readonly agent?: string | undefined;
  readonly prompt?: string | undefined;
  readonly id?: string | undefined;
  readonly queue?: string | boolean | undefined;
  readonly wait?: boolean | undefined;
}

interface ResumeFlags extends StoreFlags {
  readonly agent?: string | undefined;
  readonly all?: boolean | undefined;
  readonly wait?: boolean | undefined;
}

/** Starts a run in this process, or queues it for a worker. */
export async function startRun({ options, env }: Invocation<StartFlags>): Promise<CommandReport> {
  const { agent: file, prompt, id, queue, wait = false } = options;
  if (prompt === undefined) throw usageError('--prompt is missing: write what the agent should do');
  if (queue !== undefined && file !== undefined)
    throw usageError('--queue and --agent cannot be combined: the worker that claims the run has the agent');
  const { openStore } = await import('../../store/open-store.ts');
  const store = await openStore({ ...storeOptions(options, env), create: true });
  try {
    if (queue === undefined) {
      const hold = wait ? 'process' : 'release';
      return await withAgent(file, store, async (agent) => runsReport([await agent.run(prompt, { id, hold })]));
    }
    const agent = typeof queue === 'string' ? queue : undefined;
    const run = await queueRun(store, { prompt, id, agent });
    return { code: exitCodes.ok, data: run, lines: () => [`${run.id}: ${run.state} for "${run.agent}"`] };
  } finally {
    await store.close();
  }
}

/** Continues runs that another process left. */
export async function resumeRuns(invocation: Invocation<ResumeFlags>): Promise<CommandReport> {
  const { positionals, options } = invocation;
  const { agent: file, all = false, wait = false } = options;
  if (all === positionals.length > 0) throw usageError('give the ids of the runs to resume, or --all');
  return withStore(invocation, (store) =>
    withAgent(file, store, async (agent) => {
      const ids = all ? await resumableRuns(agent, store) : positionals;
      const results: RunResult[] = [];
      for (const id of ids) {
        const result = await resumeRun(agent, id, { wait, all });
        if (result !== undefined) results.push(result);
      }
      return runsReport(results);
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

/** Starts a module's agent on a store, runs `work`, and stops the agent. On a signal, the agent releases its runs. */
async function withAgent<T>(file: string | undefined, store: Store, work: (agent: Agent) => Promise<T>): Promise<T> {
  if (file === undefined) {
    throw usageError('--agent is missing: give a module whose default export is agent options');
  }
  const agent = await openAgent(await loadAgentSource(file), store);
  await agent.start();
  const stop = (): void => void agent.stop('stopped by a signal').catch(() => undefined);
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.once(signal, stop);
  try {
    return await work(agent);
  } finally {
    for (const signal of signals) process.off(signal, stop);
    await agent.stop();
  }
}

/** The results of runs; the worst one gives the exit code. */
function runsReport(results: readonly RunResult[]): CommandReport {
  const codes = results.map(codeOf);
  const code = [exitCodes.negative, exitCodes.needsApproval].find((each) => codes.includes(each)) ?? exitCodes.ok;
  return {
    code,
    data: results.length === 1 ? results[0] : results,
    lines: () => (results.length === 0 ? ['no runs to resume'] : results.flatMap(linesOf)),
  };
}

function codeOf({ state }: RunResult): ExitCode {
  switch (state) {
    case 'done':
      return exitCodes.ok;
    case 'waiting':
    case 'queued':
      return exitCodes.needsApproval;
    case 'failed':
    case 'cancelled':
      return exitCodes.negative;
    default:
      return state satisfies never;
  }
}

function linesOf(result: RunResult): readonly string[] {
  const head = `${result.id}: ${result.state}`;
  switch (result.state) {
    case 'done':
      return [head, ...(result.text === '' ? [] : [safeText(result.text)])];
    case 'waiting':
      return [head, ...result.approvals.map((id) => `  for approval ${id}: npx bridle approvals show ${id}`)];
    case 'queued':
      return [`${head}, until it is resumed`];
    case 'failed':
    case 'cancelled':
      return [`${head}: ${safeText(result.error)}`];
    default:
      return result satisfies never;
  }
}
