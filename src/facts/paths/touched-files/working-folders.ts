/** The folders that a command line works in, looked up once for all files of the line (X08). */

import { posix } from 'node:path';
import { homeFolder } from '../../../files/home-folder.ts';
import { getOrCreate, lazy } from '../../../kernel/lazy.ts';
import { resolveParent, type PathLocation } from '../resolve/path-location.ts';
import type { NamePattern } from '../globs/name-pattern.ts';
import { traversedPaths } from '../resolve/process-paths.ts';
import { quote, probe } from '../resolve/path-refusal.ts';
import { DiskCache } from '../disk/disk-cache.ts';

/** A folder that paths may start from, or why it is unknown. */
export interface WorkingFolder {
  readonly path: string | undefined;
  readonly why: string;
}

/** An entry that the line may create, replace, move or delete. */
export interface FolderChange {
  readonly location: PathLocation;
  /**
   * `itself`: only that entry; `inside`: any entry in it, or those matching the pattern; `tree`: it and everything
   * below.
   */
  readonly reach: 'itself' | 'tree' | 'inside';
  readonly pattern?: NamePattern | undefined;
  /** The number of the command; -1 if the order does not matter. */
  readonly order: number;
}

/** What a line does that may replace a folder. */
export interface FolderChanges {
  readonly known: readonly FolderChange[];
  /** The number of the first command that may change something the line does not name. */
  readonly firstUnnamed: number;
  /** The number of the first command that may write something, itself or through what it runs. */
  readonly first: number;
}

export const noChanges: FolderChanges = { known: [], firstUnnamed: Infinity, first: Infinity };

export class WorkingFolders {
  private readonly known = new Map<string, readonly WorkingFolder[]>();
  private readonly changes: () => FolderChanges;

  constructor(
    /** The folder the line starts in; undefined if unknown. */
    readonly start: string | undefined,
    changes: () => FolderChanges,
    /** The disk as the decision sees it. */
    readonly disk = new DiskCache(),
  ) {
    this.changes = lazy(changes);
  }

  /** Returns every possible folder once. `enteredBy`: see {@link FileAccess}. */
  find(folders: readonly string[], enteredBy = Infinity): readonly WorkingFolder[] {
    const found = folders.flatMap((folder) => this.look(folder, enteredBy));
    if (found.length === 1) return found;
    return [...new Map(found.map((each) => [each.path ?? `? ${each.why}`, each])).values()];
  }

  private look(folder: string, enteredBy: number): readonly WorkingFolder[] {
    return getOrCreate(this.known, `${enteredBy} ${folder}`, () =>
      possibleParents(folder, this.start).map((text) => this.check(text, enteredBy)),
    );
  }

  private check(text: string, enteredBy: number): WorkingFolder {
    const location = this.disk.locate(text, this.start);
    const { checked, why, kind } = location;
    if (checked === undefined) return { path: undefined, why };
    // The line stays in its start folder, even if it changes the name of that folder.
    const { known, firstUnnamed, first } = text === '' ? noChanges : this.changes();
    const changes = known.filter(({ order }) => order < enteredBy);
    // A folder that does not exist yet may be created in any way by what the line does.
    const isChanged =
      firstUnnamed < enteredBy || (kind === undefined && first < enteredBy) || mayBeReplaced(location, changes);
    if (!isChanged) return { path: checked.path, why: '' };
    return { path: undefined, why: `the line itself may create or replace the folder ${quote(text)}` };
  }
}

/**
 * The shell resolves `..` by the name it used to enter a folder, which may contain a link: both parents are possible.
 */
function possibleParents(folder: string, start: string | undefined): readonly string[] {
  const [, home, up = '', rest = ''] = /^(~\/)?((?:\.\.(?:\/|$))+)(.*)$/s.exec(folder) ?? [];
  if (up === '') return [folder];
  const found = home === undefined ? undefined : probe(() => homeFolder());
  const spelled = found === undefined ? start : found.type === 'found' ? found.value : undefined;
  return spelled === undefined ? [folder] : [folder, `${posix.join(spelled, up)}/${rest}`];
}

/** True if an entry on the path to the folder may be replaced. */
function mayBeReplaced({ text, checked }: PathLocation, changes: readonly FolderChange[]): boolean {
  if (changes.length === 0) return false;
  const traversed = traversedPaths(text);
  if (traversed === undefined || checked === undefined) return true;
  const entries = new Set([...traversed, checked.path]);
  return changes.some((change) => {
    if (change.location.checked === undefined) return true;
    const names = new Set([change.location.checked.path, resolveParent(change.location.text)]);
    if (change.reach === 'itself') return names.has(checked.path) || names.has(resolveParent(text));
    return [...names].some((name) =>
      change.reach === 'tree' ? entries.has(name) : passesEntryOf(name, change, entries),
    );
  });
}

/** True if the path leads through an entry of the folder. */
function passesEntryOf(folder: string, { pattern }: FolderChange, entries: ReadonlySet<string>): boolean {
  const prefix = folder === '/' ? '/' : `${folder}/`;
  return [...entries].some((entry) => {
    if (!entry.startsWith(prefix)) return false;
    const [name = ''] = entry.slice(prefix.length).split('/');
    return pattern === undefined || pattern.matches(name, true);
  });
}
