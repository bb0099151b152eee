/** A path split into names, for matching patterns. */

import { lstatSync } from 'node:fs';
import { posix } from 'node:path';
import type { CheckedPath } from '../../../kernel/call.ts';
import { lazy } from '../../../kernel/lazy.ts';
import { identityOf, isSameFile } from '../resolve/is-inside.ts';
import { foldCase } from './name-pattern.ts';
import { probe } from '../resolve/path-refusal.ts';

export interface SplitPath {
  readonly path: string;
  /** The names of the path with all links resolved. */
  readonly names: readonly string[];
  readonly folded: () => readonly string[];
  /** The names of the path as written, if they differ. */
  readonly written: readonly string[] | undefined;
  /** True if the file system ignores case there. */
  readonly ignoresCase: () => boolean;
}

/** `path` has all links resolved; `text` is the path as written. */
export function splitPath(path: string, text: string, ignoresCase: () => boolean): SplitPath {
  const names = namesInPath(path);
  const normal = posix.normalize(text);
  const written = normal === path ? undefined : namesInPath(normal);
  return { path, names, folded: lazy(() => names.map(foldCase)), written, ignoresCase };
}

export function namesInPath(path: string): readonly string[] {
  return path.split('/').filter((name) => name !== '');
}

/** Asks the file system: looks up the nearest existing name in the other case. */
export function isCaseInsensitive({ path, identity, ancestor }: CheckedPath): boolean {
  if (process.platform === 'darwin' || process.platform === 'win32') return true;
  const [existing, known] = identity === undefined ? [ancestor.path, ancestor.identity] : [path, identity];
  const name = posix.basename(existing);
  const otherCase = name === name.toUpperCase() ? name.toLowerCase() : name.toUpperCase();
  if (otherCase === name) return false;
  const found = probe(() => lstatSync(posix.join(posix.dirname(existing), otherCase), { bigint: true }));
  return found.type === 'found' && isSameFile(identityOf(found.value), known);
}
