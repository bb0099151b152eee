/**
 * The user's pin file. It is written atomically and never repaired silently. Each change re-reads the file under a lock,
 * so that concurrent processes don't lose each other's changes.
 */

import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { BridleError, messageOf } from '../../kernel/errors.ts';
import { createFileAtomicSync, writeFileAtomicSync } from '../../files/atomic-write.ts';
import { readPins, type PinsByServer } from './read-pins.ts';

const maxFileBytes = 64 * 1024 * 1024;
const lockWaitMs = 5000;
const lockPollMs = 20;

/** Reads the pin file; no file means no pins. */
export function loadPins(file: string): PinsByServer {
  let text: string;
  try {
    const handle = fs.openSync(file, 'r');
    try {
      const { size, mode } = fs.fstatSync(handle);
      if (size > maxFileBytes) throw pinFileError(file, `is larger than ${maxFileBytes} bytes`);
      if (process.platform !== 'win32' && (mode & 0o022) !== 0) {
        throw pinFileError(file, 'is writable by others; check its content, then run chmod 600 on it');
      }
      text = fs.readFileSync(handle, 'utf8');
    } finally {
      fs.closeSync(handle);
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return new Map();
    if (error instanceof BridleError) throw error;
    throw pinFileError(file, `cannot be read: ${messageOf(error)}`, error);
  }
  const read = readPins(text);
  if (read.problem === undefined) return read.pins;
  throw pinFileError(
    file,
    `${read.problem}. Restore a backup, or delete the file; every tool is then pinned again as on first use`,
  );
}

/** Reads, changes and writes the file under a lock; `change` returns undefined if there is nothing to write. */
export async function updatePins(
  file: string,
  change: (pins: PinsByServer) => PinsByServer | undefined,
): Promise<void> {
  if (change(loadPins(file)) === undefined) return;
  try {
    const unlock = await lock(file);
    try {
      const changed = change(loadPins(file));
      if (changed !== undefined) replace(file, changed);
    } finally {
      unlock();
    }
  } catch (error) {
    if (error instanceof BridleError && error.code === 'PINS_UNUSABLE') throw error;
    throw pinFileError(file, `cannot be written: ${messageOf(error)}`, error);
  }
}

function replace(file: string, pins: PinsByServer): void {
  // A symbolic link is kept: its target is replaced.
  const target = fs.existsSync(file) ? fs.realpathSync(file) : file;
  writeFileAtomicSync(target, `${JSON.stringify({ version: 1, servers: [...pins.values()] }, undefined, 1)}\n`);
}

/** Takes the lock. The work under it is synchronous, so it is never held for long. */
async function lock(file: string): Promise<() => void> {
  const path = `${file}.lock`;
  const own = `${process.pid} ${randomBytes(8).toString('hex')}`;
  const until = performance.now() + lockWaitMs;
  for (;;) {
    // The file must appear with its content: an empty lock could not be attributed to a process and broken.
    if (createFileAtomicSync(path, own)) return () => unlock(path, own);
    if (breakLock(path)) continue;
    if (performance.now() > until)
      throw pinFileError(file, `is locked; if no other process is using it, delete ${path}`);
    await sleep(lockPollMs);
  }
}

/** Locks of this process that it could not remove. */
const abandoned = new Set<string>();

function unlock(path: string, own: string): void {
  abandoned.add(own);
  const held = readLock(path);
  // An unreadable lock may belong to another process, so it stays.
  if (held === own) fs.rmSync(path, { force: true });
  if (held !== undefined) abandoned.delete(own);
}

/** Removes a dead process's lock. It is renamed first, and put back if another process has replaced it meanwhile. */
function breakLock(path: string): boolean {
  const held = readLock(path);
  if (held === undefined || (isAlive(Number.parseInt(held, 10)) && !abandoned.has(held))) return false;
  const aside = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    fs.renameSync(path, aside);
    if (readLock(aside) !== held) fs.linkSync(aside, path);
    fs.rmSync(aside, { force: true });
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT';
  }
}

function readLock(path: string): string | undefined {
  try {
    const text = fs.readFileSync(path, 'utf8');
    return /^\d+ [\da-f]+$/.test(text) ? text : undefined;
  } catch {
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function pinFileError(file: string, problem: string, cause?: unknown): BridleError {
  return new BridleError('PINS_UNUSABLE', `the pin file ${file} ${problem}`, cause === undefined ? {} : { cause });
}
