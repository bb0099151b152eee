/** `bridle runs list`: lists the runs in a store, newest first. */

import type { RunRecord, RunState } from '../../store/runs/run-record.ts';
import { writeReport, shouldUseColours } from '../output/command-report.ts';
import { readCount } from '../journal/tail-command.ts';
import { countText } from '../output/count-text.ts';
import { maskedRun, maskOf } from '../output/masked-records.ts';
import type { Paint, Tone } from '../../terminal/output/paint.ts';
import { usageError } from '../options/usage-error.ts';
import { runsExitCodes } from '../exit/runs-exit-codes.ts';
import type { StoreInvocation } from '../options/store-command.ts';
import { type StoreFlags, withStore } from '../options/store-options.ts';
import { escapeControls } from '../../terminal/output/safe-text.ts';

interface ListFlags extends StoreFlags {
  readonly state?: string | undefined;
  readonly agent?: string | undefined;
  readonly limit?: string | undefined;
}

/** The colour of each state. */
export const runTones: Readonly<Record<RunState, Tone>> = {
  queued: 'warn',
  running: 'plain',
  waiting: 'warn',
  done: 'good',
  failed: 'bad',
  cancelled: 'dim',
};

export function listRuns({ options, context }: StoreInvocation<ListFlags>): Promise<number> {
  const { agent, json = false } = options;
  const state = readState(options.state);
  const limit = readCount('--limit', options.limit ?? '100');
  return withStore(options, context.env, async (store) => {
    const mask = maskOf(store);
    const found = (await store.runs.list({ state, agent, limit })).map((each) => maskedRun(each, mask));
    const report = { code: runsExitCodes.ok, data: found, lines: (paint: Paint) => runLines(found, paint) };
    return writeReport(report, { json, colours: shouldUseColours(context.env, context.streams.stdout.isTTY) });
  });
}

function readState(state: string | undefined): RunState | undefined {
  if (state === undefined || Object.hasOwn(runTones, state)) return state as RunState | undefined;
  throw usageError(`--state must be one of ${Object.keys(runTones).join(', ')}, not ${JSON.stringify(state)}`);
}

function runLines(runs: readonly RunRecord[], paint: Paint): readonly string[] {
  if (runs.length === 0) return ['no runs'];
  const widest = Math.max(...runs.map(({ id }) => id.length));
  return runs.map((run) => {
    const { id, agent, state, updatedAt } = run;
    const at = new Date(updatedAt).toISOString();
    const columns = [
      id.padEnd(widest),
      paint(runTones[state], state.padEnd(9)),
      paint('dim', at),
      escapeControls(agent),
    ];
    return [...columns, noteOf(run)].join('  ').trimEnd();
  });
}

function noteOf({ state, steps, segment, owner, waitingFor, error }: RunRecord): string {
  switch (state) {
    case 'queued':
      return segment === 0 ? '' : `after ${countText(steps, 'step')}`;
    case 'running':
      return `${countText(steps, 'step')}, process ${owner?.pid ?? '?'} on ${escapeControls(owner?.host ?? '?')}`;
    case 'waiting':
      return `for ${waitingFor.join(', ')}`;
    case 'done':
      return countText(steps, 'step');
    case 'failed':
    case 'cancelled':
      return escapeControls((error ?? '').replaceAll(/\s+/g, ' ')).slice(0, 200);
    default:
      return state satisfies never;
  }
}
