/** Paths that lead somewhere else in each process: Bridle and a command would see different files there. */

import { lstatSync, readlinkSync } from 'node:fs';
import { posix } from 'node:path';
import { probe } from './path-refusal.ts';

export function isProcessPath(path: string): boolean {
  return /^\/(?:proc(?:\/|$)|dev\/(?:fd|std))/.test(path);
}

/** More links than any kernel follows. */
const maxLinks = 64;

/** True if the kernel passes such a path while resolving the text, including by links. `real` is the resolved path. */
export function passesProcessPath(text: string, real: string): boolean {
  if (isProcessPath(real)) return true;
  // No link was followed.
  if (text === real) return false;
  const traversed = traversedPaths(text);
  return traversed === undefined || traversed.some(isProcessPath);
}

/**
 * Every entry, without links, that the kernel passes while resolving an absolute path; undefined if it leads nowhere.
 */
export function traversedPaths(text: string): readonly string[] | undefined {
  const names = text.split('/').toReversed();
  const traversed: string[] = [];
  let here = '/';
  let links = 0;
  for (let name = names.pop(); name !== undefined; name = names.pop()) {
    if (name === '' || name === '.') continue;
    const next = posix.join(here, name);
    traversed.push(next);
    // The target differs in each process.
    if (isProcessPath(next)) return traversed;
    const target = name === '..' ? undefined : linkTarget(next);
    if (target === undefined) here = next;
    else {
      links += 1;
      if (links > maxLinks) return undefined;
      if (target.startsWith('/')) here = '/';
      names.push(...target.split('/').toReversed());
    }
  }
  return traversed;
}

function linkTarget(path: string): string | undefined {
  const stats = probe(() => lstatSync(path, { throwIfNoEntry: false }));
  if (stats.type !== 'found' || stats.value?.isSymbolicLink() !== true) return undefined;
  const target = probe(() => readlinkSync(path));
  return target.type === 'found' ? target.value : undefined;
}
