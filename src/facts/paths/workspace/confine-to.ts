/** Confines paths to folders; used by `workspaceOnly`, by walking folders and by the file tools. */

import { existsSync } from 'node:fs';
import { posix } from 'node:path';
import type { CheckedPath } from '../../../kernel/call.ts';
import { BridleError } from '../../../kernel/errors.ts';
import { quote } from '../resolve/path-refusal.ts';
import { resolvePath } from '../resolve/resolve-path.ts';
import { isInside } from '../resolve/is-inside.ts';

export interface ConfinementOptions {
  /**
   * The folder that relative paths and folders start from; by default the current folder of the process at this point.
   */
  readonly cwd?: string | undefined;
  /** The folder that `~` means; the user's home folder by default. */
  readonly home?: string | undefined;
}

export interface PathCheckOptions {
  readonly at?: CheckedPath['at'] | undefined;
  /** The folder this path starts from, if not the shared one. */
  readonly cwd?: string | undefined;
}

/** `reason` continues a sentence that starts with the argument, and names the path. */
export type PathCheck =
  | { readonly type: 'inside'; readonly checked: CheckedPath }
  | { readonly type: 'outside'; readonly checked: CheckedPath; readonly reason: string }
  | { readonly type: 'refused'; readonly checked?: undefined; readonly reason: string };

export interface Confinement {
  /** Resolves a path and checks whether it is in one of the folders. */
  readonly check: (given: unknown, options?: PathCheckOptions) => PathCheck;
  /** Everything that the results depend on, apart from the file system. */
  readonly fingerprint: string;
  /** The folders that contain nothing, and why. */
  readonly problems: () => readonly string[];
}

interface WorkspaceRoot {
  readonly given: string;
  /** Undefined if the folder could not be resolved: nothing is inside it. */
  readonly path: string | undefined;
  readonly problem?: string | undefined;
}

/**
 * Confines paths to folders. The folders are resolved once, here, so that replacing one with a symbolic link later does
 * not change what is allowed. A missing folder may be created later at the same path.
 */
export function confineTo(dirs: readonly string[], options: ConfinementOptions = {}): Confinement {
  const start = { cwd: checkFolder('cwd', options.cwd) ?? process.cwd(), home: checkFolder('home', options.home) };
  const roots = checkDirs(dirs).map((dir) => resolveRoot(dir, start));
  return {
    check: (given, path = {}) => {
      const resolution = resolvePath(given, { cwd: path.cwd ?? start.cwd, home: start.home, at: path.at });
      const name = typeof given === 'string' ? `${quote(given)} ` : '';
      if (resolution.type === 'refused') return { type: 'refused', reason: name + resolution.reason };
      const { checked } = resolution;
      if (roots.some((root) => root.path !== undefined && isInside(root.path, checked)))
        return { type: 'inside', checked };
      return { type: 'outside', checked, reason: `${name}resolves to ${quote(checked.path)}, ${describe(roots)}` };
    },
    fingerprint: JSON.stringify([roots.map(({ given, path }) => path ?? [given]), start.cwd, start.home]),
    problems: () => roots.map(problemOf).filter((problem) => problem !== undefined),
  };
}

function resolveRoot(given: string, start: ConfinementOptions): WorkspaceRoot {
  const resolution = resolvePath(given, start);
  if (resolution.type === 'refused') return { given, path: undefined, problem: resolution.reason };
  return { given, path: resolution.checked.path };
}

function problemOf(root: WorkspaceRoot): string | undefined {
  if (root.path === undefined) return `${quote(root.given)} ${root.problem ?? 'cannot be resolved'}`;
  return existsSync(root.path) ? undefined : `${quote(root.path)} does not exist`;
}

function describe(roots: readonly WorkspaceRoot[]): string {
  if (roots.length === 0) return 'but no workspace is allowed';
  const names = roots.map((root) => problemOf(root) ?? quote(root.path ?? root.given));
  return `outside the ${roots.length === 1 ? 'workspace' : 'workspaces'} ${names.join(', ')}`;
}

function checkDirs(dirs: unknown): readonly string[] {
  if (!Array.isArray(dirs)) throw new BridleError('OPTION_INVALID', 'The workspaces are not a list of folders.');
  return dirs.map((dir: unknown, index) => {
    if (typeof dir === 'string' && dir !== '' && !dir.includes('\0') && dir.isWellFormed()) return dir;
    const shown = typeof dir === 'string' ? quote(dir) : `a ${dir === null ? 'null' : typeof dir}`;
    throw new BridleError('OPTION_INVALID', `Workspace ${index} is not a folder name: ${shown}.`);
  });
}

function checkFolder(name: string, folder: unknown): string | undefined {
  if (folder === undefined) return undefined;
  if (typeof folder === 'string' && posix.isAbsolute(folder) && !folder.includes('\0')) return folder;
  throw new BridleError('OPTION_INVALID', `Option "${name}" is not an absolute path.`);
}
