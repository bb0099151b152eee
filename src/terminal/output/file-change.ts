/** Shows what a call makes of a file: a diff of the file as it is now against what the call would write. */

import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { makeVisible } from '../../kernel/guard/calls/show-call.ts';
import type { CheckedPath } from '../../kernel/call.ts';
import { isJsonObject, type JsonValue } from '../../kernel/json.ts';
import { maskSecrets } from '../../redact/mask-secrets.ts';
import { containsMask } from '../../redact/mask-text.ts';
import { applyEdit } from '../../tools/text/apply-edit.ts';
import { readUtf8 } from '../../tools/text/text-file.ts';
import { type DiffLine, diffLines, type LineDiff, lacksLineEnd } from './line-diff.ts';
import { chunksOf } from './marked-rows.ts';
import type { Paint, Tone } from './paint.ts';

/** A call that may change a file. */
export interface ChangingCall {
  readonly tool: string;
  readonly server: string | undefined;
  readonly args: JsonValue;
  /** The folder of relative paths. */
  readonly cwd: string | undefined;
  readonly paths?: readonly Pick<CheckedPath, 'given' | 'path'>[] | undefined;
}

export interface FileChange {
  readonly isNew: boolean;
  readonly diff: LineDiff;
  /** The arguments that the diff shows in full. */
  readonly shownArgs: readonly string[];
}

const maxBytes = 1024 * 1024;

/** Undefined if it cannot be computed: another tool, an unreadable or large file, masked args, an edit that fails. */
export function fileChangeOf(call: ChangingCall): FileChange | undefined {
  const { tool, server, args } = call;
  if (server !== undefined || !isJsonObject(args) || containsMask(args)) return undefined;
  if (tool !== 'create_file' && tool !== 'edit_file') return undefined;
  const path = pathOf(call);
  if (path === undefined) return undefined;
  try {
    const current = readCurrent(path);
    if (current === undefined) return undefined;
    return tool === 'create_file' ? creation(current.text, args) : edit(current.text, args);
  } catch {
    // Unreadable, or the edit does not apply: the call is shown with its args instead.
    return undefined;
  }
}

function pathOf({ args, cwd, paths = [] }: ChangingCall): string | undefined {
  const given = isJsonObject(args) ? args['file_path'] : undefined;
  if (typeof given !== 'string') return undefined;
  const checked = paths.find((path) => path.given === given || path.path === given);
  if (checked !== undefined) return checked.path;
  return cwd === undefined ? undefined : resolve(cwd, given);
}

/** The text of the file; undefined if there is none. */
function readCurrent(path: string): { readonly text: string | undefined } | undefined {
  const info = statSync(path, { throwIfNoEntry: false });
  if (info === undefined) return { text: undefined };
  const text = info.isFile() && info.size <= maxBytes ? readUtf8(readFileSync(path)) : undefined;
  return text === undefined ? undefined : { text };
}

function creation(
  before: string | undefined,
  { contents }: Readonly<Record<string, JsonValue>>,
): FileChange | undefined {
  if (typeof contents !== 'string' || contents.length > maxBytes) return undefined;
  return { isNew: before === undefined, diff: maskedDiff(before ?? '', contents), shownArgs: ['contents'] };
}

function edit(before: string | undefined, args: Readonly<Record<string, JsonValue>>): FileChange | undefined {
  const { old_text: oldText, new_text: newText, replace_all: all = false } = args;
  if (before === undefined || typeof oldText !== 'string' || typeof newText !== 'string') return undefined;
  const { edited } = applyEdit(before, { oldText, newText, all: all === true });
  return { isNew: false, diff: maskedDiff(before, edited), shownArgs: ['old_text', 'new_text'] };
}

function maskedDiff(before: string, after: string): LineDiff {
  const masked = maskSecrets()({ before, after });
  return diffLines(masked.before, masked.after);
}

/** `+3 −1`. */
export function changeSummary({ isNew, diff }: FileChange): string {
  const { added, removed } = diff;
  if (isNew) return `new file, ${added} ${added === 1 ? 'line' : 'lines'}`;
  return added + removed === 0 ? 'no change' : `+${added} −${removed}`;
}

const tones: Readonly<Record<DiffLine['type'], Tone>> = { same: 'dim', removed: 'bad', added: 'good' };
const signs: Readonly<Record<DiffLine['type'], string>> = { same: ' ', removed: '-', added: '+' };

export interface DiffOptions {
  readonly paint: Paint;
  readonly columns: number;
}

/** The lines of a diff, with line numbers. No line of the file can pass for another one. */
export function diffRows({ diff }: FileChange, { paint, columns }: DiffOptions): readonly string[] {
  const numbers = diff.hunks.flatMap((hunk) => hunk.map(({ number }) => number));
  const width = String(numbers.reduce((most, number) => Math.max(most, number), 1)).length;
  return diff.hunks.flatMap((hunk, index) => [
    ...(index === 0 ? [] : [paint('dim', `  ${' '.repeat(width)} ⋮`)]),
    ...hunk.flatMap((line) => diffRow(line, width, columns).map((row) => paint(tones[line.type], row))),
  ]);
}

function diffRow(line: DiffLine, width: number, columns: number): readonly string[] {
  const text = lacksLineEnd(line)
    ? `${visibleLine(line.text.slice(0, -1))} ⟨no newline at the end⟩`
    : visibleLine(line.text);
  const head = `  ${String(line.number).padStart(width)} ${signs[line.type]} `;
  const rest = `  ${' '.repeat(width)} ┊ `;
  return chunksOf(text, columns - head.length).map((chunk, at) => (at === 0 ? head : rest) + chunk);
}

/** Tabs are common in code: they are shown as an arrow and fill four columns. */
function visibleLine(text: string): string {
  return text.split('\t').map(makeVisible).join('→   ');
}
