/**
 * Where a path really leads (W02, W04). The kernel itself is asked: nothing here reads `..` or a link as text, so
 * there is no second opinion that could differ from what an open would do. What it says is told as a value.
 *
 * A hard link cannot be seen: a file with two names is inside by either. Making one needs a command, not a path.
 */

import { lstatSync, realpathSync, statSync, type BigIntStats } from 'node:fs';
import { posix } from 'node:path';
import type { CheckedPath, FileIdentity } from '../call.ts';
import { identityOf, isSameFile } from './file-identity.ts';
import { readPathText, refuseLength } from './path-text.ts';
import { probe, refuse, refuseCode, type PathRefusal, type Probe } from './refusal.ts';

export interface ResolveOptions {
  /** Where relative paths start; the process's own folder unless given. */
  readonly cwd?: string | undefined;
  /** What `~` stands for; the user's own home unless given. */
  readonly home?: string | undefined;
  /** Where the path stands in the args of its call; for the record only. */
  readonly at?: CheckedPath['at'] | undefined;
}

export type PathResolution = { readonly type: 'resolved'; readonly checked: CheckedPath } | PathRefusal;

type Place = Omit<CheckedPath, 'at' | 'given'>;
type PlaceResolution = { readonly type: 'placed'; readonly place: Place } | PathRefusal;
type Existing = { readonly type: 'exists'; readonly path: string; readonly identity: FileIdentity };

/** Resolves a path as the kernel would, or says why it cannot be trusted to lead anywhere. */
export function resolvePath(given: unknown, options: ResolveOptions = {}): PathResolution {
  if (process.platform === 'win32') return refuse('cannot be resolved: workspaces are not supported on Windows yet');
  const reading = readPathText(given, { cwd: options.cwd ?? process.cwd(), home: options.home });
  if (reading.type === 'refused') return reading;
  const [first, ...others] = reading.texts.map(resolveText);
  if (first === undefined) return refuse('is empty');
  if (first.type === 'refused') return first;
  const agree = others.every((other) => other.type === 'placed' && other.place.path === first.place.path);
  if (!agree) return refuse('holds .. behind a symbolic link, which file URLs and the file system read differently');
  return { type: 'resolved', checked: { at: options.at ?? [], given: String(given), ...first.place } };
}

function resolveText(text: string): PlaceResolution {
  const seen = look(text);
  if (seen.type === 'failed') return refuseCode(seen.code);
  if (seen.value === undefined) return resolveMissing(text);
  const existing = nameExisting(text, seen.value);
  if (existing.type === 'refused') return existing;
  const folder = posix.dirname(existing.path);
  const ancestor = probe(() => lstatSync(folder, { bigint: true }));
  if (ancestor.type === 'failed') return refuseCode(ancestor.code);
  const { path, identity } = existing;
  return {
    type: 'placed',
    place: { path, identity, ancestor: { path: folder, identity: identityOf(ancestor.value) } },
  };
}

/**
 * Undefined where nothing stands: much cheaper than an error. Which errors Node takes for that is not relied upon,
 * `resolveMissing` looks again at the first missing name.
 */
function look(text: string): Probe<BigIntStats | undefined> {
  return probe(() => statSync(text, { bigint: true, throwIfNoEntry: false }));
}

/**
 * The one name, free of links, of something that exists. Links in /proc lead where their text does not say, and names
 * that are not UTF-8 change when read: what stands at the name must be what stands at the text.
 */
function nameExisting(text: string, seen: BigIntStats): Existing | PathRefusal {
  const real = probe(() => realpathSync.native(text));
  if (real.type === 'failed') return refuseCode(real.code);
  const named = probe(() => lstatSync(real.value, { bigint: true }));
  if (named.type === 'failed') return refuseCode(named.code);
  const identity = identityOf(seen);
  if (!isSameFile(identity, identityOf(named.value)))
    return refuse('leads through a link that does not name its target');
  return { type: 'exists', path: real.value, identity };
}

function resolveMissing(text: string): PlaceResolution {
  const names = text.split('/');
  const found = findExisting(names);
  if (found.type === 'refused') return found;
  const { ancestor, missing } = found;
  // Newer versions of Node take a file in the middle of a path for nothing at all.
  const folder = probe(() => lstatSync(ancestor.path));
  if (folder.type === 'found' && !folder.value.isDirectory()) return refuseCode('ENOTDIR');
  if (missing.includes('..')) return refuse('goes up (..) from a folder that does not exist');
  const rest = missing.filter((name) => name !== '' && name !== '.');
  const path = posix.join(ancestor.path, ...rest);
  const next = probe(() => lstatSync(posix.join(ancestor.path, rest[0] ?? ''), { bigint: true }));
  if (next.type === 'found') return refuse('is or goes through a dangling symbolic link');
  if (next.code !== 'ENOENT') return refuseCode(next.code);
  const { identity } = ancestor;
  return (
    refuseLength(path) ?? {
      type: 'placed',
      place: { path, identity: undefined, ancestor: { path: ancestor.path, identity } },
    }
  );
}

interface Found {
  readonly type: 'found';
  readonly ancestor: Existing;
  readonly missing: readonly string[];
}

/** The longest leading part that exists. Halving keeps a path of thousands of missing names cheap. */
function findExisting(names: readonly string[]): Found | PathRefusal {
  let low = 1;
  let high = names.length;
  let stats = look('/');
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    const seen = look(names.slice(0, middle).join('/'));
    if (seen.type === 'failed') return refuseCode(seen.code);
    if (seen.value === undefined) {
      high = middle;
    } else {
      low = middle;
      stats = seen;
    }
  }
  if (stats.type === 'failed' || stats.value === undefined)
    return refuse('cannot be resolved: there is no root folder');
  const ancestor = nameExisting(names.slice(0, low).join('/') || '/', stats.value);
  return ancestor.type === 'refused' ? ancestor : { type: 'found', ancestor, missing: names.slice(low) };
}
