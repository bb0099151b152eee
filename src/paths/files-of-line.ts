/** The files that a command line names. */

import { posix } from 'node:path';
import { lazy } from '../lazy.ts';
import { analyseCommand } from '../shell/analyse-command.ts';
import type { CommandAnalysis, FileAccess } from '../shell/command-analysis.ts';
import { nameChoice } from '../shell/word-choices.ts';
import { expandGlob, mostNames } from './expand-glob.ts';
import { readNamePattern } from './name-pattern.ts';
import { listedFiles, NameLookup, settleLists } from './listed-files.ts';
import { FoundFiles, type FilesPart, type TouchedFile } from './found-files.ts';
import { quote } from './quote.ts';
import { isFolder, isPlainFile, touchedPlace, untold, type TouchedPlace } from './touched-place.ts';
import { worktreeAround } from './worktree-around.ts';

export function unknownFiles(unknown: string): FoundFiles {
  return new FoundFiles([], { unknown, missingIsRead: false, said: () => [] });
}

/** Every path costs system calls that block. */
export const mostFiles = 1000;
export const tooMany = unknownFiles(`it names more than ${mostFiles} files`);

/** Where a line starts; undefined where nobody knows. A function is asked when something is looked up. */
type Folder = string | undefined | (() => string | undefined);

export function filesOfLine(line: string, folder: Folder): FoundFiles {
  return filesOfAnalysis(analyseCommand(line), folder);
}

/** {@link filesOfLine}, of a line that was read already. */
export function filesOfAnalysis(analysis: FilesAnalysis, folder: Folder): FoundFiles {
  if (analysis.files.length > mostFiles) return tooMany;
  return new FoundFiles(partsOf(withoutDevices(analysis.files), folder), {
    unknown: analysis.unknown ?? analysis.filesUnknown,
    missingIsRead: analysis.unknown === undefined && analysis.missingIsRead === true,
    said: () => saidIn(analysis),
  });
}

/** What the line makes has to do with all it names; otherwise each is a matter of its own. */
function partsOf(accesses: readonly FileAccess[], folder: Folder): readonly FilesPart[] {
  const start = (): string | undefined => (typeof folder === 'function' ? folder() : folder);
  const look = (access: FileAccess): readonly TouchedFile[] => openFiles(access, start());
  const makes = accesses.some(mayMake);
  const isList = ({ listed, glob }: FileAccess): boolean => listed !== undefined || (makes && glob !== undefined);
  if (accesses.some(isList)) return [withLists(accesses.map(asList), start)];
  const parts = accesses.map((access) => ({
    mode: access.mode,
    most: Math.max(access.glob === undefined ? 1 : mostNames, access.names?.length ?? 0),
    files: lazy(() => (isSettled(access, accesses) ? globbed(access, start()) : look(access))),
  }));
  if (!makes) return parts;
  const most = parts.reduce((sum, part) => sum + part.most, 0);
  return [{ mode: undefined, most, files: lazy(() => withoutNewLinks(accesses.flatMap(look))) }];
}

/** A pattern is a list of names, too. */
function asList(access: FileAccess): FileAccess {
  const { glob, from } = access;
  return glob === undefined
    ? access
    : { ...access, glob: undefined, listed: nameChoice({ type: 'glob', glob, from }, false) };
}

/** Names that stand on the disk count only if nothing in the line may add to them, so all is looked at together. */
function withLists(accesses: readonly FileAccess[], start: () => string | undefined): FilesPart {
  const files = lazy(() => {
    const lookup = new NameLookup(start());
    const found = accesses.map((access) =>
      access.listed === undefined
        ? { access, files: openFiles(access, start()) }
        : listedFiles(access, lookup, (each) => filesOf(each, start())),
    );
    const settled = settleLists(found).flatMap((each) => each.files);
    return accesses.some(mayMake) ? withoutNewLinks(settled) : settled;
  });
  return { mode: undefined, most: accesses.length * mostNames, files };
}

/** True of everything that may turn out to be a maker, see below. */
function mayMake({ mode, reach, implied }: FileAccess): boolean {
  return mode === 'write' && reach !== 'itself' && reach !== 'tree' && implied !== true;
}

type FilesAnalysis = Pick<
  CommandAnalysis,
  'commands' | 'files' | 'unknown' | 'filesUnknown' | 'missingIsRead' | 'foreign'
>;

/** A command that writes in its folder by itself may make what any of its words names: the last part of a URL, say. */
function saidIn({ commands, files, foreign }: FilesAnalysis): readonly string[] {
  if (!files.some(({ implied, mode }) => implied === true && mode !== 'read')) return foreign;
  const words = commands.flatMap(({ argv }) => argv.map((word) => (word.type === 'literal' ? word.value : word.text)));
  return [...foreign, ...words];
}

/** What no file stands behind. Behind an open descriptor stands a file only if the line opens one for something else. */
function withoutDevices(files: readonly FileAccess[]): readonly FileAccess[] {
  if (!files.some(({ path }) => path?.startsWith('/dev/'))) return files;
  const named = files.filter(({ path }) => !/^\/dev\/(?:null|zero|full|tty|u?random)$/.test(path ?? ''));
  const rest = named.filter(({ mode, path }) => mode !== 'write' || !/^\/dev\/std(?:out|err)$/.test(path ?? ''));
  return rest.every(({ mode }) => mode === 'write') ? rest : named;
}

