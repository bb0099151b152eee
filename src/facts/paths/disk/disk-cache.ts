/** What one decision reads from the disk. Every path and folder is read once. */

import { lstatSync, readdirSync } from 'node:fs';
import { posix } from 'node:path';
import { DiskBudget, diskCosts, overBudgetReason } from './disk-budget.ts';
import { IgnoreRules } from './ignore-rules.ts';
import { foldCase } from '../globs/name-pattern.ts';
import { type SplitPath, isCaseInsensitive, splitPath } from '../globs/split-path.ts';
import { identityOf } from '../resolve/is-inside.ts';
import { type PathLocation, isFolder, locatePath, unknownLocation } from '../resolve/path-location.ts';
import { probe } from '../resolve/path-refusal.ts';
import { isProcessPath } from '../resolve/process-paths.ts';
import type { CheckedPath, FileIdentity } from '../../../kernel/call.ts';
import { getOrCreate, lazy } from '../../../kernel/lazy.ts';

/** Larger folders and trees are not searched; they may contain anything. */
export const maxEntries = 20_000;

interface FolderEntry {
  readonly name: string;
  /** The case-folded name. */
  readonly folded: () => string;
  readonly isFolder: boolean;
  /** True for a regular file. */
  readonly isPlain: boolean;
}

/** A symbolic link. `path` is its target, or its own path if the target is unknown. */
interface LinkEntry {
  readonly path: string;
  readonly text: string;
  readonly isFolder: boolean;
}

export interface FolderListing {
  /** The number of entries. */
  readonly size: number;
  readonly names: readonly FolderEntry[];
  readonly links: readonly LinkEntry[];
  /** True if a name is not valid UTF-8. */
  readonly hasInvalidName: boolean;
}

/** Lives as long as one decision; the next decision reads the disk again. */
export class DiskCache {
  private readonly named = new Map<PathLocation, SplitPath>();
  private readonly folders = new Map<string, FolderListing | 'unreadable'>();
  private readonly locations = new Map<string, PathLocation>();
  private readonly files = new Map<string, string>();
  /** By folder. */
  readonly ignored = new Map<string, IgnoreRules>();

  constructor(private readonly budget = new DiskBudget()) {}

  /** Returns false if the budget of the decision is spent. */
  spend(cost: number): boolean {
    return this.budget.spend(cost);
  }

  /** Resolves a word of a command line, seen from a folder. */
  locate(path: string, cwd: string | undefined): PathLocation {
    // Cache hits cost time, too: a line may name a thousand files, each compared with all the others.
    if (!this.spend(diskCosts.known)) return unknownLocation(path, overBudgetReason);
    return getOrCreate(this.locations, `${cwd}\0${path}`, () => {
      const file = this.files.get(`${cwd}\0${path}`);
      if (file !== undefined) return listedFileLocation(path.startsWith('/') ? path : `${cwd}/${path}`, file);
      const names = path.split('/').length + (cwd?.split('/').length ?? 0);
      return this.spend(names * diskCosts.name) ? locatePath(path, cwd, true) : unknownLocation(path, overBudgetReason);
    });
  }

  /**
   * Remembers a regular file that was found in a folder without links, so that `locate` need not resolve it. Returns
   * false if it has to be resolved after all.
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

  /** `checked` is the target of the location. */
  split(location: PathLocation, checked: CheckedPath): SplitPath {
    const isSame = lazy(() => isCaseInsensitive(checked));
    return getOrCreate(this.named, location, () => splitPath(checked.path, location.text, isSame));
  }

  /** Lists a folder, or returns `unreadable` if it cannot be read or is too large. */
  listFolder(path: string): FolderListing | 'unreadable' {
    return getOrCreate(this.folders, path, () => this.readFolder(path));
  }

  private readFolder(path: string): FolderListing | 'unreadable' {
    if (!this.spend(diskCosts.folder)) return 'unreadable';
    const listed = probe(() => readdirSync(path, { withFileTypes: true }));
    if (listed.type === 'failed' || listed.value.length > maxEntries) return 'unreadable';
    const names: FolderEntry[] = [];
    const links: LinkEntry[] = [];
    for (const entry of listed.value) {
      if (entry.isSymbolicLink()) links.push(new ListedLink(posix.join(path, entry.name)));
      else names.push(new ListedEntry(entry.name, entry.isDirectory(), entry.isFile()));
    }
    const ofLinks = links.length * diskCosts.name * path.split('/').length;
    const isPaid = this.spend(listed.value.length * diskCosts.entry + ofLinks);
    const hasInvalidName = listed.value.some(({ name }) => name.includes('\uFFFD'));
    return isPaid ? { size: listed.value.length, names, links, hasInvalidName } : 'unreadable';
  }
}

/** A path without a special prefix and with ASCII characters only. */
const plainPath = /^(?!~|file:)[ -~]+$/i;
/** Well below PATH_MAX. */
const maxPathLength = 2048;

/** Resolves its target on first use. */
class ListedLink implements LinkEntry {
  private readonly target: () => PathLocation;

  constructor(readonly text: string) {
    this.target = lazy(() => locatePath(text, '/'));
  }

  get path(): string {
    return this.target().checked?.path ?? this.text;
  }

  get isFolder(): boolean {
    return isFolder(this.target());
  }
}

class ListedEntry implements FolderEntry {
  private foldedName: string | undefined;

  constructor(
    readonly name: string,
    readonly isFolder: boolean,
    readonly isPlain: boolean,
  ) {}

  folded(): string {
    return (this.foldedName ??= foldCase(this.name));
  }
}

/** `path` contains no links; `text` is the path as it would be opened. */
function listedFileLocation(text: string, path: string): PathLocation {
  return { text, checked: new ListedPath(text, path), kind: 'file', why: '', isListed: true };
}

/** Reads its identity on first use. */
class ListedPath implements CheckedPath {
  readonly at: CheckedPath['at'] = [];
  private readonly readIdentity: () => FileIdentity | undefined;

  constructor(
    readonly given: string,
    readonly path: string,
  ) {
    this.readIdentity = lazy(() => identityAt(path));
  }

  get identity(): FileIdentity | undefined {
    return this.readIdentity();
  }

  get ancestor(): CheckedPath['ancestor'] {
    const path = posix.dirname(this.path);
    return { path, identity: identityAt(path) ?? { device: '', inode: '' } };
  }
}

function identityAt(path: string): FileIdentity | undefined {
  const found = probe(() => lstatSync(path, { bigint: true }));
  return found.type === 'found' ? identityOf(found.value) : undefined;
}
