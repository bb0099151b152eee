import { posix } from 'node:path';
import type { CheckedPath } from '../../kernel/call.ts';
import { confineTo } from '../../facts/paths/workspace/confine-to.ts';

/**
 * Whether a name that was reached without following links still leads below the folder and to itself: what was put in
 * the place of a file or folder while another program walked there is not shown (W08).
 */
export function staysInFolder(folder: CheckedPath): (name: string) => boolean {
  const confinement = confineTo([folder.path]);
  return (name) => {
    const path = posix.join(folder.path, name);
    const check = confinement.check(path);
    return check.type === 'inside' && check.checked.path === path;
  };
}
