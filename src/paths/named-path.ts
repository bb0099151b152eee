/** A path as patterns are matched against it. */

import { lstatSync } from 'node:fs';
import { posix } from 'node:path';
import type { CheckedPath } from '../call.ts';
import { lazy } from '../lazy.ts';
import { identityOf, isSameFile } from './file-identity.ts';
import { fold } from './name-pattern.ts';
import { probe } from './refusal.ts';

export interface NamedPath {
  readonly path: string;
  /** The names of the path with every link followed. */
  readonly names: readonly string[];
  readonly folded: () => readonly string[];
  /** Those of the path as it was before, where they are others. */
  readonly written: readonly string[] | undefined;
  /** True if the file system takes upper and lower case for the same there. */
  readonly ignoresCase: () => boolean;
}

/** `path` has every link followed; `text` is what it was before. */
export function namedPath(path: string, text: string, ignoresCase: () => boolean): NamedPath {
  const names = namesOf(path);
  const normal = posix.normalize(text);
  const written = normal === path ? undefined : namesOf(normal);
  return { path, names, folded: lazy(() => names.map(fold)), written, ignoresCase };
}

export function namesOf(path: string): readonly string[] {
  return path.split('/').filter((name) => name !== '');
}

/** Asks the file system: the nearest name that exists, in the other case. */
export function ignoresCase({ path, identity, ancestor }: CheckedPath): boolean {
  if (process.platform === 'darwin' || process.platform === 'win32') return true;
  const [there, known] = identity === undefined ? [ancestor.path, ancestor.identity] : [path, identity];
  const name = posix.basename(there);
  const other = name === name.toUpperCase() ? name.toLowerCase() : name.toUpperCase();
  if (other === name) return false;
  const found = probe(() => lstatSync(posix.join(posix.dirname(there), other), { bigint: true }));
  return found.type === 'found' && isSameFile(identityOf(found.value), known);
}
