/** Finds ripgrep: in the package that users can install, or on PATH. */

import { realpathSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { probe } from '../../facts/paths/resolve/path-refusal.ts';
import { findPackage } from '../../files/own-packages.ts';
import { lazy } from '../../kernel/lazy.ts';

/** Undefined if it is not installed. The answer is kept: an agent may change folders of PATH while it runs. */
export const findRipgrep = lazy(() => packagedRipgrep() ?? findSystemProgram('rg', process.env['PATH'] ?? ''));

/** The program is in a package of its own, one per platform. */
function packagedRipgrep(root = join(import.meta.dirname, '../../..')): string | undefined {
  const found = findPackage('@vscode/ripgrep', root);
  if (found === undefined) return undefined;
  const platform = `@vscode/ripgrep-${process.platform}-${process.arch}`;
  const folder = findPackage(platform, realpathSync(found)) ?? findPackage(platform, root);
  const program = folder && join(folder, 'bin/rg');
  return program !== undefined && isFile(program) ? program : undefined;
}

/** Links from another folder, or to one, do not count: an agent may have made them, to choose what runs. */
const systemFolders = ['/usr/local/bin', '/usr/bin', '/bin'];

/**
 * The first program of this name on PATH that only the administrator can replace. It is in one of the system's folders,
 * under its own name, links resolved; it and all folders above it belong to root, and others cannot write to them.
 */
export function findSystemProgram(name: string, path: string): string | undefined {
  for (const folder of path.split(':').filter((each) => systemFolders.includes(each))) {
    const real = probe(() => realpathSync(join(folder, name)));
    if (real.type === 'failed' || basename(real.value) !== name || !systemFolders.includes(dirname(real.value)))
      continue;
    if (isFile(real.value) && isOfSystem(real.value) && isOfSystem(realpathSync(folder))) return real.value;
  }
  return undefined;
}

function isOfSystem(path: string): boolean {
  const stats = probe(() => statSync(path));
  if (stats.type === 'failed' || stats.value.uid !== 0 || (stats.value.mode & 0o022) !== 0) return false;
  return dirname(path) === path || isOfSystem(dirname(path));
}

function isFile(path: string): boolean {
  const stats = probe(() => statSync(path));
  return stats.type === 'found' && stats.value.isFile() && (stats.value.mode & 0o111) !== 0;
}
