import { posix } from 'node:path';
import type { CheckedPath } from '../../kernel/call.ts';
import { confineTo } from '../../facts/paths/workspace/confine-to.ts';

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
