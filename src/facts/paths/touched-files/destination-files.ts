/** The files that a copy creates at its destination: `cp -r src build` creates `build/src/a` for each `src/a`. */

import { posix } from 'node:path';
import type { FileAccess } from '../../shell/commands/command-analysis.ts';
import { locationsOf, type LineContext } from './file-of-access.ts';
import type { TouchedFile } from './touched-files.ts';
import { quote } from '../resolve/path-refusal.ts';
import { isFolder, isRegularFile, locatePath, unknownLocation, type PathLocation } from '../resolve/path-location.ts';

/** What is known about the line when a destination is looked up. */
export interface DestinationContext extends LineContext {
  /** The destination itself, with all its possible locations. */
  readonly base: TouchedFile;
  /** Finds the files of a source. */
  readonly look: (source: FileAccess) => readonly TouchedFile[];
}

interface CopySource {
  readonly name: string;
  readonly locations: readonly PathLocation[];
  readonly keepsLinks: boolean;
}

/** Returns one file per source. If the sources are unknown, anything may be created in the folder. */
export function destinationFiles(access: FileAccess, context: DestinationContext): readonly TouchedFile[] {
  const { base } = context;
  const isTree = access.reach === 'onto' || access.reach === 'sync';
  const written = otherWrites(access, context);
  const sources = sourcesOf(access, context);
  // A tree that is copied into itself may contain earlier copies.
  const insideDestination = base.locations.flatMap(({ checked }) =>
    checked === undefined ? [] : [`${checked.path}/.`],
  );
  if (sources === undefined || sources.length === 0) {
    const isPlain =
      !isTree && !base.locations.some((location) => isFolder(location) || isMadeByLine(location, written));
    return [isPlain ? base : { ...base, reach: undefined }];
  }
  return sources.map(({ name, locations, keepsLinks }) => ({
    ...base,
    keepsLinks,
    copies: isTree
      ? locations.map((location) => unknownIfWritten(location, [...written, ...insideDestination]))
      : undefined,
    locations: base.locations.flatMap((location) => {
      const inside = context.folders.disk.locate(`${location.text}/${name}`, context.folders.start);
      if (name === '.' || location.checked === undefined) return [location];
      if (isFolder(location) && access.reach !== 'sync') return [inside];
      return access.reach === 'sync' || isMadeByLine(location, written) ? [location, inside] : [location];
    }),
  }));
}

/** The names and locations of what is copied, moved or linked; undefined if some are unknown. */
function sourcesOf({ sources }: FileAccess, { look }: DestinationContext): readonly CopySource[] | undefined {
  const found: CopySource[] = [];
  for (const source of sources ?? []) {
    for (const { locations, sure, reach } of look(source)) {
      const [first] = locations;
      const name = first === undefined ? '..' : nameOf(first.text);
      const isKnown = sure && name !== '..' && locations.every(({ text }) => nameOf(text) === name);
      if (!isKnown) return undefined;
      found.push({ name, locations, keepsLinks: reach === 'walked' });
    }
  }
  return found;
}

/** The last name of a path, as written. */
function nameOf(text: string): string {
  return text.replace(/\/+$/u, '').split('/').at(-1) ?? '';
}

/** The paths of everything else that the line creates or changes. */
function otherWrites(access: FileAccess, { accesses, folders }: DestinationContext): readonly string[] {
  const others = accesses.filter(
    (other) => other !== access && access.sources?.includes(other) !== true && other.mode !== 'read',
  );
  return others.flatMap((other) => {
    if (other.implied === true || other.path === undefined) return [];
    const locations = locationsOf(other, other.path, folders);
    return typeof locations === 'string' ? [] : locations.flatMap(({ checked }) => checked?.path ?? []);
  });
}

/** True if it does not exist yet, but the line creates it or something below it: `mkdir out && cp a out`. */
function isMadeByLine({ checked }: PathLocation, written: readonly string[]): boolean {
  if (checked === undefined || checked.identity !== undefined) return false;
  return written.some((path) => path === checked.path || isBelow(path, checked.path));
}

/** A source that the line itself writes to contains more than the disk shows. */
function unknownIfWritten(location: PathLocation, written: readonly string[]): PathLocation {
  const { checked, text } = location;
  if (checked === undefined || !written.some((path) => isBelow(path, checked.path))) return location;
  return unknownLocation(text, `the same line writes to ${quote(text)}`);
}

function isBelow(path: string, folder: string): boolean {
  return path.startsWith(folder === '/' ? folder : `${folder}/`) && path !== folder;
}

/** True if a copy of it is a plain file or nothing: no folder and no link. */
export function isPlainCopy(location: PathLocation): boolean {
  const { checked } = location;
  if (checked === undefined || (checked.identity !== undefined && !isRegularFile(location))) return false;
  return !isLink(location);
}

/** True if its last name is, or may be, a link. */
export function isLink({ text, checked }: PathLocation): boolean {
  const written = posix.normalize(text).replace(/\/$/u, '');
  if (checked === undefined || checked.path === written) return checked === undefined;
  const parent = locatePath(posix.dirname(written), '/').checked?.path;
  return parent === undefined || posix.join(parent, posix.basename(written)) !== checked.path;
}
