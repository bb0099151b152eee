/** The files behind a word that is one of several names on the disk: the variable of a loop, what `find` prints (X08). */

import type { FileAccess } from '../shell/command-analysis.ts';
import { expandGlob } from './expand-glob.ts';
import { isUnmoved } from './files-of-access.ts';
import type { TouchedFile } from './found-files.ts';
import type { LineFolders } from './line-folders.ts';
import { readNamePattern } from './name-pattern.ts';
import { quote } from './quote.ts';
import { isFolder, untold, type TouchedPlace } from './touched-place.ts';

/** The files of one access; of a list, with where its names were looked for. */
export interface FoundAccess {
  readonly access: FileAccess;
  readonly files: readonly TouchedFile[];
  /** The folders that were looked through. */
  readonly looked?: ReadonlySet<string>;
}

type Look = (access: FileAccess) => readonly TouchedFile[];

/** What the names stand for now; it stays open where that cannot be told. */
export function listedFiles(access: FileAccess, folders: LineFolders, look: Look): FoundAccess {
  const { listed, text } = access;
  const looked = new Set<string>();
  const names = listed === undefined ? undefined : namesOf(listed.names, folders, looked);
  if (listed === undefined || names === undefined) return { access, files: open(access, look, undefined) };
  const texts = names.map((name) => listed.before + withoutEnd(name, listed.cut) + listed.after);
  const odd = texts.find((each) => each.startsWith('-') || (listed.plain && !plainName.test(each)));
  if (odd !== undefined)
    return { access, files: open(access, look, `${quote(odd)}, which ${text} may be, is not a plain name`) };
  const files = texts.flatMap((each) => look({ ...access, path: each.replace(/^~/, './~') }));
  return { access, files, looked };
}

/** Neither bash nor xargs makes anything else of such a name. */
const plainName = /^[^-\s'"\\*?[\](){}|!`~][^\s'"\\*?[\](){}|!`]*$/u;

function withoutEnd(name: string, end: string): string {
  return end !== '' && name.endsWith(end) ? name.slice(0, -end.length) : name;
}

/** Undefined if there are too many, or nobody knows where they stand. */
function namesOf(
  { glob, from }: NonNullable<FileAccess['listed']>['names'],
  folders: LineFolders,
  looked: Set<string>,
): readonly string[] | undefined {
  const starts = glob.startsWith('/') || isUnmoved(from) ? [folders.start] : pathsOf(from ?? [], folders);
  const [place] = starts;
  return starts.length !== 1 || place === undefined ? undefined : expandGlob(glob, place, looked);
}

function pathsOf(from: readonly string[], folders: LineFolders): readonly (string | undefined)[] {
  return folders.find(from).map(({ path }) => path);
}

/** A word that nobody can tell more of than `why`. */
function open(access: FileAccess, look: Look, why: string | undefined): readonly TouchedFile[] {
  const files = look({ ...access, path: undefined, listed: undefined });
  return why === undefined ? files : files.map((file) => ({ ...file, places: [untold('', why)], sure: true }));
}

/** A list to which the line may add names is not known. */
export function settleLists(found: readonly FoundAccess[]): readonly FoundAccess[] {
  return found.map((list) => {
    const { access, files, looked } = list;
    if (looked === undefined || !found.some((other) => other.files.some((file) => mayAdd(file, access, looked))))
      return list;
    const why = `the line may make a file that ${access.text} then stands for`;
    return { access, files: files.slice(0, 1).map((file) => ({ ...file, places: [untold('', why)], sure: true })) };
  });
}

function mayAdd(file: TouchedFile, list: FileAccess, looked: ReadonlySet<string>): boolean {
  if (file.mode === 'read') return false;
  // What a program keeps for itself is not looked at; files that it unpacks are.
  if (file.origin === 'implied' && file.unnamed === undefined) return false;
  return file.places.length === 0 || file.places.some((place) => mayAddAt(place, file.reach, { list, looked }));
}

interface List {
  readonly list: FileAccess;
  readonly looked: ReadonlySet<string>;
}

function mayAddAt(place: TouchedPlace, reach: TouchedFile['reach'], { list, looked }: List): boolean {
  const { checked } = place;
  if (checked === undefined) return true;
  const { path, identity } = checked;
  if (identity === undefined)
    return Array.from(looked).some((folder) => isBelow(path, folder) && mayFit(path, folder, list));
  if (!isFolder(place) || reach !== undefined) return false;
  return Array.from(looked).some((folder) => folder === path || isBelow(path, folder) || isBelow(folder, path));
}

function isBelow(path: string, folder: string): boolean {
  return folder === '/' ? path !== '/' : path.startsWith(`${folder}/`);
}

/** Whether a name that is new in the folder, or one below that, may be in the list. */
function mayFit(path: string, folder: string, { listed }: FileAccess): boolean {
  const patterns = listed?.names.glob.split('/').map(readNamePattern) ?? [];
  const names = path.slice(folder === '/' ? 1 : folder.length + 1).split('/');
  return patterns.some((pattern) => 'problem' in pattern || names.some((name) => pattern.matches(name, true)));
}
