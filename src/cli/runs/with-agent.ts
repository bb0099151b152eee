/** Runs work with an agent loaded from a module, and reports run results. A signal releases the runs. */

import type { Agent } from '../../agent/agent.ts';
import type { RunResult } from '../../agent/runs/run-result.ts';
import { openAgent } from '../../fleet/agent-source.ts';
import type { Store } from '../../store/store.ts';
import { loadAgentSource } from './agent-module.ts';
import type { CommandReport } from '../output/command-report.ts';
import { usageError } from '../options/usage-error.ts';
import { runsExitCodes } from '../exit/runs-exit-codes.ts';
import { safeText } from '../../terminal/output/safe-text.ts';

/** Starts a module's agent on a store, runs `work`, and stops the agent. On a signal, the agent releases its runs. */
export async function withAgent<T>(
  file: string | undefined,
  store: Store,
  work: (agent: Agent) => Promise<T>,
): Promise<T> {
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
export function runsReport(results: readonly RunResult[]): CommandReport<number> {
  const codes = results.map(codeOf);
  const code = codes.includes(runsExitCodes.failed) ? runsExitCodes.failed : Math.max(runsExitCodes.ok, ...codes);
  return {
    code,
    data: results.length === 1 ? results[0] : results,
    lines: () => (results.length === 0 ? ['no runs to resume'] : results.flatMap(linesOf)),
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
      return [`${head}, until it is resumed`];
    case 'failed':
    case 'cancelled':
      return [`${head}: ${safeText(result.error)}`];
    default:
      return result satisfies never;
  }
}
