/** Prints what a command has to say: its report, notes, and errors with an excerpt of the file they are in. */

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { writeTo } from '../../files/blocking-io.ts';
import { BridleError, messageOf } from '../../kernel/errors.ts';
import { type Paint, paintWith } from '../../terminal/output/paint.ts';
import { safeJson, escapeControls } from '../../terminal/output/safe-text.ts';
import type { CommandReport, Invocation } from './command-row.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';

const locationPattern = /^(.+?):(\d+):(\d+): /;
const maxProblems = 20;
const maxColumns = 160;

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

/** Writes a note to stderr. */
export function writeNote(text: string): void {
  writeTo(stderr, `bridle: ${text}\n`);
}

/** Writes an error to stderr and, with `--json`, also to stdout. File names in problems are relative to `--cwd`. */
export function writeProblem(
  error: unknown,
  { cwd, json }: { readonly cwd?: string | undefined; readonly json?: boolean | undefined },
): void {
  writeTo(stderr, problemText(error, cwd));
  if (json !== true || !(error instanceof BridleError)) return;
  const { code, message, problems } = error;
  writeTo(stdout, `${safeJson({ error: message, code, problems })}\n`);
}

function problemText(error: unknown, cwd = '.'): string {
  if (!(error instanceof BridleError)) return `bridle: ${escapeControls(messageOf(error))}\n`;
  const shown = error.problems.slice(0, maxProblems);
  const more = error.problems.length - shown.length;
  const files = new Map<string, readonly string[]>();
  const texts = shown.map((problem) =>
    locationPattern.test(problem)
      ? withExcerpt(problem, (file) => linesOf(resolve(cwd, file), files))
      : `bridle: ${escapeControls(problem)}\n`,
  );
  return texts.join('') + (more > 0 ? `bridle: and ${more} more\n` : '');
}

function withExcerpt(problem: string, linesIn: (file: string) => readonly string[]): string {
  const [, file = '', line = '', column = ''] = locationPattern.exec(problem) ?? [];
  const text = linesIn(file)[Number(line) - 1];
  const head = `${escapeControls(problem)}\n`;
  if (text === undefined) return head;
  const start = Math.max(0, Number(column) - maxColumns / 2);
  const gutter = `${line} | `;
  const before = escapeControls(text.slice(start, Number(column) - 1)).replaceAll('\t', ' ');
  const excerpt = `${before}${escapeControls(text.slice(Number(column) - 1, start + maxColumns)).replaceAll('\t', ' ')}`;
  return `${head}  ${gutter}${excerpt}\n  ${' '.repeat(gutter.length + before.length)}^\n`;
}

function linesOf(file: string, files: Map<string, readonly string[]>): readonly string[] {
  let lines = files.get(file);
  if (lines === undefined) {
    try {
      lines = readFileSync(file, 'utf8').split(/\r\n|\r|\n/);
    } catch {
      lines = [];
    }
    files.set(file, lines);
  }
  return lines;
}
