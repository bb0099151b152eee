/** Errors of SQLite: retried while the file is locked, otherwise turned into Bridle errors. */

import { setTimeout as sleep } from 'node:timers/promises';
import { BridleError, messageOf, type ErrorCode } from '../../kernel/errors.ts';

/** SQLite's result codes for a locked file: the low byte of what a driver reports. */
const busy = new Set([5, 6]);

const sqliteFailures: Readonly<Record<number, readonly [code: ErrorCode, text: string]>> = {
  3: ['STORE_FAILED', 'permission was denied; check the permissions of the file and its folder'],
  5: ['STORE_FAILED', 'another process has locked it; stop that process, or try again'],
  6: ['STORE_FAILED', 'another process has locked it; stop that process, or try again'],
  8: ['STORE_FAILED', 'it cannot be written; check the permissions of the file and its folder'],
  10: ['STORE_FAILED', 'the disk failed to read or write'],
  11: ['STORE_DAMAGED', 'the file is damaged; restore it from a backup, or move it away'],
  13: ['STORE_FAILED', 'the disk is full, or the file may not grow; free some space'],
  14: ['STORE_FAILED', 'it cannot be opened; check that its folder exists and is writable'],
  19: ['STORE_CONFLICT', 'the same row already exists'],
  26: ['STORE_DAMAGED', 'the file is not a database, or is damaged; restore it from a backup, or move it away'],
};

/** SQLite's primary result code; undefined for other errors. */
function sqliteCode(error: unknown): number | undefined {
  const { rawCode, errcode } = error as { rawCode?: unknown; errcode?: unknown };
  const code = typeof rawCode === 'number' ? rawCode : errcode;
  return typeof code === 'number' ? code & 0xff : undefined;
}

export function isSqliteError(error: unknown): boolean {
  return sqliteCode(error) !== undefined;
}

function isBusy(error: unknown): boolean {
  return busy.has(sqliteCode(error) ?? 0);
}

/** The Bridle error for an error from the store at `at`. */
export function sqliteError(at: string, error: unknown): BridleError {
  if (error instanceof BridleError) return error;
  const [code, text] = sqliteFailures[sqliteCode(error) ?? -1] ?? ['STORE_FAILED', 'the database refused'];
  return new BridleError(code, `The store ${at}: ${text} (${messageOf(error)}).`, { cause: error });
}

/** How long another process may keep the file locked. */
const maxWaitMs = 30_000;
const firstPauseMs = 1;
const longestPauseMs = 12;

/**
 * Retries while another process has locked the file, without blocking the event loop. Synchronous if it is not locked.
 */
export function retryWhileBusy<T>(attempt: () => T): T | Promise<T> {
  try {
    return attempt();
  } catch (error) {
    if (!isBusy(error)) throw error;
    return retry(attempt);
  }
}

async function retry<T>(attempt: () => T): Promise<T> {
  const end = performance.now() + maxWaitMs;
  for (let pause = firstPauseMs; ; pause = Math.min(pause * 2, longestPauseMs)) {
    // Jitter, so that several waiters do not retry at the same moment.
    await sleep(pause * (0.5 + Math.random()));
    try {
      return attempt();
    } catch (error) {
      if (!isBusy(error) || performance.now() > end) throw error;
    }
  }
}
