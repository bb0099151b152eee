import { posix } from 'node:path';
import { resolvePath } from './resolve-path.ts';

/** Resolves all links in the parent folder and keeps the last name as it is. */
export function resolveParent(text: string): string {
  const path = text.replace(/(?<=.)\/+$/, '');
  const name = posix.basename(path);
  const folder = resolvePath(posix.dirname(path));
  return folder.type === 'resolved' && name !== '..' && name !== '.'
    ? posix.join(folder.checked.path, name)
    : posix.normalize(path);
}
