/** Finds the program of a host and asks it for its version. */

import { execFileSync } from 'node:child_process';
import { accessSync, constants, realpathSync, statSync } from 'node:fs';
import { delimiter, dirname, isAbsolute, join } from 'node:path';
import type { HostEnv } from '../host.ts';

export interface HostProgram {
  readonly path: string;
  /** Undefined if the program did not say it. */
  readonly version: string | undefined;
}

const maxMs = 15_000;

export function findHostProgram(name: string, env: HostEnv): HostProgram | undefined {
  const path = findOnPath(name, env);
  return path === undefined ? undefined : { path, version: versionOf(path, env) };
}

/** Relative folders on PATH are ignored: they depend on the folder. */
export function findOnPath(name: string, env: HostEnv): string | undefined {
  const folders = (env['PATH'] ?? '').split(delimiter).filter((folder) => isAbsolute(folder));
  return folders.map((folder) => join(folder, name)).find(isProgram);
}

export function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

function versionOf(path: string, env: HostEnv): string | undefined {
  try {
    const output = execFileSync(path, ['--version'], {
      encoding: 'utf8',
      env: { ...env },
      timeout: maxMs,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return /\d+\.\d+\.\d+(?:[-+][\w.+-]*\w)?/.exec(output)?.[0];
  } catch {
    return undefined;
  }
}

/** True if the permissions of the file and of all folders above it let everybody run it. */
export function isForAllUsers(path: string): boolean {
  const real = realpathSync.native(path);
  for (let each = real; ; each = dirname(each)) {
    if ((statSync(each).mode & 0o001) === 0) return false;
    if (each === dirname(each)) return true;
  }
}
