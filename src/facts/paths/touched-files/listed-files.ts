/** The files behind a word that stands for names on the disk: a loop variable, or the output of `find` (X08). */

import { getOrCreate } from '../../../kernel/lazy.ts';
import type { FileAccess } from '../../shell/commands/command-analysis.ts';
import type { FileTest, NameChoice, NameList } from '../../shell/words/word-choices.ts';
import { expandGlob } from '../disk/expand-glob.ts';
import { isAtStart, type ListedNames, type LineContext, type NameFinder } from './file-of-access.ts';
import type { TouchedFile } from './touched-files.ts';
import type { WorkingFolders } from './working-folders.ts';
import { simulateFind, matchesFindPattern } from '../disk/simulate-find.ts';
import { diskCosts } from '../disk/disk-budget.ts';
import { readNamePattern } from '../globs/name-pattern.ts';
import { quote } from '../resolve/path-refusal.ts';
import type { DiskCache } from '../disk/disk-cache.ts';
import { isFolder, unknownLocation, type PathLocation } from '../resolve/path-location.ts';

/** The files of one access; for a list, with the folders that were searched for its names. */
export interface FilesOfAccess {
  readonly access: FileAccess;
  readonly files: readonly TouchedFile[];
  readonly searched?: ReadonlySet<string>;
}

type FindFiles = (access: FileAccess) => readonly TouchedFile[];

/** Looks each list up once, even if several words or equal lists need it. */
export class NameLookup implements NameFinder {
  private readonly known = new Map<NameList, ListedNames>();
  private readonly same = new Map<string, ListedNames>();

  constructor(private readonly line: Pick<LineContext, 'folders' | 'changesIgnored'>) {}

  get folders(): WorkingFolders {
    return this.line.folders;
  }

  find(list: NameList): ListedNames {
    return getOrCreate(this.known, list, () =>
      getOrCreate(this.same, JSON.stringify(list), () => lookUpNames(list, this.line)),
    );
  }
}

function lookUpNames(
  list: NameList,
  { folders, changesIgnored }: Pick<LineContext, 'folders' | 'changesIgnored'>,
): ListedNames {
  const { disk } = folders;
  const searched = new Set<string>();
  const isRooted = list.type === 'glob' && list.glob.startsWith('/');
  const starts = isRooted || isAtStart(list.from) ? [folders.start] : folderPathsOf(list.from ?? [], folders);
  const [place] = starts;
  if (starts.length !== 1 || place === undefined) return { names: undefined, searched, why: 'their folder is unknown' };
  if (list.type === 'found') {
    const hidden = list.hidden || (list.ignores === true && changesIgnored());
    return { names: simulateFind({ ...list, hidden }, place, { searched, disk }), searched };
  }
  const names = expandGlob(list.glob, place, { searched, disk });
  const includesFolder = list.filesOnly === true && names?.some((name) => isFolder(disk.locate(name, place))) === true;
  return { names: includesFolder ? undefined : names, searched };
}

function folderPathsOf(from: readonly string[], folders: WorkingFolders): readonly (string | undefined)[] {
  return folders.find(from).map(({ path }) => path);
}

/** The files of a list; unknown if its names cannot be looked up. */
export function listedFiles(access: FileAccess, lookup: NameFinder, look: FindFiles): FilesOfAccess {
  const { diskName, text, mode } = access;
  if (diskName === undefined) return { access, files: look(access) };
  const { names, searched, why = 'there are too many' } = lookup.find(diskName.names);
  const isFound = diskName.names.type === 'found';
  if (names === undefined) return { access, files: unknownFile(access, look, notLookedUpReason(access, why)) };
  if (!lookup.folders.disk.spend(names.length * diskCosts.file))
    return {
      access,
      files: unknownFile(access, look, notLookedUpReason(access, 'the lists in the line contain too many together')),
    };
  // Git may restore a tracked file under its old name.
  if (isFound && diskName.names.tracked && mode !== 'read')
    return {
      access,
      files: unknownFile(access, look, `${quote(text)} may be a file that git tracks and that no longer exists`),
    };
  const texts = names.map((name) => diskName.before + removeSuffix(name, diskName.cut) + diskName.after);
  const unsafe = texts.find((each) => isUnsafeName(each, diskName));
  if (unsafe !== undefined)
    return {
      access,
      files: unknownFile(access, look, `${quote(text)} may be ${quote(unsafe)}, which is not a plain name`),
    };
  const files = texts.flatMap((each) => look({ ...access, path: each.replace(/^~/, './~') }));
  return { access, files: isFound ? files.map((file) => ({ ...file, mayBeUntouched: true })) : files, searched };
}

