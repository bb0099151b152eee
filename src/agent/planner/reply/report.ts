/** The answer at the end of a plan: for each call, what happened and the start of its result. */

import type { CompletedCall } from './conversation.ts';
import { moreLinesHint, searchHint } from './follow-up-hints.ts';
import { describeCall, outcomeOf } from './describe-call.ts';
import type { PlanStep } from '../grammar/plan.ts';

export interface ReportLimits {
  /** How many lines of each result are shown. */
  readonly lines: number;
}

/** The context of a report. */
export interface ReportContext extends ReportLimits {
  /** The message of the user. */
  readonly message: string;
  /** The available tools. */
  readonly listed: ReadonlySet<string>;
}

const maxLineLength = 400;

export function reportOf(completed: readonly (readonly CompletedCall[])[], context: ReportContext): string {
  return completed.flatMap((calls) => calls.map((call) => reportCall(call, context))).join('\n\n');
}

/** Lists the skipped steps and why they were skipped. */
export function reportSkipped(skipped: readonly PlanStep[]): string {
  const names = skipped.flatMap(({ calls }) => calls.map((call) => describeCall(call, 'doing')));
  return `Skipped because the previous step failed: ${names.join('; ')}.`;
}

function reportCall(call: CompletedCall, context: ReportContext): string {
  const outcome = outcomeOf(call.output);
  const text = shorten(outcome.text, call, context);
  if (outcome.type === 'denied') return `${describeCall(call, 'doing')} was denied: ${text}`;
  if (outcome.type === 'failed') return `${describeCall(call, 'doing')} failed: ${text}`;
  if (text === '') return `${describeCall(call, 'did')}.`;
  const lines = text.split('\n').map((line) => `  ${line}`);
  const search = context.listed.has('search_directory') ? searchHint(call, context.message) : undefined;
  const hint = search === undefined ? [] : [`This searched file names. To search inside files, say ${search}.`];
  return [`${describeCall(call, 'did')}:`, ...lines, ...hint].join('\n');
}

function shorten(text: string, call: CompletedCall, { lines: limit }: ReportLimits): string {
  const lines = text.trimEnd().split('\n');
  // A line "… 1 more lines" would take as much space as the missing line.
  const count = lines.length === limit + 1 ? limit + 1 : limit;
  const shown = lines
    .slice(0, count)
    .map((line) => (line.length > maxLineLength ? `${line.slice(0, maxLineLength)}…` : line));
  if (shown.length === lines.length) return shown.join('\n');
  return [...shown, moreLinesHint(call, lines, shown.length)].join('\n');
}
