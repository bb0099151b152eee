/** Reads what commands get as arguments: numbers, args as JSON, and files. */

import { closeSync, fstatSync, openSync } from 'node:fs';
import { readFrom } from '../../files/blocking-io.ts';
import { LineReader } from '../../files/line-reader.ts';
import { messageOf } from '../../kernel/errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../kernel/json.ts';
import { kindOf } from '../../kernel/kind-of.ts';
import { usageError } from './command-row.ts';

/** Reads a non-negative integer. */
export function readCount(flag: string, given: string): number {
  const count = /^\d{1,15}$/.test(given) ? Number(given) : Number.NaN;
  if (Number.isSafeInteger(count)) return count;
  throw usageError(`${flag} must be a whole number, not ${JSON.stringify(given)}`);
}

/** Reads `--args`. */
export function readArgs(given: string): JsonObject {
  let args: JsonValue;
  try {
    args = JSON.parse(given) as JsonValue;
  } catch (error) {
    throw usageError(`--args is not JSON: ${messageOf(error)}`);
  }
  if (isJsonObject(args)) return args;
  throw usageError(`--args must be an object, not ${kindOf(args)}: write it like {"command_line": "ls"}`);
}

/** Opens an input file; `what` names it in the error. */
export function openInput(path: string, what: string): number {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch (error) {
    throw usageError(`cannot read ${what}: ${openErrorText(path, error)}`);
  }
  if (!fstatSync(file).isDirectory()) return file;
  closeSync(file);
  throw usageError(`cannot read ${what}: ${JSON.stringify(path)} is a folder`);
}

/** A shorter text for a missing file than Node's, which repeats the path and the error code. */
function openErrorText(path: string, error: unknown): string {
  const { code } = error as { readonly code?: unknown };
  return code === 'ENOENT' ? `${JSON.stringify(path)} does not exist` : messageOf(error);
}

/** Large enough for a record with the args of a call twice, or a result before and after a change. */
const maxRecordBytes = 64 * 1024 * 1024;

/** The lines of an exported journal. An unreadable line is kept as an invalid record, so that verification reports it. */
export function* journalFileLines(file: number): Generator<string, void, undefined> {
  const reader = new LineReader(readFrom(file), maxRecordBytes);
  for (let lines = reader.next(); lines !== undefined; lines = reader.next()) {
    for (const { text, problem } of lines) yield text ?? `(${problem})`;
  }
}
