/** Paths that name something else in each process: what Bridle finds there is not what a command would. */

import { lstatSync, readlinkSync } from 'node:fs';
import { posix } from 'node:path';
import { probe } from './refusal.ts';

export function isOfProcess(path: string): boolean {
  return /^\/(?:proc(?:\/|$)|dev\/(?:fd|std))/.test(path);
}

/** More links than any kernel follows. */
const mostLinks = 64;

/** Whether the kernel comes through such a path on its way, by links, too. `real` is where the text leads. */
export function leadsThroughProcess(text: string, real: string): boolean {
  if (isOfProcess(real)) return true;
  // Nothing was followed on the way.
  if (text === real) return false;
  const names = text.split('/').toReversed();
  let here = '/';
  let links = 0;
  for (let name = names.pop(); name !== undefined; name = names.pop()) {
    if (name === '' || name === '.') continue;
    const next = posix.join(here, name);
    if (isOfProcess(next)) return true;
    const target = name === '..' ? undefined : linkTarget(next);
    if (target === undefined) here = next;
    else {
      links += 1;
      if (links > mostLinks) return true;
      if (target.startsWith('/')) here = '/';
      names.push(...target.split('/').toReversed());
    }
  }
  return false;
}

function linkTarget(path: string): string | undefined {
  const stats = probe(() => lstatSync(path, { throwIfNoEntry: false }));
  if (stats.type !== 'found' || stats.value?.isSymbolicLink() !== true) return undefined;
  const target = probe(() => readlinkSync(path));
  return target.type === 'found' ? target.value : undefined;
}
