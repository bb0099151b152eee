/** Path arguments of tools: resolved with their file identity, so that the checked file is the one that is opened (W06). */

import { lstatSync } from 'node:fs';
import { posix } from 'node:path';
import type { CheckedPath } from '../../kernel/call.ts';
import { BridleError } from '../../kernel/errors.ts';
import { probe } from '../../facts/paths/resolve/path-refusal.ts';
import { resolvePath } from '../../facts/paths/resolve/resolve-path.ts';
import { openFolder, pathError } from '../../facts/paths/workspace/checked-folder.ts';
import { confineTo } from '../../facts/paths/workspace/confine-to.ts';
import type { ToolContext } from '../definition/runnable-tool.ts';

/** The path the guard checked. If no rule uses paths, it is resolved now in the same way. */
export function checkedArgument(name: string, given: string, context: ToolContext): CheckedPath {
  const checked = context.paths.find(({ at }) => at.length === 1 && at[0] === name);
  if (checked !== undefined) return checked;
  const resolution = resolvePath(given, { cwd: context.cwd, at: [name] });
  if (resolution.type === 'resolved') return resolution.checked;
  throw new BridleError('PATH_REFUSED', `${name} ${JSON.stringify(given)} ${resolution.reason}.`);
}

/** {@link checkedArgument} for an argument that must be a folder. */
export function checkedFolder(name: string, given: string, context: ToolContext): CheckedPath {
  const checked = checkedArgument(name, given, context);
  const stats = probe(() => lstatSync(checked.path));
  if (checked.identity === undefined || stats.type === 'failed')
    throw new BridleError('TOOL_FAILED', `The folder ${JSON.stringify(checked.path)} does not exist.`);
  // Anything else was put there after the check; opening it will fail.
  if (stats.value.isFile())
    throw new BridleError('TOOL_FAILED', `${JSON.stringify(checked.path)} is a file, not a folder.`);
  return checked;
}

/** {@link checkedArgument} for a file that must exist. */
export function checkedFile(name: string, given: string, context: ToolContext): CheckedPath {
  const checked = checkedArgument(name, given, context);
  const stats = probe(() => lstatSync(checked.path));
  if (checked.identity === undefined || (stats.type === 'failed' && stats.code === 'ENOENT'))
    throw new BridleError('TOOL_FAILED', `The file ${JSON.stringify(checked.path)} does not exist.`);
  if (stats.type === 'found' && stats.value.isDirectory())
    throw new BridleError('TOOL_FAILED', `${JSON.stringify(checked.path)} is a folder; use list_directory.`);
  return checked;
}

/** Keeps a checked folder open while a process runs in it, so that it runs in the folder that was checked. */
export async function runInFolder<T>(checked: CheckedPath, work: (cwd: string) => Promise<T>): Promise<T> {
  const folder = await openFolder(checked).catch((error: unknown) => {
    throw pathError(error, checked.path);
  });
  try {
    return await work(folder.pathTo('.'));
  } finally {
    await folder.close();
  }
}

/**
 * Tests whether a name found below a folder still resolves to itself inside that folder. Hides entries that were
 * replaced while another program walked the folder (W08).
 */
export function staysInFolder(folder: CheckedPath): (name: string) => boolean {
  const confinement = confineTo([folder.path]);
  return (name) => {
    const path = posix.join(folder.path, name);
    const check = confinement.check(path);
    return check.type === 'inside' && check.checked.path === path;
  };
}
