/**
 * Where a path really leads (W02, W04). The kernel resolves it: no code here interprets `..` or links as text, so the
 * result cannot differ from what `open` would do. A refusal is returned as a value.
 *
 * Hard links are invisible: a file with two names is inside if either name is. Creating one takes a command, not a
 * path.
 */

import { lstatSync, realpathSync, statSync, type BigIntStats } from 'node:fs';
import { posix } from 'node:path';
import type { CheckedPath, FileIdentity } from '../../../kernel/call.ts';
import { identityOf, isSameFile } from './is-inside.ts';
import { readPathText, refuseIfTooLong } from './path-text.ts';
import { probe, refusePath, refuseErrorCode, type PathRefusal, type Probe } from './path-refusal.ts';

export interface ResolvePathOptions {
  /** The folder that relative paths start from; the current folder of the process by default. */
  readonly cwd?: string | undefined;
  /** The folder that `~` means; the user's home folder by default. */
  readonly home?: string | undefined;
  /** The position of the path in the args of its call, for the record only. */
  readonly at?: CheckedPath['at'] | undefined;
}

export type PathResolution = { readonly type: 'resolved'; readonly checked: CheckedPath } | PathRefusal;

/** Undefined if nothing exists there. */
export type PathKind = 'folder' | 'file' | 'other' | undefined;

type ResolvedPath = Omit<CheckedPath, 'at' | 'given'>;
type TextResolution =
  | { readonly type: 'located'; readonly resolved: ResolvedPath; readonly kind: PathKind }
  | PathRefusal;

interface ExistingPath {
  readonly type: 'exists';
  readonly path: string;
  readonly identity: FileIdentity;
  readonly kind: PathKind;
}

/** Resolves a path as the kernel would, or returns why it is refused. */
export function resolvePath(given: unknown, options: ResolvePathOptions = {}): PathResolution {
  const resolution = resolvePathWithKind(given, options);
  return resolution.type === 'refused' ? resolution : { type: 'resolved', checked: resolution.checked };
}

/** Resolves an absolute path; returns the path itself if that fails. */
export function realPathOf(path: string): string {
  const resolution = resolvePath(path);
  return resolution.type === 'resolved' ? resolution.checked.path : path;
}

type ResolutionWithKind = Extract<PathResolution, { type: 'resolved' }> & { readonly kind: PathKind };

/** {@link resolvePath}, plus what exists there. */
export function resolvePathWithKind(given: unknown, options: ResolvePathOptions): ResolutionWithKind | PathRefusal {
  if (process.platform === 'win32')
    return refusePath('cannot be resolved: workspaces are not supported on Windows yet');
  const reading = readPathText(given, { cwd: options.cwd ?? process.cwd(), home: options.home });
  if (reading.type === 'refused') return reading;
  const [text, ...others] = reading.texts;
  if (text === undefined) return refusePath('is empty');
  const first = resolveText(text);
  if (first.type === 'refused') return first;
  const agree = others.every((other) => leadsTo(other, first.resolved.path));
  if (!agree)
    return refusePath('contains .. after a symbolic link, which file URLs and the file system interpret differently');
  const { path, identity, ancestor } = first.resolved;
  const checked = { at: options.at ?? [], given: String(given), path, identity, ancestor };
  return { type: 'resolved', checked, kind: first.kind };
}

function leadsTo(text: string, path: string): boolean {
  const other = resolveText(text);
  return other.type === 'located' && other.resolved.path === path;
}

function resolveText(text: string): TextResolution {
  const seen = statPath(text);
  if (seen.type === 'failed') return refuseErrorCode(seen.code);
  if (seen.value === undefined) return resolveMissing(text);
  const existing = findRealName(text, seen.value);
  if (existing.type === 'refused') return existing;
  const folder = posix.dirname(existing.path);
  const ancestor = probe(() => lstatSync(folder, { bigint: true }));
  if (ancestor.type === 'failed') return refuseErrorCode(ancestor.code);
  const { path, identity, kind } = existing;
  return {
    type: 'located',
    resolved: { path, identity, ancestor: { path: folder, identity: identityOf(ancestor.value) } },
    kind,
  };
}

