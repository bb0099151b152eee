/**
 * Atomic, durable writes of Bridle's own files. A reader sees either the old or the new content, at any moment and after a
 * crash. Once the call has returned, the new content is on disk.
 */

import * as fs from 'node:fs';
import { dirname } from 'node:path';
import { BridleError } from '../kernel/errors.ts';

/** A call of `node:fs`, run synchronously or asynchronously. Only numeric results are used. */
type FsCall =
  | readonly [name: 'open', path: string, flags: string, mode?: number]
  | readonly [name: 'write', file: number, bytes: Uint8Array, offset: number]
  | readonly [name: 'fchmod', file: number, mode: number]
  | readonly [name: 'fsync' | 'close', file: number]
  | readonly [name: 'rename' | 'link', from: string, to: string]
  | readonly [name: 'mkdir', path: string, mode: number]
  | readonly [name: 'unlink', path: string];

const ownerOnly = 0o600;

type FsCalls<T = void> = Generator<FsCall, T, number>;

/** Creates or replaces a file that only its owner can read. Creates missing folders. */
export function writeFileAtomic(path: string, data: string | Uint8Array): Promise<void> {
  return runAsync(write(path, data, { take: 'rename' }));
}

/** {@link writeFileAtomic}, synchronously. Another `mode` is for files that others read or run. */
export function writeFileAtomicSync(path: string, data: string | Uint8Array, mode = ownerOnly): void {
  runSync(write(path, data, { take: 'rename', mode }));
}

/** Creates a file; returns false if it exists already. If several processes try, exactly one succeeds. */
export function createFileAtomicSync(path: string, data: string | Uint8Array): boolean {
  try {
    runSync(write(path, data, { take: 'link' }));
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

/** Creates a folder that only its owner can use, including missing parents. */
export function createFolderSync(folder: string): void {
  runSync(makeFolder(folder));
}

interface WriteOptions {
  readonly take: 'rename' | 'link';
  readonly mode?: number;
}

function* write(path: string, data: string | Uint8Array, { take, mode = ownerOnly }: WriteOptions): FsCalls {
  const folder = dirname(path);
  yield* makeFolder(folder);
  const draft = `${path}.${unusedName()}.tmp`;
  try {
    yield* writeDraft(draft, typeof data === 'string' ? Buffer.from(data) : data, mode);
    yield [take, draft, path];
    if (take === 'link') yield* ignoringErrors(['unlink', draft]);
  } catch (error) {
    // What prevented the write may also prevent removing the draft. A leftover draft is harmless.
    yield* ignoringErrors(['unlink', draft]);
    throw error;
  }
  yield* syncFolder(folder);
}

/** A draft left by a crash is harmless. Not random bytes, because loading `node:crypto` would slow down the start. */
function unusedName(): string {
  return `${process.pid}.${Math.random().toString(36).slice(2)}`;
}

function* writeDraft(draft: string, bytes: Uint8Array, mode: number): FsCalls {
  const file = yield ['open', draft, 'wx', ownerOnly];
  try {
    // Independent of the umask.
    yield ['fchmod', file, mode];
    for (let at = 0; at < bytes.length;) {
      const written = yield ['write', file, bytes, at];
      if (written === 0) throw new BridleError('STORE_FAILED', 'the disk took nothing of what was written');
      at += written;
    }
    // Content must be on disk before the rename: otherwise a crash could leave the name without the content.
    yield ['fsync', file];
  } catch (error) {
    yield* ignoringErrors(['close', file]);
    throw error;
  }
  yield ['close', file];
}

/** For cleanup after a failure: the first error is the one to report. */
function* ignoringErrors(call: FsCall): FsCalls {
  try {
    yield call;
  } catch {
    return;
  }
}

/** Node's recursive mkdir loops forever on some errors, so parents are created one by one. */
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

/** Errors of file systems that cannot sync a folder. There, the time at which a name reaches the disk is up to them. */
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
