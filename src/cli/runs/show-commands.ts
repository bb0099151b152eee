/** `bridle runs list`, `show` and `cancel`: the runs in a store, without their agents. */

import { userInfo } from 'node:os';
import { cutText, isJsonObject, type JsonValue } from '../../kernel/json.ts';
import { cancelRun } from '../../store/cancel-run.ts';
import type { RunRecord, RunState } from '../../store/runs/run-record.ts';
import { countText } from '../command/call-text.ts';
import { writeNote } from '../command/command-report.ts';
import { type CommandReport, type Invocation, usageError } from '../command/command-row.ts';
import { exitCodes } from '../command/exit-codes.ts';
import { maskedRun, maskOf } from '../command/masked-records.ts';
import { readCount } from '../command/read-input.ts';
import { type StoreFlags, withStore } from '../command/store-options.ts';
import type { Paint, Tone } from '../../terminal/output/paint.ts';
import { safeText, safeJson, escapeControls } from '../../terminal/output/safe-text.ts';

interface ListFlags extends StoreFlags {
  readonly state?: string | undefined;
  readonly agent?: string | undefined;
  readonly limit?: string | undefined;
}

const maxTextLength = 4000;

/** The colour of each state. */
const tones: Readonly<Record<RunState, Tone>> = {
  queued: 'warn',
  running: 'plain',
  waiting: 'warn',
  done: 'good',
  failed: 'bad',
  cancelled: 'dim',
};

/** Newest first. */
export function listRuns(invocation: Invocation<ListFlags>): Promise<CommandReport> {
  const { options } = invocation;
  const { agent } = options;
  const state = readState(options.state);
  const limit = readCount('--limit', options.limit ?? '100');
  return withStore(invocation, async (store) => {
    const mask = maskOf(store);
    const found = (await store.runs.list({ state, agent, limit })).map((each) => maskedRun(each, mask));
    return { code: exitCodes.ok, data: found, lines: (paint) => listLines(found, paint) };
  });
}

function readState(state: string | undefined): RunState | undefined {
  if (state === undefined || Object.hasOwn(tones, state)) return state as RunState | undefined;
  throw usageError(`--state must be one of ${Object.keys(tones).join(', ')}, not ${JSON.stringify(state)}`);
}

function listLines(runs: readonly RunRecord[], paint: Paint): readonly string[] {
  if (runs.length === 0) return ['no runs'];
  const widest = Math.max(...runs.map(({ id }) => id.length));
  return runs.map((run) => {
    const { id, agent, state, updatedAt } = run;
    const at = new Date(updatedAt).toISOString();
    const columns = [id.padEnd(widest), paint(tones[state], state.padEnd(9)), paint('dim', at), escapeControls(agent)];
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

/** One run: its prompt, progress, pending approvals and result. */
export function showRun(invocation: Invocation<StoreFlags>): Promise<CommandReport | number> {
  const [id = ''] = invocation.positionals;
  return withStore(invocation, async (store) => {
    const found = await store.runs.get(id);
    if (found === undefined) {
      writeNote(`there is no run ${safeJson(id)} in the store: see npx bridle runs list`);
      return exitCodes.negative;
    }
    const run = maskedRun(found, maskOf(store));
    return { code: exitCodes.ok, data: run, lines: (paint) => runLines(run, paint) };
  });
}

function runLines(run: RunRecord, paint: Paint): readonly string[] {
  const { id, agent, state, segment, owner, leaseUntil, waitingFor, steps, error, createdAt, updatedAt } = run;
  const rows: readonly (readonly [string, string | undefined])[] = [
    ['agent', escapeControls(agent)],
    ['prompt', textIn(run.input, 'prompt')],
    ['created', timeOf(createdAt)],
    ['updated', timeOf(updatedAt)],
    ['steps', `${steps}, claimed ${segment === 1 ? 'once' : `${segment} times`}`],
    ['owner', owner && `process ${owner.pid} on ${escapeControls(owner.host)}, until ${timeOf(leaseUntil)}`],
    ['approvals', waitingFor.length === 0 ? undefined : waitingFor.map(approvalOf).join('\n')],
    ['answer', run.output === undefined ? undefined : textIn(run.output)],
    ['error', error],
  ];
  const lines = rows.flatMap(([name, text]) =>
    text === undefined ? [] : [`  ${paint('dim', name.padEnd(10))}${safeText(cutText(text, maxTextLength))}`],
  );
  return [`${id}  ${paint(tones[state], state)}`, ...lines];
}

function approvalOf(id: string): string {
  return `${id}   npx bridle approvals show ${id}`;
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString();
}

/** The text of a prompt or an answer; any other value as JSON. */
function textIn(value: JsonValue, field?: string): string {
  const within = field !== undefined && isJsonObject(value) ? value[field] : value;
  if (within !== undefined && isJsonObject(within) && typeof within['text'] === 'string') return within['text'];
  return typeof within === 'string' ? within : safeJson(value);
}

/** Cancels runs for good. */
export function cancelRuns(invocation: Invocation<StoreFlags>): Promise<CommandReport> {
  const by = userInfo().username;
  return withStore(invocation, async (store) => {
    const ends: { readonly id: string; readonly cancelled: boolean; readonly state: string | null }[] = [];
    for (const id of invocation.positionals) {
      const cancelled = await cancelRun(store, id, by);
      ends.push({ id, cancelled, state: (await store.runs.get(id))?.state ?? null });
    }
    const lines = ends.map(({ id, cancelled, state }) => {
      const before = state === null ? 'no such run' : `had already ended: ${state}`;
      return `${escapeControls(id)}  ${cancelled ? 'cancelled' : before}`;
    });
    const code = ends.every(({ cancelled }) => cancelled) ? exitCodes.ok : exitCodes.negative;
    return { code, data: ends, lines: () => lines };
  });
}
