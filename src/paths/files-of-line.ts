/** The files that a command line names. */

import { posix } from 'node:path';
import { getOrMake, lazy } from '../lazy.ts';
import { analyseCommand } from '../shell/analyse-command.ts';
import type { CommandAnalysis, FileAccess } from '../shell/command-analysis.ts';
import { copiesHoldLink } from './copied-trees.ts';
import { destinationFiles, isPlainCopy, withMissingFolders } from './destination-files.ts';
import { expandGlob, mostNames } from './expand-glob.ts';
import { readNamePattern } from './name-pattern.ts';
import { FoundFiles, type FilesPart, type TouchedFile } from './found-files.ts';
import { quote } from './quote.ts';
import { SeenPlaces } from './seen-places.ts';
import { isSettledIn } from './settled-glob.ts';
import { isFolder, touchedPlace, untold, type TouchedPlace } from './touched-place.ts';
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
  const look = (access: FileAccess): readonly TouchedFile[] => openFiles(access, { folder: start(), accesses });
  const makes = accesses.some(mayMake);
  const parts = accesses.map((access) => ({
    mode: access.mode,
    most: mostOf(access),
    files: lazy(() => (isSettled(access, accesses) ? globbed(access, { folder: start(), accesses }) : look(access))),
  }));
  if (!makes) return parts;
  const found = (access: FileAccess): readonly TouchedFile[] => sourceFiles(access, { folder: start(), accesses });
  const most = parts.reduce((sum, part) => sum + part.most, 0);
  return [{ mode: undefined, most, files: lazy(() => withoutNewLinks(accesses.flatMap(found))) }];
}

/** How many files an access stands for at most: a destination for one per source. */
function mostOf({ glob, sources = [] }: FileAccess): number {
  const each = glob === undefined ? 1 : mostNames;
  return sources.reduce((most, source) => most + mostOf(source), each);
}

