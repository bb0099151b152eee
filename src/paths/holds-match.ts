import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { probe } from './refusal.ts';
import type { NamedPath, RootedGlob } from './rooted-glob.ts';
import { isFolder, touchedPlace } from './touched-place.ts';

/** Looking further takes too long for one decision: then something may be there. */
const mostEntries = 5000;

/** False if nothing that stands below a folder now can fit the pattern. Links are looked at, not followed. */
export function holdsMatch(folder: NamedPath, pattern: RootedGlob): boolean {
  const { ignoresCase } = folder;
  const waiting = [folder.path];
  let left = mostEntries;
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const here = next;
    const listed = probe(() => readdirSync(here, { withFileTypes: true }));
    if (listed.type === 'failed') return true;
    left -= listed.value.length;
    if (left < 0) return true;
    for (const entry of listed.value) {
      const text = join(here, entry.name);
      const led = entry.isSymbolicLink() ? touchedPlace(text, '/') : undefined;
      const { fits, below } = pattern.match({ path: led?.checked?.path ?? text, text, ignoresCase });
      if (fits !== false || (below && led !== undefined && isFolder(led))) return true;
      if (below && entry.isDirectory()) waiting.push(text);
    }
  }
  return false;
}
