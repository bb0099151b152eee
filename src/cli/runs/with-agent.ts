/** Working on runs from the command line: the agent comes from a module, and a signal lets the run go. */

import type { Agent } from '../../agent/agent.ts';
import type { RunResult } from '../../agent/runs/run-result.ts';
import { openAgent } from '../../fleet/agent-source.ts';
import type { Store } from '../../store/store.ts';
import { loadAgentSource } from './agent-module.ts';
import type { CommandReport } from '../output/command-report.ts';
import { usageError } from '../options/usage-error.ts';
import { runsExitCodes } from '../exit/runs-exit-codes.ts';
import { safeText } from '../../terminal/output/safe-text.ts';

/** Starts the agent of a module on a store for as long as `work` takes. Told to stop, it lets its runs go. */
export async function withAgent<T>(
  file: string | undefined,
  store: Store,
  work: (agent: Agent) => Promise<T>,
): Promise<T> {
  if (file === undefined) {
    throw usageError('--agent is missing: name a module whose default export is the options of an agent');
  }
  const agent = await openAgent(await loadAgentSource(file), store);
  await agent.start();
  const stop = (): void => void agent.stop('told to stop').catch(() => undefined);
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.once(signal, stop);
  try {
    return await work(agent);
  } finally {
    for (const signal of signals) process.off(signal, stop);
    await agent.stop();
  }
}

/** What came of runs, and the worst of it as the exit code. */
export function runsReport(results: readonly RunResult[]): CommandReport<number> {
  const codes = results.map(codeOf);
  const code = codes.includes(runsExitCodes.failed) ? runsExitCodes.failed : Math.max(runsExitCodes.ok, ...codes);
  return {
    code,
    data: results.length === 1 ? results[0] : results,
    lines: () => (results.length === 0 ? ['there is nothing to resume'] : results.flatMap(linesOf)),
  };
}

function codeOf({ state }: RunResult): number {
  switch (state) {
    case 'done':
      return runsExitCodes.ok;
    case 'waiting':
    case 'queued':
      return runsExitCodes.waiting;
    case 'failed':
    case 'cancelled':
      return runsExitCodes.failed;
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
      return [head, ...result.approvals.map((id) => `  for approval ${id}: bridle approvals show ${id}`)];
    case 'queued':
      return [`${head}, for whoever resumes it`];
    case 'failed':
    case 'cancelled':
      return [`${head}: ${safeText(result.error)}`];
    default:
      return result satisfies never;
  }
}
