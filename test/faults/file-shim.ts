/**
 * Wraps `node:fs` for everything below one folder: counts the operations, makes the n-th one fail, and reports each to
 * the disk model. Other paths are not affected.
 */

import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { sep } from 'node:path';
import type { DiskModel } from './disk-model.ts';

export type FaultKind = 'EIO' | 'ENOSPC' | 'EROFS' | 'short' | 'cut';

export interface Fault {
  /** The number of the operation, counted from 1. */
  readonly at: number;
  /** `short`: a write is partial and reports it; `cut`: a write is partial and fails. */
  readonly kind: FaultKind;
  /** True: every later operation fails too, as on a lost disk. */
  readonly forGood: boolean;
}

export interface Shimmed {
  /** The names of the operations, in order. */
  readonly operations: readonly string[];
  /** True if the fault was triggered. */
  readonly struck: boolean;
}

export interface ShimOptions {
  /** Absolute. */
  readonly root: string;
  readonly disk: DiskModel;
  readonly fault?: Fault | undefined;
  /** Called after every operation. */
  readonly each?: () => void;
}

interface Watch extends Required<Omit<ShimOptions, 'fault'>> {
  readonly fault: Fault | undefined;
  readonly files: Map<number, string>;
  readonly operations: string[];
  struck: boolean;
}

type AnyFunction = (...args: unknown[]) => unknown;
type Functions = Record<string, AnyFunction>;

/** By name without `Sync`. Functions not listed are harmless or must not be used for own files. */
const watched = 'open write fsync fchmod close rename link unlink rm mkdir readFile lstat'.split(' ');
const byFile = new Set(['write', 'fsync', 'fchmod', 'close']);
const forbidden = 'writeFile appendFile copyFile cp truncate ftruncate writev'.split(' ');

/** Runs `work` with the shim installed. Not concurrently. */
export async function withShim(
  { root, disk, fault, each = () => undefined }: ShimOptions,
  work: () => unknown,
): Promise<Shimmed & { readonly error: unknown }> {
  const watch: Watch = { root, disk, fault, each, files: new Map(), operations: [], struck: false };
  const restore = install(watch);
  let error: unknown;
  try {
    await work();
  } catch (thrown) {
    error = thrown;
  } finally {
    restore();
    for (const file of watch.files.keys()) fs.closeSync(file);
  }
  return { operations: watch.operations, struck: watch.struck, error };
}

function install(watch: Watch): () => void {
  const now = fs as unknown as Functions;
  const later = fs.promises as unknown as Functions;
  const undo: (() => void)[] = [];
  const replace = (functions: Functions, name: string, other: AnyFunction) => {
    const original = functions[name] as AnyFunction;
    functions[name] = other;
    undo.push(() => void (functions[name] = original));
  };
  for (const name of watched) {
    const original = now[`${name}Sync`] as AnyFunction;
    const call = (args: unknown[]) => operate(watch, { name, args, now: original });
    replace(now, `${name}Sync`, (...args) => call(args));
    replace(now, name, (...args) => callBack(args, call));
    if (name in later && name !== 'open')
      replace(later, name, (...args) => new Promise((resolve) => resolve(call(args))));
  }
  for (const name of forbidden) {
    const original = now[`${name}Sync`] as AnyFunction;
    replace(now, `${name}Sync`, (...args) => refuse(watch, { name, args, now: original }));
  }
  syncBuiltinESMExports();
  return () => {
    for (const each of undo) each();
    syncBuiltinESMExports();
  };
}

function callBack(args: unknown[], call: (args: unknown[]) => unknown): void {
  const done = args.at(-1) as (error: unknown, answer?: unknown) => void;
  let answer: unknown;
  try {
    answer = call(args.slice(0, -1));
  } catch (error) {
    setImmediate(done, error);
    return;
  }
  setImmediate(done, null, answer);
}

interface Operation {
  readonly name: string;
  readonly args: unknown[];
  readonly now: AnyFunction;
}

function operate(watch: Watch, operation: Operation): unknown {
  const { name, args, now } = operation;
  const path = pathOf(watch, operation);
  if (path === undefined) return now(...args);
  watch.operations.push(name);
  const fault = faultOf(watch);
  try {
    return fault === undefined ? perform(watch, operation) : fail(watch, operation, fault);
  } finally {
    watch.each();
  }
}

/** The disk model tracks what is synced; a real sync is not needed. */
function perform(watch: Watch, operation: Operation): unknown {
  const answer = operation.name === 'fsync' ? undefined : operation.now(...operation.args);
  keep(watch, operation, answer);
  return answer;
}

/** The path of an operation, if it is below the folder. */
function pathOf(watch: Watch, { name, args }: Operation): string | undefined {
  const [first] = args;
  const path = byFile.has(name) ? watch.files.get(first as number) : first;
  if (typeof path !== 'string') return undefined;
  return path === watch.root || path.startsWith(watch.root + sep) ? path : undefined;
}

function faultOf({ fault, operations }: Watch): FaultKind | undefined {
  if (fault === undefined) return undefined;
  const strikes = fault.forGood ? operations.length >= fault.at : operations.length === fault.at;
  return strikes ? fault.kind : undefined;
}

function fail(watch: Watch, operation: Operation, kind: FaultKind): unknown {
  const { name, args, now } = operation;
  const isPart = kind === 'short' || kind === 'cut';
  if (isPart && name !== 'write') return perform(watch, operation);
  watch.struck = true;
  if (isPart) {
    const [file, bytes, offset] = args as [number, Uint8Array, number];
    const part = Math.floor((bytes.length - offset) / 2);
    const written = now(file, bytes, offset, part) as number;
    watch.disk.write(file, bytes.subarray(offset, offset + written));
    if (kind === 'short') return written;
  }
  // A descriptor is closed after `close`, even if `close` fails.
  if (name === 'close') {
    now(...args);
    keep(watch, operation, undefined);
  }
  const code = kind === 'cut' ? 'ENOSPC' : kind;
  throw Object.assign(new Error(`${code}: made to fail, ${name}`), { code, syscall: name });
}

function keep({ files, disk }: Watch, { name, args }: Operation, answer: unknown): void {
  const [first, second] = args as [never, never];
  if (name === 'open') files.set(answer as number, first);
  if (name === 'close') files.delete(first);
  if (name === 'open') disk.open(answer as number, first, String(second));
  if (name === 'write') disk.write(first, (second as Uint8Array).subarray(args[2] as number));
  if (name === 'fsync') disk.sync(first);
  if (name === 'rename') disk.rename(first, second);
  if (name === 'link') disk.link(first, second);
  if (name === 'mkdir') disk.makeFolder(first);
  if (name === 'unlink' || name === 'rm') disk.unlink(first);
}

/** Own files must be written by one function only. */
function refuse(watch: Watch, operation: Operation): unknown {
  const { name, args, now } = operation;
  if (pathOf(watch, operation) === undefined) return now(...args);
  throw new TypeError(`Own files must not be written by ${name}.`);
}
