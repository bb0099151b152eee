/** What a database says when it fails, as errors of Bridle: what is wrong, where, and what to do. */

import { BridleError, messageOf, type ErrorCode } from '../../kernel/errors.ts';

/** The result codes of SQLite for what another connection keeps locked; the low byte of what a driver reports. */
const busy = new Set([5, 6]);

const sqliteFailures: Readonly<Record<number, readonly [code: ErrorCode, text: string]>> = {
  3: ['STORE_FAILED', 'permission was denied; check who may write the file and its folder'],
  5: ['STORE_FAILED', 'another process keeps it locked; end that process, or try again'],
  6: ['STORE_FAILED', 'another process keeps it locked; end that process, or try again'],
  8: ['STORE_FAILED', 'it cannot be written; check who may write the file and its folder'],
  10: ['STORE_FAILED', 'its disk failed to read or write'],
  11: ['STORE_DAMAGED', 'the file is damaged, and nothing in it is believed; restore it from a copy, or move it away'],
  13: ['STORE_FAILED', 'its disk is full, or the file may not grow; make room'],
  14: ['STORE_FAILED', 'it cannot be opened; check that its folder exists and may be written'],
  19: ['STORE_CONFLICT', 'the same row is there already'],
  26: ['STORE_DAMAGED', 'the file is no database, or damaged; restore it from a copy, or move it away'],
};

/** The result code of SQLite, without its extended part; undefined for an error that is not of SQLite. */
function sqliteCode(error: unknown): number | undefined {
  const { rawCode, errcode } = error as { rawCode?: unknown; errcode?: unknown };
  const code = typeof rawCode === 'number' ? rawCode : errcode;
  return typeof code === 'number' ? code & 0xff : undefined;
}

export function isSqliteError(error: unknown): boolean {
  return sqliteCode(error) !== undefined;
}

export function isBusy(error: unknown): boolean {
  return busy.has(sqliteCode(error) ?? 0);
}

/** Whatever SQLite threw, for whoever uses the store at `at`. */
export function sqliteError(at: string, error: unknown): BridleError {
  if (error instanceof BridleError) return error;
  const [code, text] = sqliteFailures[sqliteCode(error) ?? -1] ?? ['STORE_FAILED', 'the database refused'];
  return new BridleError(code, `The store ${at}: ${text} (${messageOf(error)}).`, { cause: error });
}
