/** What one decision sees of places and folders: everything is looked at once, whatever is looked for. */

import { readdirSync } from 'node:fs';
import { posix } from 'node:path';
import type { CheckedPath } from '../../../kernel/call.ts';
import { getOrCreate, lazy } from '../../../kernel/lazy.ts';
import { IgnoreRules } from './ignore-rules.ts';
import { listedFileLocation } from './listed-file.ts';
import { diskCosts, DiskBudget, overBudgetReason } from './disk-budget.ts';
import { foldCase } from '../globs/name-pattern.ts';
import { isCaseInsensitive, splitPath, type SplitPath } from '../globs/split-path.ts';
import { isProcessPath } from '../resolve/process-paths.ts';
import { probe } from '../resolve/path-refusal.ts';
import { isFolder, locatePath, unknownLocation, type PathLocation } from '../resolve/path-location.ts';

/** More entries of one tree are not looked at: then something may be there. */
export const maxEntries = 20_000;

interface FolderEntry {
  readonly name: string;
  /** As it is compared loosely. */
  readonly folded: () => string;
  readonly isFolder: boolean;
  /** True of a regular file. */
  readonly isPlain: boolean;
}

/** Where a link leads; its own path, if that cannot be told. */
interface LinkEntry {
  readonly path: string;
  readonly text: string;
  readonly isFolder: boolean;
}

export interface FolderListing {
  /** How many names stand in it. */
  readonly size: number;
  readonly names: readonly FolderEntry[];
  readonly links: readonly LinkEntry[];
  /** True: it holds a name that is not UTF-8. */
  readonly isOdd: boolean;
}

/** Lives no longer than the decision: the next one looks anew. */
export class DiskCache {
  private readonly named = new Map<PathLocation, SplitPath>();
  private readonly folders = new Map<string, FolderListing | 'untold'>();
  private readonly places = new Map<string, PathLocation>();
  private readonly files = new Map<string, string>();
  /** By folder. */
  readonly ignored = new Map<string, IgnoreRules>();

  constructor(private readonly budget = new DiskBudget()) {}

  /** False: no more may be looked up. */
  spend(cost: number): boolean {
    return this.budget.spend(cost);
  }

  /** Where a word leads from a folder. */
  locate(path: string, cwd: string | undefined): PathLocation {
    // Even to find it again takes time: a line may name a thousand files, each to be compared with the others.
    if (!this.spend(diskCosts.known)) return unknownLocation(path, overBudgetReason);
    return getOrCreate(this.places, `${cwd}\0${path}`, () => {
      const file = this.files.get(`${cwd}\0${path}`);
      if (file !== undefined) return listedFileLocation(path.startsWith('/') ? path : `${cwd}/${path}`, file);
      const names = path.split('/').length + (cwd?.split('/').length ?? 0);
      return this.spend(names * diskCosts.name) ? locatePath(path, cwd, true) : unknownLocation(path, overBudgetReason);
    });
  }

  /**
   * A regular file that was seen in a folder without links, under the path by which it is named from `cwd`: it need not
   * be looked up again. False if it is better looked up.
   */
  rememberFile(path: string, cwd: string, real: string): boolean {
    const isPlain = plainPath.test(path) && real.length < maxPathLength && !isProcessPath(real);
    if (!isPlain) return false;
    this.files.set(`${cwd}\0${path}`, real);
    if (!path.startsWith('/')) this.files.set(`/\0${cwd}/${path}`, real);
    return true;
  }

  ignoreRules(path: string): IgnoreRules {
    return IgnoreRules.at(path, this.ignored);
  }

  /** `checked` is where the place leads. */
  split(place: PathLocation, checked: CheckedPath): SplitPath {
    const isSame = lazy(() => isCaseInsensitive(checked));
    return getOrCreate(this.named, place, () => splitPath(checked.path, place.text, isSame));
  }

  /** `untold` where a folder cannot be read, or holds more than is looked through. */
  listFolder(path: string): FolderListing | 'untold' {
    return getOrCreate(this.folders, path, () => this.readFolder(path));
  }

  private readFolder(path: string): FolderListing | 'untold' {
    if (!this.spend(diskCosts.folder)) return 'untold';
    const listed = probe(() => readdirSync(path, { withFileTypes: true }));
    if (listed.type === 'failed' || listed.value.length > maxEntries) return 'untold';
    const names: FolderEntry[] = [];
    const links: LinkEntry[] = [];
    for (const entry of listed.value) {
      if (entry.isSymbolicLink()) links.push(new ListedLink(posix.join(path, entry.name)));
      else names.push(new ListedEntry(entry.name, entry.isDirectory(), entry.isFile()));
    }
    const ofLinks = links.length * diskCosts.name * path.split('/').length;
    const isPaid = this.spend(listed.value.length * diskCosts.entry + ofLinks);
    const isOdd = listed.value.some(({ name }) => name.includes('\uFFFD'));
    return isPaid ? { size: listed.value.length, names, links, isOdd } : 'untold';
  }
}

/** Nothing that has a meaning of its own at the start of a path, or that is not the same everywhere. */
const plainPath = /^(?!~|file:)[ -~]+$/i;
/** Well below PATH_MAX. */
const maxPathLength = 2048;

/** Followed when it is asked for. */
class ListedLink implements LinkEntry {
  private readonly led: () => PathLocation;

  constructor(readonly text: string) {
    this.led = lazy(() => locatePath(text, '/'));
  }

  get path(): string {
    return this.led().checked?.path ?? this.text;
  }

  get isFolder(): boolean {
    return isFolder(this.led());
  }
}

class ListedEntry implements FolderEntry {
  private made: string | undefined;

  constructor(
    readonly name: string,
    readonly isFolder: boolean,
    readonly isPlain: boolean,
  ) {}

  folded(): string {
    return (this.made ??= foldCase(this.name));
  }
}
