/** The files behind a word that is one of several names on the disk: the variable of a loop, what `find` prints (X08). */

import { getOrMake } from '../lazy.ts';
import type { FileAccess } from '../shell/command-analysis.ts';
import type { FileTest, NameChoice, NameList } from '../shell/word-choices.ts';
import { expandGlob } from './expand-glob.ts';
import { isUnmoved, type FoundList, type Line, type NameFinder } from './files-of-access.ts';
import type { TouchedFile } from './found-files.ts';
import type { LineFolders } from './line-folders.ts';
import { findNames, fits } from './found-names.ts';
import { costs } from './look-budget.ts';
import { readNamePattern } from './name-pattern.ts';
import { quote } from './quote.ts';
import type { SeenPlaces } from './seen-places.ts';
import { isFolder, untold, type TouchedPlace } from './touched-place.ts';

/** The files of one access; of a list, with where its names were looked for. */
export interface FoundAccess {
  readonly access: FileAccess;
  readonly files: readonly TouchedFile[];
  /** The folders that were looked through. */
  readonly looked?: ReadonlySet<string>;
}

type Look = (access: FileAccess) => readonly TouchedFile[];

/** Looks names up once, however many words they stand for, and however many lists are the same. */
export class NameLookup implements NameFinder {
  private readonly known = new Map<NameList, FoundList>();
  private readonly same = new Map<string, FoundList>();

  constructor(private readonly line: Pick<Line, 'folders' | 'changesIgnored'>) {}

  get folders(): LineFolders {
    return this.line.folders;
  }

  find(list: NameList): FoundList {
    return getOrMake(this.known, list, () => getOrMake(this.same, JSON.stringify(list), () => lookUp(list, this.line)));
  }
}

function lookUp(list: NameList, { folders, changesIgnored }: Pick<Line, 'folders' | 'changesIgnored'>): FoundList {
  const { seen } = folders;
  const looked = new Set<string>();
  const isRooted = list.type === 'glob' && list.glob.startsWith('/');
  const starts = isRooted || isUnmoved(list.from) ? [folders.start] : pathsOf(list.from ?? [], folders);
  const [place] = starts;
  if (starts.length !== 1 || place === undefined)
    return { names: undefined, looked, why: 'the folder they stand in is not known' };
  if (list.type === 'found') {
    const hidden = list.hidden || (list.ignores === true && changesIgnored());
    return { names: findNames({ ...list, hidden }, place, { looked, seen }), looked };
  }
  const names = expandGlob(list.glob, place, { looked, seen });
  const isOpen = list.filesOnly === true && names?.some((name) => isFolder(seen.place(name, place))) === true;
  return { names: isOpen ? undefined : names, looked };
}

function pathsOf(from: readonly string[], folders: LineFolders): readonly (string | undefined)[] {
  return folders.find(from).map(({ path }) => path);
}

/** What the names stand for now; it stays open where that cannot be told. */
export function listedFiles(access: FileAccess, lookup: NameFinder, look: Look): FoundAccess {
  const { listed, text, mode } = access;
  if (listed === undefined) return { access, files: look(access) };
  const { names, looked, why = 'there are too many' } = lookup.find(listed.names);
  const isFound = listed.names.type === 'found';
  if (names === undefined) return { access, files: open(access, look, tooOpen(access, why)) };
  if (!lookup.folders.seen.spend(names.length * costs.file))
    return { access, files: open(access, look, tooOpen(access, 'all lists of the line hold too many')) };
  // What git has tracked may be made anew under its old name.
  if (isFound && listed.names.tracked && mode !== 'read')
    return { access, files: open(access, look, `${quote(text)} may be a file that git knows and that is gone`) };
  const texts = names.map((name) => listed.before + withoutEnd(name, listed.cut) + listed.after);
  const odd = texts.find((each) => isOdd(each, listed));
  if (odd !== undefined)
    return { access, files: open(access, look, `${quote(text)} may be ${quote(odd)}, which is not a plain name`) };
  const files = texts.flatMap((each) => look({ ...access, path: each.replace(/^~/, './~') }));
  return { access, files: isFound ? files.map((file) => ({ ...file, perhaps: true })) : files, looked };
}

function tooOpen({ text }: FileAccess, why: string): string {
  return `${quote(text)} stands for names that were not looked up: ${why}`;
}

/** A name that may be an option, or of which bash, xargs or git makes something else. */
function isOdd(text: string, { plain }: NameChoice): boolean {
  if (text.startsWith('-') || text === '') return true;
  return plain === true ? !plainName.test(text) : plain === 'line' && !plainLine.test(text);
}

const plainName = /^[^-\s'"\\*?[\](){}|!`~\u0080-\u{10FFFF}][^\s'"\\*?[\](){}|!`\u0080-\u{10FFFF}]*$/u;
const plainLine = /^[^\n\r"\\\u0080-\u{10FFFF}]+$/u;

function withoutEnd(name: string, end: string): string {
  return end !== '' && name.endsWith(end) ? name.slice(0, -end.length) : name;
}

/** A word that nobody can tell more of than `why`. */
function open(access: FileAccess, look: Look, why: string): readonly TouchedFile[] {
  const files = look({ ...access, path: undefined, listed: undefined });
  return files.map((file) => ({ ...file, places: [untold('', why)], sure: true }));
}

/** A list to which the line may add names is not known. */
export function settleLists(found: readonly FoundAccess[], seen: SeenPlaces): readonly FoundAccess[] {
  const written = found.flatMap(({ files }) => files.filter(({ mode }) => mode !== 'read'));
  return found.map((list) => {
    const { access, files, looked } = list;
    const adds = (file: TouchedFile): boolean =>
      looked !== undefined && (!seen.spend(looked.size) || mayAdd(file, access, looked));
    if (looked === undefined || !written.some(adds)) return list;
    const why = `the line may make a file that ${access.text} then stands for`;
    return { access, files: files.slice(0, 1).map((file) => ({ ...file, places: [untold('', why)], sure: true })) };
  });
}

function mayAdd(file: TouchedFile, list: FileAccess, looked: ReadonlySet<string>): boolean {
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
    return Array.from(looked).some((folder) => isBelow(path, folder) && mayFit({ path, folder, reach }, list));
  if (!isFolder(place) || reach !== undefined) return false;
  return Array.from(looked).some((folder) => folder === path || isBelow(path, folder) || isBelow(folder, path));
}

function isBelow(path: string, folder: string): boolean {
  return folder === '/' ? path !== '/' : path.startsWith(`${folder}/`);
}

interface NewPath {
  readonly path: string;
  /** The folder that was looked through. */
  readonly folder: string;
  readonly reach: TouchedFile['reach'];
}

/** Whether a name that is new in the folder, or one below that, may be in the list. */
function mayFit({ path, folder, reach }: NewPath, { listed }: FileAccess): boolean {
  if (listed === undefined) return false;
  const names = path.slice(folder === '/' ? 1 : folder.length + 1).split('/');
  if (listed.names.type === 'found') return reach === undefined || mayPass(listed.names.test, names.at(-1) ?? '');
  const patterns = listed.names.glob.split('/').map(readNamePattern);
  return patterns.some((pattern) => 'problem' in pattern || names.some((name) => pattern.matches(name, true)));
}

/** False if every path with this last name fails the test. */
function mayPass(test: FileTest, name: string): boolean {
  if (test.type === 'name') return fits(test.pattern, name, test.folds) !== false;
  return test.type !== 'all' || test.tests.every((each) => each.type !== 'name' || mayPass(each, name));
}
