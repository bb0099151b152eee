/** What one decision sees of places and folders: everything is looked at once, whatever is looked for. */

import { readdirSync } from 'node:fs';
import { posix } from 'node:path';
import type { CheckedPath } from '../call.ts';
import { getOrMake, lazy } from '../lazy.ts';
import { IgnoreRules } from './ignore-files.ts';
import { listedFile } from './listed-file.ts';
import { costs, LookBudget, tooMuch } from './look-budget.ts';
import { fold } from './name-pattern.ts';
import { ignoresCase, namedPath, type NamedPath } from './named-path.ts';
import { isOfProcess } from './process-paths.ts';
import { probe } from './refusal.ts';
import { isFolder, touchedPlace, untold, type TouchedPlace } from './touched-place.ts';

/** More entries of one tree are not looked at: then something may be there. */
export const mostEntries = 20_000;

interface SeenName {
  readonly name: string;
  /** As it is compared loosely. */
  readonly folded: () => string;
  readonly isFolder: boolean;
  /** True of a regular file. */
  readonly isPlain: boolean;
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
  /** True: it holds a name that is not UTF-8. */
  readonly isOdd: boolean;
}

/** Lives no longer than the decision: the next one looks anew. */
export class SeenPlaces {
  private readonly named = new Map<TouchedPlace, NamedPath>();
  private readonly folders = new Map<string, SeenFolder | 'untold'>();
  private readonly places = new Map<string, TouchedPlace>();
  private readonly files = new Map<string, string>();
  /** By folder. */
  readonly ignored = new Map<string, IgnoreRules>();

  constructor(private readonly budget = new LookBudget()) {}

  /** False: no more may be looked up. */
  spend(cost: number): boolean {
    return this.budget.spend(cost);
  }

  /** Where a word leads from a folder. */
  place(path: string, cwd: string | undefined): TouchedPlace {
    // Even to find it again takes time: a line may name a thousand files, each to be compared with the others.
    if (!this.spend(costs.known)) return untold(path, tooMuch);
    return getOrMake(this.places, `${cwd}\0${path}`, () => {
      const file = this.files.get(`${cwd}\0${path}`);
      if (file !== undefined) return listedFile(path.startsWith('/') ? path : `${cwd}/${path}`, file);
      const names = path.split('/').length + (cwd?.split('/').length ?? 0);
      return this.spend(names * costs.name) ? touchedPlace(path, cwd, true) : untold(path, tooMuch);
    });
  }

  /**
   * A regular file that was seen in a folder without links, under the path by which it is named from `cwd`: it need not
   * be looked up again. False if it is better looked up.
   */
  keepFile(path: string, cwd: string, real: string): boolean {
    const isPlain = plainPath.test(path) && real.length < mostLetters && !isOfProcess(real);
    if (!isPlain) return false;
    this.files.set(`${cwd}\0${path}`, real);
    if (!path.startsWith('/')) this.files.set(`/\0${cwd}/${path}`, real);
    return true;
  }

  ignoreRules(path: string): IgnoreRules {
    return IgnoreRules.at(path, this.ignored);
  }

  /** `checked` is where the place leads. */
  name(place: TouchedPlace, checked: CheckedPath): NamedPath {
    const isSame = lazy(() => ignoresCase(checked));
    return getOrMake(this.named, place, () => namedPath(checked.path, place.text, isSame));
  }

  /** `untold` where a folder cannot be read, or holds more than is looked through. */
  folder(path: string): SeenFolder | 'untold' {
    return getOrMake(this.folders, path, () => this.look(path));
  }

  private look(path: string): SeenFolder | 'untold' {
    if (!this.spend(costs.folder)) return 'untold';
    const listed = probe(() => readdirSync(path, { withFileTypes: true }));
    if (listed.type === 'failed' || listed.value.length > mostEntries) return 'untold';
    const names: SeenName[] = [];
    const links: SeenLink[] = [];
    for (const entry of listed.value) {
      if (entry.isSymbolicLink()) links.push(new Link(posix.join(path, entry.name)));
      else names.push(new Seen(entry.name, entry.isDirectory(), entry.isFile()));
    }
    const ofLinks = links.length * costs.name * path.split('/').length;
    const isPaid = this.spend(listed.value.length * costs.entry + ofLinks);
    const isOdd = listed.value.some(({ name }) => name.includes('\uFFFD'));
    return isPaid ? { size: listed.value.length, names, links, isOdd } : 'untold';
  }
}

/** Nothing that has a meaning of its own at the start of a path, or that is not the same everywhere. */
const plainPath = /^(?!~|file:)[ -~]+$/i;
/** Well below PATH_MAX. */
const mostLetters = 2048;

/** Followed when it is asked for. */
class Link implements SeenLink {
  private readonly led: () => TouchedPlace;

  constructor(readonly text: string) {
    this.led = lazy(() => touchedPlace(text, '/'));
  }

  get path(): string {
    return this.led().checked?.path ?? this.text;
  }

  get isFolder(): boolean {
    return isFolder(this.led());
  }
}

class Seen implements SeenName {
  private made: string | undefined;

  constructor(
    readonly name: string,
    readonly isFolder: boolean,
    readonly isPlain: boolean,
  ) {}

  folded(): string {
    return (this.made ??= fold(this.name));
  }
}
