/** The folders that a command line works in, looked up once for all files of the line (X08). */

import { posix } from 'node:path';
import { homeFolder } from '../../../files/home-folder.ts';
import { getOrCreate, lazy } from '../../../kernel/lazy.ts';
import { resolveParent } from '../disk/protected-places.ts';
import type { NamePattern } from '../globs/name-pattern.ts';
import { traversedPaths } from '../resolve/process-paths.ts';
import { quote } from '../resolve/quote.ts';
import { probe } from '../resolve/path-refusal.ts';
import { DiskCache } from '../disk/disk-cache.ts';
import type { PathLocation } from '../resolve/path-location.ts';

/** A folder that paths may start from, or why it cannot be told. Where the line starts, as it is spelled. */
export interface WorkingFolder {
  readonly path: string | undefined;
  readonly why: string;
}

/** An entry that the line may make, replace, move or delete. */
export interface FolderChange {
  readonly place: PathLocation;
  /** `itself`: only that entry; `inside`: any entry in it, or those that the pattern fits; `tree`: it and all below. */
  readonly reach: 'itself' | 'tree' | 'inside';
  readonly pattern?: NamePattern | undefined;
  /** The number of the command; lower than any if it counts whenever it is done. */
  readonly order: number;
}

/** What a line does that may turn a folder into another one. */
export interface FolderChanges {
  readonly known: readonly FolderChange[];
  /** The number of the first command that may change something that the line does not name. */
  readonly open: number;
  /** The number of the first command that may write something, by itself or by what it runs. */
  readonly first: number;
}

export const noChanges: FolderChanges = { known: [], open: Infinity, first: Infinity };

export class WorkingFolders {
  private readonly known = new Map<string, readonly WorkingFolder[]>();
  private readonly changes: () => FolderChanges;

  constructor(
    /** Where the line starts; undefined where nobody knows. */
    readonly start: string | undefined,
    changes: () => FolderChanges,
    /** What the decision looks up. */
    readonly seen = new DiskCache(),
  ) {
    this.changes = lazy(changes);
  }

  /** Every folder that may be meant, each once. `entered`: see FileAccess. */
  find(folders: readonly string[], entered = Infinity): readonly WorkingFolder[] {
    const found = folders.flatMap((folder) => this.look(folder, entered));
    if (found.length === 1) return found;
    return [...new Map(found.map((each) => [each.path ?? `? ${each.why}`, each])).values()];
  }

  private look(folder: string, entered: number): readonly WorkingFolder[] {
    return getOrCreate(this.known, `${entered} ${folder}`, () =>
      possibleParents(folder, this.start).map((text) => this.check(text, entered)),
    );
  }

  private check(text: string, entered: number): WorkingFolder {
    const place = this.seen.locate(text, this.start);
    const { checked, why, kind } = place;
    if (checked === undefined) return { path: undefined, why };
    // The line starts in a folder, whatever it does to the name of it.
    const { known, open, first } = text === '' ? noChanges : this.changes();
    const changes = known.filter(({ order }) => order < entered);
    // What is not there yet comes from what the line does, in whatever way.
    const isChanged = open < entered || (kind === undefined && first < entered) || mayBeReplaced(place, changes);
    if (!isChanged) return { path: checked.path, why: '' };
    return { path: undefined, why: `the line itself may make or replace the folder ${quote(text)}` };
  }
}

/** The shell goes up by the name that it knows a folder by, which may lead through a link: both parents are possible. */
function possibleParents(folder: string, start: string | undefined): readonly string[] {
  const [, home, up = '', rest = ''] = /^(~\/)?((?:\.\.(?:\/|$))+)(.*)$/s.exec(folder) ?? [];
  if (up === '') return [folder];
  const found = home === undefined ? undefined : probe(() => homeFolder());
  const spelled = found === undefined ? start : found.type === 'found' ? found.value : undefined;
  return spelled === undefined ? [folder] : [folder, `${posix.join(spelled, up)}/${rest}`];
}

/** True: an entry on the way to the folder may be another one afterwards. */
function mayBeReplaced({ text, checked }: PathLocation, changes: readonly FolderChange[]): boolean {
  if (changes.length === 0) return false;
  const passed = traversedPaths(text);
  if (passed === undefined || checked === undefined) return true;
  const entries = new Set([...passed, checked.path]);
  return changes.some((change) => {
    if (change.place.checked === undefined) return true;
    const names = new Set([change.place.checked.path, resolveParent(change.place.text)]);
    if (change.reach === 'itself') return names.has(checked.path) || names.has(resolveParent(text));
    return [...names].some((name) =>
      change.reach === 'tree' ? entries.has(name) : passesEntryOf(name, change, entries),
    );
  });
}

/** True: the way leads through an entry of the folder. */
function passesEntryOf(folder: string, { pattern }: FolderChange, entries: ReadonlySet<string>): boolean {
  const prefix = folder === '/' ? '/' : `${folder}/`;
  return [...entries].some((entry) => {
    if (!entry.startsWith(prefix)) return false;
    const [name = ''] = entry.slice(prefix.length).split('/');
    return pattern === undefined || pattern.matches(name, true);
  });
}
