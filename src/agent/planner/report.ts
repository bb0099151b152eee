/** The answer at the end of a plan: for each call what happened, with the beginning of its result. */

import type { Done } from './conversation.ts';
import { nameOf, outcomeOf } from './outcome.ts';
import type { Step } from './plan.ts';

export interface ReportLimits {
  /** How many lines of each result are shown. */
  readonly lines: number;
}

const widest = 400;

export function reportOf(done: readonly (readonly Done[])[], limits: ReportLimits): string {
  return done.flatMap((calls) => calls.map((call) => reportCall(call, limits))).join('\n\n');
}

/** What was left out, and why. */
export function reportSkipped(skipped: readonly Step[]): string {
  const names = skipped.flatMap(({ calls }) => calls.map((call) => nameOf(call, 'doing')));
  return `Not done, since the step before did not succeed: ${names.join('; ')}.`;
}

function reportCall(call: Done, limits: ReportLimits): string {
  const outcome = outcomeOf(call.output);
  if (outcome.type === 'denied') return `${nameOf(call, 'doing')} was denied: ${brief(outcome.text, limits)}`;
  if (outcome.type === 'failed') return `${nameOf(call, 'doing')} did not succeed: ${brief(outcome.text, limits)}`;
  const text = brief(outcome.text, limits);
  if (text === '') return `${nameOf(call, 'did')}.`;
  return `${nameOf(call, 'did')}:\n${text
    .split('\n')
    .map((line) => `  ${line}`)
    .join('\n')}`;
}

function brief(text: string, { lines: limit }: ReportLimits): string {
  const lines = text.trimEnd().split('\n');
  const shown = lines.slice(0, limit).map((line) => (line.length > widest ? `${line.slice(0, widest)}…` : line));
  const more = lines.length - shown.length;
  return [...shown, ...(more > 0 ? [`… ${more} more lines`] : [])].join('\n');
}
