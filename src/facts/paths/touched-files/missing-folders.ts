import { posix } from 'node:path';
import { locatePath, type PathLocation } from '../resolve/path-location.ts';

/** A folder that is created, with its missing parents: `mkdir -p a/b/c`. */
export function withMissingFolders(location: PathLocation): readonly PathLocation[] {
  const { checked } = location;
  if (checked === undefined || checked.identity !== undefined) return [location];
  const { path: start } = checked.ancestor;
  const missing = checked.path
    .slice(start === '/' ? 1 : start.length + 1)
    .split('/')
    .slice(0, -1);
  const parents = missing.map((_, index) => locatePath(posix.join(start, ...missing.slice(0, index + 1)), '/', true));
  return [...parents, location];
}