/** True of everything that may turn out to be a maker, see below. */
function mayMake({ mode, reach, unnamed, implied }: FileAccess): boolean {
  if (reach === 'picked') return mode === 'write' && unnamed !== undefined;
  return mode === 'write' && reach !== 'itself' && reach !== 'path' && reach !== 'tree' && implied !== true;
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

/** Where a line starts, and all that it touches. */
interface Line {
  readonly folder: string | undefined;
  readonly accesses: readonly FileAccess[];
}

/** What a pattern of file names stands for now; it stays open where that cannot be told. */
function globbed(access: FileAccess, line: Line): readonly TouchedFile[] {
  const { folder } = line;
  const { glob = '', text, from } = access;
  const isUnmoved = glob.startsWith('/') || (from?.length === 1 && from[0] === '');
  const names = isUnmoved && folder !== undefined ? expandGlob(glob, folder) : undefined;
  if (names === undefined) return openFiles(access, line);
  const option = names.find((name) => name.startsWith('-'));
  const files = names.flatMap((name) => filesOf({ ...access, path: name.replace(/^~/, './~') }, line));
  if (option === undefined) return files;
  return files.map((file) => ({ ...file, places: [untold('', `${quote(option)} of ${text} may be an option`)] }));
}

/** What nobody can tell for sure, and what it may be: a pattern stays open, and stands for what fits it now. */
function openFiles(access: FileAccess, line: Line): readonly TouchedFile[] {
  const { folder } = line;
  const { glob, mode, from = [] } = access;
  const open = filesOf(access, line);
  if (glob === undefined || mode === 'write') return open;
  const starts = glob.startsWith('/') ? ['/'] : from;
  const fits = starts.flatMap((start) => {
    const place = start === '' ? folder : touchedPlace(start, folder, true).checked?.path;
    const names = place === undefined ? [] : (expandGlob(glob, place) ?? []);
    return names.map((name) => (name.startsWith('/') ? name : `${place}/${name}`));
  });
  return [...open, ...fits.flatMap((path) => filesOf({ ...access, path }, line).map(unsure))];
}

function unsure(file: TouchedFile): TouchedFile {
  return { ...file, sure: false };
}

function filesOf(access: FileAccess, { folder, accesses }: Line): readonly TouchedFile[] {
  const { mode, path, text, from, reach, ends, implied = false, unnamed, filters } = access;
  const base = {
    mode,
    shown: quote(text),
    reach: madeReach(reach),
    filters,
    isLink: reach === 'link',
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
  const file = { ...base, places, sure };
  if (reach === 'path') return [{ ...file, places: places.flatMap(withMissingFolders) }];
  if (!isDestination(reach)) return [file];
  const look = (source: FileAccess): readonly TouchedFile[] => sourceFiles(source, { folder, accesses });
  return destinationFiles(access, { base: file, folder, look, accesses });
}

function isDestination(reach: FileAccess['reach']): boolean {
  return reach === 'into' || reach === 'onto' || reach === 'sync' || reach === 'link';
}

/** How far a destination reaches, of what is known to come to stand there. */
function madeReach(reach: FileAccess['reach']): TouchedFile['reach'] {
  if (reach === 'into' || reach === 'link' || reach === 'path') return 'itself';
  return reach === 'onto' || reach === 'sync' ? undefined : reach;
}

/** A pattern stands for what fits it now, unless the line may add a name. */
function sourceFiles(source: FileAccess, line: Line): readonly TouchedFile[] {
  return isSettledIn(source, line) ? globbed(source, line) : openFiles(source, line);
}

/**
 * What the line itself makes may be a link when it is used again: where that leads is not on the disk yet. What a
 * program makes without being told is not seen.
 */
function withoutNewLinks(files: readonly TouchedFile[]): readonly TouchedFile[] {
  if (!files.some(isMaker)) return files;
  const known = settle(files, () => true).map(({ copies }, index): TouchedFile => {
    const file = files[index] as TouchedFile;
    // What is moved or copied and is a plain file stays one.
    return copies?.every(isPlainCopy) === true ? { ...file, reach: 'itself', copies: undefined } : { ...file, copies };
  });
  const seen = new SeenPlaces();
  return settle(known, (maker) => maker.copies === undefined || copiesHoldLink(maker.copies, seen));
}

/** Among what git puts somewhere there may be links. */
function isMaker({ mode, reach, origin, unnamed, isLink }: TouchedFile): boolean {
  const isOpen = reach === undefined || isLink === true || (reach === 'picked' && unnamed !== undefined);
  return mode === 'write' && isOpen && origin === 'line';
}

/** `makesLink`: false of a maker that only hides what stands below a folder. */
function settle(files: readonly TouchedFile[], makesLink: (maker: TouchedFile) => boolean): readonly TouchedFile[] {
  const made = new Map<string, TouchedFile[]>();
  for (const maker of files.filter(isMaker)) {
    for (const { checked } of maker.places)
      if (checked !== undefined) getOrMake(made, checked.path, () => []).push(maker);
  }
  const settled = (place: TouchedPlace, counts: (maker: TouchedFile) => boolean): TouchedPlace =>
    makersOf(place, made).some(counts)
      ? untold(place.text, `${quote(place.text)} may be a link that the same line makes`)
      : place;
  return files.map((file) => {
    const isOther = (maker: TouchedFile): boolean => maker !== file;
    const leads = (maker: TouchedFile): boolean => maker !== file && (file.reach !== 'itself' || makesLink(maker));
    return {
      ...file,
      copies: file.copies?.map((place) => settled(place, isOther)),
      places: file.places.map((place) => settled(place, leads)),
    };
  });
}

/** What makes a place, or a folder above it. A folder in which git puts something stays what it is. */
function makersOf(place: TouchedPlace, made: ReadonlyMap<string, readonly TouchedFile[]>): readonly TouchedFile[] {
  const names = place.checked?.path.split('/') ?? [];
  return names.flatMap((_, index) => {
    const makers = made.get(names.slice(0, index + 1).join('/') || '/') ?? [];
    const isFolderItself = index === names.length - 1 && isFolder(place);
    return isFolderItself ? makers.filter(({ reach }) => reach !== 'picked') : makers;
  });
}
