/** Formats errors for stderr: each problem on its own line, with an excerpt of the file it is in. */

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { writeTo } from '../../files/blocking-io.ts';
import { BridleError, messageOf } from '../../kernel/errors.ts';
import { safeJson, escapeControls } from '../../terminal/output/safe-text.ts';

const locationPattern = /^(.+?):(\d+):(\d+): /;
const maxProblems = 20;
const maxColumns = 160;

const [stdout, stderr] = [1, 2];

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