/** A pattern that nothing in the line may add a name to. */
function isSettled(access: FileAccess, accesses: readonly FileAccess[]): boolean {
  const last = access.glob?.split('/').at(-1);
  if (last === undefined) return false;
  const pattern = readNamePattern(last);
  const adds = ({ mode, path, implied }: FileAccess): boolean => {
    if (mode === 'read' || implied === true) return false;
    return path === undefined || 'problem' in pattern || pattern.matches(posix.basename(path), true);
  };
  return !accesses.some((other) => other !== access && adds(other));
}

/** What a pattern of file names stands for now; it stays open where that cannot be told. */
function globbed(access: FileAccess, folder: string | undefined): readonly TouchedFile[] {
  const { glob = '', text, from } = access;
  const isUnmoved = glob.startsWith('/') || (from?.length === 1 && from[0] === '');
  const names = isUnmoved && folder !== undefined ? expandGlob(glob, folder) : undefined;
  if (names === undefined) return openFiles(access, folder);
  const option = names.find((name) => name.startsWith('-'));
  const files = names.flatMap((name) => filesOf({ ...access, path: name.replace(/^~/, './~') }, folder));
  if (option === undefined) return files;
  return files.map((file) => ({ ...file, places: [untold('', `${quote(option)} of ${text} may be an option`)] }));
}

/** What nobody can tell for sure, and what it may be: a pattern stays open, and stands for what fits it now. */
function openFiles(access: FileAccess, folder: string | undefined): readonly TouchedFile[] {
  const { glob, mode, from = [] } = access;
  const open = filesOf(access, folder);
  if (glob === undefined || mode === 'write') return open;
  const starts = glob.startsWith('/') ? ['/'] : from;
  const fits = starts.flatMap((start) => {
    const place = start === '' ? folder : touchedPlace(start, folder, true).checked?.path;
    const names = place === undefined ? [] : (expandGlob(glob, place) ?? []);
    return names.map((name) => (name.startsWith('/') ? name : `${place}/${name}`));
  });
  return [...open, ...fits.flatMap((path) => filesOf({ ...access, path }, folder).map(unsure))];
}

function unsure(file: TouchedFile): TouchedFile {
  return { ...file, sure: false };
}

function filesOf(access: FileAccess, folder: string | undefined): readonly TouchedFile[] {
  const { mode, path, text, from, reach, names = [], ends, implied = false, unnamed } = access;
  const isDestination = reach === 'into' || reach === 'onto';
  const made = isDestination ? (reach === 'into' ? 'itself' : undefined) : reach;
  const moved = reach === 'onto' && names.length > 0 ? names : undefined;
  const base = {
    mode,
    shown: quote(text),
    reach: made,
    moved,
    ends,
    unnamed,
    origin: implied ? 'implied' : 'line',
  } as const;
  // Anywhere: no fact about a certain file, but no call that stays inside a folder either.
  if (path === undefined) return [{ ...base, places: [], sure: false }];
  const isRooted = path.startsWith('/') || path.startsWith('~');
  const starts = isRooted ? [''] : from;
  if (starts === undefined) return [{ ...base, places: [], ends: `/${path}`, sure: false }];
  const places = starts.map((start) => touchedPlace(start === '' ? path : `${start}/${path}`, folder, true));
  const sure = isRooted || (starts.length === 1 && starts[0] === '');
  if (unnamed === 'worktree') return [{ ...base, places: places.map(worktreeAround), sure }];
  if ((names.length === 0 && !isDestination) || !places.some(isFolder)) return [{ ...base, places, sure }];
  if (names.length === 0) return [{ ...base, reach: undefined, places, sure }];
  return names.map((name) => ({
    ...base,
    moved: moved && [name],
    places: places.map((place) => (isFolder(place) ? touchedPlace(`${place.text}/${name}`, folder, true) : place)),
    sure,
  }));
}

/**
 * What the line itself makes may be a link when it is used again: where that leads is not on the disk yet. What a
 * program makes without being told is not seen.
 */
function withoutNewLinks(files: readonly TouchedFile[]): readonly TouchedFile[] {
  if (!files.some(isMaker)) return files;
  const plain = plainNames(settle(files));
  const known = files.map((file) =>
    file.moved !== undefined && file.moved.every((name) => plain.has(name))
      ? { ...file, reach: 'itself' as const }
      : file,
  );
  return settle(known);
}

function isMaker({ mode, reach, origin }: TouchedFile): boolean {
  return mode === 'write' && reach === undefined && origin === 'line';
}

/** What is moved or copied and is a plain file stays one. */
function plainNames(files: readonly TouchedFile[]): ReadonlySet<string> {
  return new Set(files.filter(isPlain).flatMap(({ places }) => places.map(({ text }) => posix.basename(text))));
}

function isPlain({ sure, reach, places }: TouchedFile): boolean {
  return sure && reach === 'tree' && places.every((place) => place.checked?.path === place.text && isPlainFile(place));
}

function settle(files: readonly TouchedFile[]): readonly TouchedFile[] {
  const made = new Map<string, TouchedFile | 'several'>();
  for (const maker of files.filter(isMaker)) {
    for (const { checked } of maker.places)
      if (checked !== undefined) made.set(checked.path, made.has(checked.path) ? 'several' : maker);
  }
  return files.map((file) => ({
    ...file,
    places: file.places.map((place) =>
      isMadeByOther(place, file, made)
        ? untold(place.text, `${quote(place.text)} may be a link that the same line makes`)
        : place,
    ),
  }));
}

function isMadeByOther(
  { checked }: TouchedPlace,
  file: TouchedFile,
  made: ReadonlyMap<string, TouchedFile | 'several'>,
): boolean {
  const names = checked?.path.split('/') ?? [];
  return names.some((_, index) => {
    const maker = made.get(names.slice(0, index + 1).join('/') || '/');
    return maker !== undefined && maker !== file;
  });
}
