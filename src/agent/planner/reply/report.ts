/** The answer at the end of a plan: for each call what happened, with the beginning of its result. */

import type { CompletedCall } from './conversation.ts';
import { moreLinesHint, searchHint } from './follow-up-hints.ts';
import { describeCall, outcomeOf } from './outcome.ts';
import type { PlanStep } from '../grammar/plan.ts';

export interface ReportLimits {
  /** How many lines of each result are shown. */
  readonly lines: number;
}

/** What a report is made for. */
export interface ReportContext extends ReportLimits {
  /** The message of the user. */
  readonly message: string;
  /** The tools that may be called. */
  readonly listed: ReadonlySet<string>;
}

const widest = 400;

export function reportOf(done: readonly (readonly CompletedCall[])[], context: ReportContext): string {
  return done.flatMap((calls) => calls.map((call) => reportCall(call, context))).join('\n\n');
}

/** What was left out, and why. */
export function reportSkipped(skipped: readonly PlanStep[]): string {
  const names = skipped.flatMap(({ calls }) => calls.map((call) => describeCall(call, 'doing')));
  return `Not done, since the step before did not succeed: ${names.join('; ')}.`;
}

function reportCall(call: CompletedCall, context: ReportContext): string {
  const outcome = outcomeOf(call.output);
  const text = shorten(outcome.text, call, context);
  if (outcome.type === 'denied') return `${describeCall(call, 'doing')} was denied: ${text}`;
  if (outcome.type === 'failed') return `${describeCall(call, 'doing')} did not succeed: ${text}`;
  if (text === '') return `${describeCall(call, 'did')}.`;
  const lines = text.split('\n').map((line) => `  ${line}`);
  const other = context.listed.has('search_directory') ? searchHint(call, context.message) : undefined;
  const hint = other === undefined ? [] : [`That looked at names. To look inside files, say ${other}.`];
  return [`${describeCall(call, 'did')}:`, ...lines, ...hint].join('\n');
}

function shorten(text: string, call: CompletedCall, { lines: limit }: ReportLimits): string {
  const lines = text.trimEnd().split('\n');
  // A line that says how many are missing takes as much room as the one that is.
  const count = lines.length === limit + 1 ? limit + 1 : limit;
  const shown = lines.slice(0, count).map((line) => (line.length > widest ? `${line.slice(0, widest)}…` : line));
  if (shown.length === lines.length) return shown.join('\n');
  return [...shown, moreLinesHint(call, lines, shown.length)].join('\n');
}
