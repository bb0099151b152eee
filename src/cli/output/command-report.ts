/** The result of a command: JSON data, text lines, and an exit code. */

import { type Paint, paintWith } from '../../terminal/output/paint.ts';
import { type PolicyExitCode, policyExitCodes } from '../exit/policy-exit-codes.ts';
import { writeTo } from '../../files/blocking-io.ts';
import { safeJson } from '../../terminal/output/safe-text.ts';

export interface CommandReport<Code extends number = PolicyExitCode> {
  readonly code: Code;
  readonly data: unknown;
  /** Lines without line ends. */
  readonly lines: (paint: Paint) => readonly string[];
}

export interface ReportStyle {
  readonly json: boolean;
  readonly colours: boolean;
}

const stdout = 1;

/** Writes a report to stdout and returns its exit code. */
export function writeReport<Code extends number>(
  { code, data, lines }: CommandReport<Code>,
  { json, colours }: ReportStyle,
): Code | typeof policyExitCodes.brokenPipe {
  const text = json ? safeJson(data) : lines(paintWith(colours)).join('\n');
  return writeTo(stdout, `${text}\n`) ? code : policyExitCodes.brokenPipe;
}

/** True on a terminal, unless `NO_COLOR` or `TERM=dumb` is set. */
export function shouldUseColours(env: Readonly<Record<string, string | undefined>>, isTerminal: boolean): boolean {
  return isTerminal && (env['NO_COLOR'] ?? '') === '' && env['TERM'] !== 'dumb';
}
