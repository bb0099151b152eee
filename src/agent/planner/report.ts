/** The answer at the end of a plan: for each call what happened, with the beginning of its result. */

import type { Done } from './conversation.ts';
import { moreLines, searchInstead } from './go-on.ts';
import { nameOf, outcomeOf } from './outcome.ts';
import type { Step } from './plan.ts';

export interface ReportLimits {
  /** How many lines of each result are shown. */
  readonly lines: number;
}

/** What a report is made for. */
export interface ReportScene extends ReportLimits {
  /** The message of the user. */
  readonly said: string;
  /** The tools that may be called. */
  readonly listed: ReadonlySet<string>;
}

const widest = 400;

export function reportOf(done: readonly (readonly Done[])[], scene: ReportScene): string {
  return done.flatMap((calls) => calls.map((call) => reportCall(call, scene))).join('\n\n');
}

/** What was left out, and why. */
export function reportSkipped(skipped: readonly Step[]): string {
  const names = skipped.flatMap(({ calls }) => calls.map((call) => nameOf(call, 'doing')));
  return `Not done, since the step before did not succeed: ${names.join('; ')}.`;
}

function reportCall(call: Done, scene: ReportScene): string {
  const outcome = outcomeOf(call.output);
  const text = brief(outcome.text, call, scene);
  if (outcome.type === 'denied') return `${nameOf(call, 'doing')} was denied: ${text}`;
  if (outcome.type === 'failed') return `${nameOf(call, 'doing')} did not succeed: ${text}`;
  if (text === '') return `${nameOf(call, 'did')}.`;
  const lines = text.split('\n').map((line) => `  ${line}`);
  const other = scene.listed.has('search_directory') ? searchInstead(call, scene.said) : undefined;
  const hint = other === undefined ? [] : [`That looked at names. To look inside files, say ${other}.`];
  return [`${nameOf(call, 'did')}:`, ...lines, ...hint].join('\n');
}

function brief(text: string, call: Done, { lines: limit }: ReportLimits): string {
  const lines = text.trimEnd().split('\n');
  // A line that says how many are missing takes as much room as the one that is.
  const count = lines.length === limit + 1 ? limit + 1 : limit;
  const shown = lines.slice(0, count).map((line) => (line.length > widest ? `${line.slice(0, widest)}…` : line));
  if (shown.length === lines.length) return shown.join('\n');
  return [...shown, moreLines(call, lines, shown.length)].join('\n');
}