/**
 * Returns undefined if nothing exists, which is much cheaper than an error. Node versions differ in which errors that
 * covers, so `resolveMissing` checks the first missing name again.
 */
function statPath(text: string): Probe<BigIntStats | undefined> {
  return probe(() => statSync(text, { bigint: true, throwIfNoEntry: false }));
}

/**
 * Returns the real path of something that exists. Links in /proc lead elsewhere than their text says, and names that
 * are not UTF-8 change when read, so the file at the real path must be the file at the text.
 */
function findRealName(text: string, seen: BigIntStats): ExistingPath | PathRefusal {
  const real = probe(() => realpathSync.native(text));
  if (real.type === 'failed') return refuseErrorCode(real.code);
  const path = real.value;
  const identity = identityOf(seen);
  // No link was followed and no character replaced.
  if (path === text && !path.includes('\uFFFD')) return { type: 'exists', path, identity, kind: kindOf(seen) };
  const named = probe(() => lstatSync(path, { bigint: true }));
  if (named.type === 'failed') return refuseErrorCode(named.code);
  if (!isSameFile(identity, identityOf(named.value)))
    return refusePath('leads through a link that does not name its target');
  return { type: 'exists', path, identity, kind: kindOf(named.value) };
}

function kindOf(stats: BigIntStats): PathKind {
  return stats.isDirectory() ? 'folder' : stats.isFile() ? 'file' : 'other';
}

function resolveMissing(text: string): TextResolution {
  const names = text.split('/');
  const found = findNearestExisting(names);
  if (found.type === 'refused') return found;
  const { ancestor, missing } = found;
  // Newer Node versions report a file in the middle of a path as not existing.
  if (ancestor.kind !== 'folder') return refuseErrorCode('ENOTDIR');
  if (missing.includes('..')) return refusePath('goes up (..) from a folder that does not exist');
  const rest = missing.filter((name) => name !== '' && name !== '.');
  const path = posix.join(ancestor.path, ...rest);
  const first = posix.join(ancestor.path, rest[0] ?? '');
  const next = probe(() => lstatSync(first, { bigint: true, throwIfNoEntry: false }));
  if (next.type === 'failed') return refuseErrorCode(next.code);
  if (next.value !== undefined) return refusePath('is or leads through a dangling symbolic link');
  const { identity } = ancestor;
  return (
    refuseIfTooLong(path) ?? {
      type: 'located',
      resolved: { path, identity: undefined, ancestor: { path: ancestor.path, identity } },
      kind: undefined,
    }
  );
}

interface NearestExisting {
  readonly type: 'found';
  readonly ancestor: ExistingPath;
  readonly missing: readonly string[];
}

/**
 * Finds the longest existing prefix. Usually only the last names are missing; bisecting keeps a path with thousands of
 * names cheap.
 */
function findNearestExisting(names: readonly string[]): NearestExisting | PathRefusal {
  let low = 1;
  let high = names.length;
  let stats: Probe<BigIntStats | undefined> | undefined;
  for (let step = 1; high - low > 1; step *= 2) {
    const middle = stats === undefined ? Math.max(low + 1, high - step) : (low + high) >> 1;
    const seen = statPath(names.slice(0, middle).join('/'));
    if (seen.type === 'failed') return refuseErrorCode(seen.code);
    if (seen.value === undefined) {
      high = middle;
    } else {
      low = middle;
      stats = seen;
    }
  }
  stats ??= statPath('/');
  if (stats.type === 'failed' || stats.value === undefined)
    return refusePath('cannot be resolved: there is no root folder');
  const ancestor = findRealName(names.slice(0, low).join('/') || '/', stats.value);
  return ancestor.type === 'refused' ? ancestor : { type: 'found', ancestor, missing: names.slice(low) };
}
