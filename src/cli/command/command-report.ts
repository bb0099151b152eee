/** Prints the result of a command, in colours on a terminal, and notes. */

import { type Paint, paintWith } from '../../terminal/output/paint.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import { writeTo } from '../../files/blocking-io.ts';
import { safeJson } from '../../terminal/output/safe-text.ts';
import type { CommandReport, Invocation } from './command-row.ts';

const [stdout, stderr] = [1, 2];

/** Writes a report to stdout and returns its exit code. */
export function writeReport({ code, data, lines }: CommandReport, invocation: Invocation): ExitCode {
  const text = invocation.options.json === true ? safeJson(data) : lines(paintFor(invocation)).join('\n');
  return writeTo(stdout, `${text}\n`) ? code : exitCodes.brokenPipe;
}

/** Colours on a terminal, unless `NO_COLOR` or `TERM=dumb` is set. */
export function paintFor({ env, streams }: Pick<Invocation, 'env' | 'streams'>): Paint {
  return paintWith(streams.stdout.isTTY && (env['NO_COLOR'] ?? '') === '' && env['TERM'] !== 'dumb');
}

/** The width of the screen; output that is no terminal is not wrapped. */
export function columnsFor({ streams }: Pick<Invocation, 'streams'>): number {
  const { stdout: output } = streams;
  return output.isTTY ? output.columns || 80 : Number.POSITIVE_INFINITY;
}

/** Writes a note to stderr. */
export function writeNote(text: string): void {
  writeTo(stderr, `bridle: ${text}\n`);
}
