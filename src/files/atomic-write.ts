/**
 * Files of our own, whole and durable: whoever reads one, at any moment or after a crash, finds what was there before or
 * what was written, and what was written stays once the call has returned.
 */

import * as fs from 'node:fs';
import { dirname } from 'node:path';
import { BridleError } from '../kernel/errors.ts';

/** A call of `node:fs`, made at once or later; the numbers it answers with are all that is used of it. */
type FsCall =
  | readonly [name: 'open', path: string, flags: string, mode?: number]
  | readonly [name: 'write', file: number, bytes: Uint8Array, offset: number]
  | readonly [name: 'fchmod', file: number, mode: number]
  | readonly [name: 'fsync' | 'close', file: number]
  | readonly [name: 'rename' | 'link', from: string, to: string]
  | readonly [name: 'mkdir', path: string, mode: number]
  | readonly [name: 'unlink', path: string];

type FsCalls<T = void> = Generator<FsCall, T, number>;

/** Replaces or makes a file that its owner alone can read, and the folders it lies in. */
export function writeFileAtomic(path: string, data: string | Uint8Array): Promise<void> {
  return runAsync(write(path, data, 'rename'));
}

/** {@link writeFileAtomic}, without a pause. */
export function writeFileAtomicSync(path: string, data: string | Uint8Array): void {
  runSync(write(path, data, 'rename'));
}

/** Makes a file; false if there is one with that name: of several processes one wins, and the others leave it alone. */
export function createFileAtomicSync(path: string, data: string | Uint8Array): boolean {
  try {
    runSync(write(path, data, 'link'));
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

/** Makes a folder that its owner alone can use, and those it lies in, where there is none. */
export function createFolderSync(folder: string): void {
  runSync(makeFolder(folder));
}

function* write(path: string, data: string | Uint8Array, take: 'rename' | 'link'): FsCalls {
  const folder = dirname(path);
  yield* makeFolder(folder);
  const draft = `${path}.${unusedName()}.tmp`;
  try {
    yield* writeDraft(draft, typeof data === 'string' ? Buffer.from(data) : data);
    yield [take, draft, path];
    if (take === 'link') yield* ignoringErrors(['unlink', draft]);
  } catch (error) {
    // Whatever kept the file from being written may keep its draft from being removed; that is in nobody's way.
    yield* ignoringErrors(['unlink', draft]);
    throw error;
  }
  yield* syncFolder(folder);
}

/** What a crash has left under a name like this one is in nobody's way. Loading `node:crypto` would slow a start down. */
function unusedName(): string {
  return `${process.pid}.${Math.random().toString(36).slice(2)}`;
}

function* writeDraft(draft: string, bytes: Uint8Array): FsCalls {
  const file = yield ['open', draft, 'wx', 0o600];
  try {
    // Whatever the process takes from the modes of its files.
    yield ['fchmod', file, 0o600];
    for (let at = 0; at < bytes.length;) {
      const written = yield ['write', file, bytes, at];
      if (written === 0) throw new BridleError('STORE_FAILED', 'the disk took nothing of what was written');
      at += written;
    }
    // On the disk before it has its name: a crash could leave the name without the content.
    yield ['fsync', file];
  } catch (error) {
    yield* ignoringErrors(['close', file]);
    throw error;
  }
  yield ['close', file];
}

/** For what follows a failure: that one is told. */
function* ignoringErrors(call: FsCall): FsCalls {
  try {
    yield call;
  } catch {
    return;
  }
}

/** Node's own way of making a folder with its parents tries for ever where the system says that none can be made. */
function* makeFolder(folder: string): FsCalls {
  const parent = dirname(folder);
  try {
    if (!(yield* makeOne(folder))) return;
  } catch (error) {
    if (codeOf(error) !== 'ENOENT' || parent === folder) throw error;
    yield* makeFolder(parent);
    yield* makeOne(folder);
  }
  yield* syncFolder(parent);
}

function* makeOne(folder: string): FsCalls<boolean> {
  try {
    yield ['mkdir', folder, 0o700];
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

/** What some file systems say of folders: there a name is on the disk when they see fit. */
const withoutSync = new Set(['EINVAL', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']);

function* syncFolder(folder: string): FsCalls {
  if (process.platform === 'win32') return;
  const opened = yield ['open', folder, 'r'];
  try {
    yield ['fsync', opened];
  } catch (error) {
    if (!withoutSync.has(codeOf(error))) throw error;
  } finally {
    yield* ignoringErrors(['close', opened]);
  }
}

function codeOf(error: unknown): string {
  return String((error as { code?: unknown }).code);
}

function runSync(calls: FsCalls): void {
  let next = calls.next();
  while (next.done !== true) {
    let answer: number;
    try {
      answer = callNow(next.value);
    } catch (error) {
      next = calls.throw(error);
      continue;
    }
    next = calls.next(answer);
  }
}

async function runAsync(calls: FsCalls): Promise<void> {
  let next = calls.next();
  while (next.done !== true) {
    let answer: number;
    try {
      answer = await callLater(next.value);
    } catch (error) {
      next = calls.throw(error);
      continue;
    }
    next = calls.next(answer);
  }
}

function callNow([name, ...args]: FsCall): number {
  const call = fs[`${name}Sync`] as (...args: readonly unknown[]) => number;
  return call(...args);
}

function callLater([name, ...args]: FsCall): Promise<number> {
  const call = fs[name] as (...args: readonly unknown[]) => void;
  return new Promise((resolve, reject) => {
    call(...args, (error: Error | null | undefined, answer: number) => (error ? reject(error) : resolve(answer)));
  });
}
