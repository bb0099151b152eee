/** What one decision sees of places and folders: everything is looked at once, whatever is looked for. */

import { readdirSync } from 'node:fs';
import { posix } from 'node:path';
import type { CheckedPath } from '../call.ts';
import { getOrMake, lazy } from '../lazy.ts';
import { fold } from './name-pattern.ts';
import { ignoresCase, namedPath, type NamedPath } from './named-path.ts';
import { probe } from './refusal.ts';
import { isFolder, touchedPlace, type TouchedPlace } from './touched-place.ts';

/** Looking further takes too long for one decision: then something may be there. */
export const mostEntries = 5000;

interface SeenName {
  readonly name: string;
  /** As it is compared loosely. */
  readonly folded: () => string;
  readonly isFolder: boolean;
}

/** Where a link leads; its own path, if that cannot be told. */
interface SeenLink {
  readonly path: string;
  readonly text: string;
  readonly isFolder: boolean;
}

export interface SeenFolder {
  /** How many names stand in it. */
  readonly size: number;
  readonly names: readonly SeenName[];
  readonly links: readonly SeenLink[];
}

/** Lives no longer than the decision: the next one looks anew. */
export class SeenPlaces {
  private readonly named = new Map<TouchedPlace, NamedPath>();
  private readonly folders = new Map<string, SeenFolder | 'untold'>();

  /** `checked` is where the place leads. */
  name(place: TouchedPlace, checked: CheckedPath): NamedPath {
    const isSame = lazy(() => ignoresCase(checked));
    return getOrMake(this.named, place, () => namedPath(checked.path, place.text, isSame));
  }

  /** `untold` where a folder cannot be read, or holds more than is looked through. */
  folder(path: string): SeenFolder | 'untold' {
    return getOrMake(this.folders, path, () => look(path));
  }
}

function look(path: string): SeenFolder | 'untold' {
  const listed = probe(() => readdirSync(path, { withFileTypes: true }));
  if (listed.type === 'failed' || listed.value.length > mostEntries) return 'untold';
  const names: SeenName[] = [];
  const links: SeenLink[] = [];
  for (const entry of listed.value) {
    if (entry.isSymbolicLink()) links.push(follow(posix.join(path, entry.name)));
    else names.push(new Seen(entry.name, entry.isDirectory()));
  }
  return { size: listed.value.length, names, links };
}

function follow(text: string): SeenLink {
  const led = touchedPlace(text, '/');
  return { path: led.checked?.path ?? text, text, isFolder: isFolder(led) };
}

class Seen implements SeenName {
  private made: string | undefined;

  constructor(
    readonly name: string,
    readonly isFolder: boolean,
  ) {}

  folded(): string {
    return (this.made ??= fold(this.name));
  }
}