function notLookedUpReason({ text }: FileAccess, why: string): string {
  return `${quote(text)} means names that were not looked up: ${why}`;
}

/** True if a name may be an option, or if bash, xargs or git would change it. */
function isUnsafeName(text: string, { plain }: NameChoice): boolean {
  if (text.startsWith('-') || text === '') return true;
  return plain === true ? !plainName.test(text) : plain === 'line' && !plainLine.test(text);
}

const plainName = /^[^-\s'"\\*?[\](){}|!`~\u0080-\u{10FFFF}][^\s'"\\*?[\](){}|!`\u0080-\u{10FFFF}]*$/u;
const plainLine = /^[^\n\r"\\\u0080-\u{10FFFF}]+$/u;

function removeSuffix(name: string, end: string): string {
  return end !== '' && name.endsWith(end) ? name.slice(0, -end.length) : name;
}

/** A file about which nothing is known; `why` gives the reason. */
function unknownFile(access: FileAccess, look: FindFiles, why: string): readonly TouchedFile[] {
  const files = look({ ...access, path: undefined, diskName: undefined });
  return files.map((file) => ({ ...file, locations: [unknownLocation('', why)], sure: true }));
}

/** A list becomes unknown if the line may add names to it. */
export function markGrowingLists(found: readonly FilesOfAccess[], disk: DiskCache): readonly FilesOfAccess[] {
  const written = found.flatMap(({ files }) => files.filter(({ mode }) => mode !== 'read'));
  return found.map((list) => {
    const { access, files, searched } = list;
    const adds = (file: TouchedFile): boolean =>
      searched !== undefined && (!disk.spend(searched.size) || mayAdd(file, access, searched));
    if (searched === undefined || !written.some(adds)) return list;
    const why = `the line may create a file that ${access.text} then includes`;
    return {
      access,
      files: files.slice(0, 1).map((file) => ({ ...file, locations: [unknownLocation('', why)], sure: true })),
    };
  });
}

function mayAdd(file: TouchedFile, list: FileAccess, searched: ReadonlySet<string>): boolean {
  // What a program keeps for itself does not count; files that it unpacks do.
  if (file.origin === 'implied' && file.unnamed === undefined) return false;
  return file.locations.length === 0 || file.locations.some((place) => mayAddAt(place, file.reach, { list, searched }));
}

interface SearchedList {
  readonly list: FileAccess;
  readonly searched: ReadonlySet<string>;
}

function mayAddAt(place: PathLocation, reach: TouchedFile['reach'], { list, searched }: SearchedList): boolean {
  const { checked } = place;
  if (checked === undefined) return true;
  const { path, identity } = checked;
  if (identity === undefined)
    return Array.from(searched).some((folder) => isBelow(path, folder) && mayJoinList({ path, folder, reach }, list));
  if (!isFolder(place) || reach !== undefined) return false;
  return Array.from(searched).some((folder) => folder === path || isBelow(path, folder) || isBelow(folder, path));
}

function isBelow(path: string, folder: string): boolean {
  return folder === '/' ? path !== '/' : path.startsWith(`${folder}/`);
}

interface NewPath {
  readonly path: string;
  /** The searched folder. */
  readonly folder: string;
  readonly reach: TouchedFile['reach'];
}

/** True if a new name in the folder, or below it, may be in the list. */
function mayJoinList({ path, folder, reach }: NewPath, { diskName }: FileAccess): boolean {
  if (diskName === undefined) return false;
  const names = path.slice(folder === '/' ? 1 : folder.length + 1).split('/');
  if (diskName.names.type === 'found')
    return reach === undefined || mayPassTest(diskName.names.test, names.at(-1) ?? '');
  const patterns = diskName.names.glob.split('/').map(readNamePattern);
  return patterns.some((pattern) => 'problem' in pattern || names.some((name) => pattern.matches(name, true)));
}

/** False if every path with this last name fails the test. */
function mayPassTest(test: FileTest, name: string): boolean {
  if (test.type === 'name') return matchesFindPattern(test.pattern, name, test.folds) !== false;
  return test.type !== 'all' || test.tests.every((each) => each.type !== 'name' || mayPassTest(each, name));
}
