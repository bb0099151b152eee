/** `bridle runs show`: shows one run's prompt, progress, pending approvals and result. */

import { cutText, isJsonObject, type JsonValue } from '../../kernel/json.ts';
import type { RunRecord } from '../../store/runs/run-record.ts';
import { writeReport, shouldUseColours } from '../output/command-report.ts';
import { maskedRun, maskOf } from '../output/masked-records.ts';
import type { Paint } from '../../terminal/output/paint.ts';
import { runsExitCodes } from '../exit/runs-exit-codes.ts';
import { runTones } from './list-command.ts';
import type { StoreInvocation } from '../options/store-command.ts';
import { withStore } from '../options/store-options.ts';
import { writeTo } from '../../files/blocking-io.ts';
import { safeText, safeJson, escapeControls } from '../../terminal/output/safe-text.ts';

const stderr = 2;
const maxTextLength = 4000;

export function showRun({ positionals, options, context }: StoreInvocation): Promise<number> {
  const [id = ''] = positionals;
  return withStore(options, context.env, async (store) => {
    const found = await store.runs.get(id);
    if (found === undefined) {
      writeTo(stderr, `bridle: there is no run ${safeJson(id)} in the store: see bridle runs list\n`);
      return runsExitCodes.failed;
    }
    const run = maskedRun(found, maskOf(store));
    const report = { code: runsExitCodes.ok, data: run, lines: (paint: Paint) => linesOf(run, paint) };
    const colours = shouldUseColours(context.env, context.streams.stdout.isTTY);
    return writeReport(report, { json: options.json === true, colours });
  });
}

function linesOf(run: RunRecord, paint: Paint): readonly string[] {
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
  return [`${id}  ${paint(runTones[state], state)}`, ...lines];
}

function approvalOf(id: string): string {
  return `${id}   bridle approvals show ${id}`;
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
