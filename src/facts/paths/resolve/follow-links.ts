import { lstatSync, realpathSync } from 'node:fs';
import { probe } from './path-refusal.ts';

/** Cached until the current code finishes: many patterns start with the same folders. */
let realPaths = new Map<string, string | undefined>();

/** Resolves names below a resolved folder as far as they exist; returns undefined if that fails. */
export function followLinks(folder: readonly string[], names: readonly string[]): readonly string[] | undefined {
  let here = folder;
  for (const [index, name] of names.entries()) {
    const path = `/${[...here, name].join('/')}`;
    if (!realPaths.has(path)) remember(path, findRealPath(path));
    const real = realPaths.get(path);
    if (real === undefined) return undefined;
    if (real === '') return [...here, ...names.slice(index)];
    here = real.split('/').filter((each) => each !== '');
  }
  return here;
}

/** Returns the real path; empty if nothing exists there. */
function findRealPath(path: string): string | undefined {
  const stats = probe(() => lstatSync(path, { throwIfNoEntry: false }));
  if (stats.type === 'failed') return stats.code === 'ENOTDIR' ? '' : undefined;
  if (stats.value === undefined) return '';
  if (!stats.value.isSymbolicLink()) return path;
  const real = probe(() => realpathSync.native(path));
  return real.type === 'found' ? real.value : undefined;
}

function remember(path: string, real: string | undefined): void {
  if (realPaths.size === 0) void Promise.resolve().then(() => (realPaths = new Map()));
  realPaths.set(path, real);
}
