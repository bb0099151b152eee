/** Finds the files that a command line names. */

import { posix } from 'node:path';
import { getOrCreate, lazy } from '../../../kernel/lazy.ts';
import { analyseCommand } from '../../shell/analysis/analyse-command.ts';
import type { CommandAnalysis, FileAccess } from '../../shell/commands/command-analysis.ts';
import { copiesContainLink } from './copied-trees.ts';
import { destinationFiles, isPlainCopy } from './destination-files.ts';
import { expandGlob, maxNames } from '../disk/expand-glob.ts';
import { fileOfAccess, isDestination, isAtStart, type LineContext } from './file-of-access.ts';
import { workingFoldersOf } from './folder-changes.ts';
import type { WorkingFolders } from './working-folders.ts';
import { readNamePattern } from '../globs/name-pattern.ts';
import { listedFiles, NameLookup, markGrowingLists } from './listed-files.ts';
import { ignoreFileNames } from '../disk/ignore-rules.ts';
import { TouchedFiles, type FileGroup, type TouchedFile } from './touched-files.ts';
import { quote } from '../resolve/path-refusal.ts';
import { DiskCache } from '../disk/disk-cache.ts';
import { isSamePattern, isStableGlob } from './stable-glob.ts';
import { isFolder, unknownLocation, type PathLocation } from '../resolve/path-location.ts';
import { isOtherRepository } from './git-worktree.ts';

export function unknownFiles(unknown: string): TouchedFiles {
  return new TouchedFiles([], { unknown, missingIsRead: false, mentions: () => [] });
}

/** Each path costs blocking system calls. */
export const maxFiles = 1000;
export const tooManyFiles = unknownFiles(`the call names more than ${maxFiles} files`);

/** The folder a line starts in; undefined if unknown. A function is called on first use. */
type StartFolder = string | undefined | (() => string | undefined);

export function filesOfLine(line: string, folder: StartFolder, disk?: DiskCache): TouchedFiles {
  return filesOfAnalysis(analyseCommand(line), folder, disk);
}

/** {@link filesOfLine} for a line that is already analysed. */
export function filesOfAnalysis(analysis: FilesAnalysis, folder: StartFolder, disk = new DiskCache()): TouchedFiles {
  if (analysis.files.length > maxFiles) return tooManyFiles;
  const files = withoutDevices(analysis.files);
  const start = (): string | undefined => (typeof folder === 'function' ? folder() : folder);
  // Work that the line hides may create a folder that does not exist yet.
  const folders = lazy(() => workingFoldersOf(files, { start: start(), hides: analysis.opaque !== undefined, disk }));
  const rest = {
    unknown: analysis.unknown ?? analysis.filesUnknown,
    missingIsRead: analysis.unknown === undefined && analysis.missingIsRead === true,
    mentions: () => mentionsIn(analysis),
  };
  return new TouchedFiles(groupsOf(files, folders), rest, disk);
}

/** If the line creates something, that may affect all files, so they form one group. Otherwise each has its own. */
function groupsOf(accesses: readonly FileAccess[], folders: () => WorkingFolders): readonly FileGroup[] {
  const line = lazy(() => contextOf(accesses, folders()));
  const look = (access: FileAccess): readonly TouchedFile[] => unexpandedFiles(access, line());
  const makes = accesses.some(mayMakeEntries);
  if (accesses.some(({ diskName }) => diskName !== undefined)) return [groupWithLists(line)];
  const parts = accesses.map((access) => ({
    mode: access.mode,
    most: maxFilesOf(access),
    files: lazy(() => (hasStableNames(access, accesses) ? expandedFiles(access, line()) : look(access))),
  }));
  if (!makes) return parts;
  const found = (access: FileAccess): readonly TouchedFile[] => sourceFiles(access, line());
  const most = parts.reduce((sum, part) => sum + part.most, 0);
  return [{ mode: undefined, most, files: lazy(() => withUncertainLinks(accesses.flatMap(found), folders().disk)) }];
}

/** The maximum number of files of an access; a destination counts once per source. */
function maxFilesOf({ glob, sources = [] }: FileAccess): number {
  const each = glob === undefined ? 1 : maxNames;
  return sources.reduce((most, source) => most + maxFilesOf(source), each);
}

/** Names on the disk count only if nothing in the line may add to them, so all are looked up together. */
function groupWithLists(line: () => LineContext): FileGroup {
  const files = lazy(() => {
    const { accesses } = line();
    const found = accesses.map((access) =>
      access.diskName === undefined
        ? { access, files: sourceFiles(access, line()) }
        : listedFiles(access, line().lookup(), (each) => filesOf(each, line())),
    );
    const settled = markGrowingLists(found, line().folders.disk).flatMap((each) => each.files);
    return accesses.some(mayMakeEntries) ? withUncertainLinks(settled, line().folders.disk) : settled;
  });
  return { mode: undefined, most: line().accesses.length * maxNames, files };
}

/** True for every access that may turn out to create a link, see {@link mayMakeLink}. */
function mayMakeEntries({ mode, reach, unnamed, implied }: FileAccess): boolean {
  if (reach === 'picked') return mode === 'write' && unnamed !== undefined;
  return mode === 'write' && reach !== 'itself' && reach !== 'path' && reach !== 'tree' && implied !== true;
}

/** If the line changes an ignore file, its current content does not count. */
function contextOf(accesses: readonly FileAccess[], folders: WorkingFolders): LineContext {
  const line: LineContext = {
    folders,
    accesses,
    changesIgnored: lazy(() => accesses.some((access) => changesIgnored(access, line))),
    lookup: lazy(() => new NameLookup(line)),
  };
  return line;
}

/** True if the access may write an ignore file. What a program does by default is not visible. */
function changesIgnored(access: FileAccess, { folders }: LineContext): boolean {
  const { mode, path, reach, sources, implied, unnamed } = access;
  if (mode === 'read' || implied === true) return false;
  const isAny = reach === undefined || reach === 'onto' || reach === 'sync' || unnamed !== undefined;
  if (path === undefined || (mode === 'write' && isAny)) return true;
  const isNamed = sources?.every((source) => source.path !== undefined && !isIgnoreFile(source.path));
  if (isDestination(reach) && isNamed !== true) return true;
  const { locations } = fileOfAccess(access, folders);
  return locations.length === 0 || locations.some(mayBeIgnoreFile);
}

function mayBeIgnoreFile({ checked, text }: PathLocation): boolean {
  return checked === undefined || [checked.path, text].some(isIgnoreFile);
}

function isIgnoreFile(path: string): boolean {
  return ignoreFileNames.includes(posix.basename(path));
}

type FilesAnalysis = Pick<
  CommandAnalysis,
  'commands' | 'files' | 'unknown' | 'filesUnknown' | 'missingIsRead' | 'foreign'
> & { readonly opaque?: string | undefined };

/** A command that writes in its folder by default may create what a word names: the last part of a URL, for example. */
function mentionsIn({ commands, files, foreign }: FilesAnalysis): readonly string[] {
  if (!files.some(({ implied, mode }) => implied === true && mode !== 'read')) return foreign;
  const words = commands.flatMap(({ argv }) => argv.map((word) => (word.type === 'literal' ? word.value : word.text)));
  return [...foreign, ...words];
}

/** Removes devices. `/dev/stdout` and `/dev/stderr` count only if some file is opened for more than writing. */
function withoutDevices(files: readonly FileAccess[]): readonly FileAccess[] {
  if (!files.some(({ path }) => path?.startsWith('/dev/'))) return files;
  const named = files.filter(({ path }) => !/^\/dev\/(?:null|zero|full|tty|u?random)$/.test(path ?? ''));
  const rest = named.filter(({ mode, path }) => mode !== 'write' || !/^\/dev\/std(?:out|err)$/.test(path ?? ''));
  return rest.every(({ mode }) => mode === 'write') ? rest : named;
}

/** True if nothing in the line may add a name that matches the pattern. */
function hasStableNames(access: FileAccess, accesses: readonly FileAccess[]): boolean {
  const last = access.glob?.split('/').at(-1);
  if (last === undefined) return false;
  const pattern = readNamePattern(last);
  const adds = ({ mode, path, implied }: FileAccess): boolean => {
    if (mode === 'read' || implied === true) return false;
    return path === undefined || 'problem' in pattern || pattern.matches(posix.basename(path), true);
  };
  return !accesses.some((other) => !isSamePattern(other, access) && adds(other));
}

/** Expands a pattern in each possible working folder; leaves it unexpanded if that is not possible. */
function expandedFiles(access: FileAccess, line: LineContext): readonly TouchedFile[] {
  const { glob = '', text } = access;
  const starts = globStarts(access, line.folders);
  const found = starts?.map((start) => ({ start, names: expandGlob(glob, start, { disk: line.folders.disk }) }));
  if (found === undefined || found.some(({ names }) => names === undefined)) return unexpandedFiles(access, line);
  const mayBeUntouched = found.length > 1;
  // The value of an option that matches nothing was already read.
  const literal = glob.startsWith('-') ? glob.replaceAll(/\\(.)/gsu, '$1') : undefined;
  return found.flatMap(({ start, names = [] }) => {
    const option = names.find((name) => name.startsWith('-') && name !== literal);
    const why = `${quote(option ?? '')}, which ${text} expands to, may be an option`;
    return names.flatMap((name) =>
      filesOf(accessOfName(access, start, name), line).map((file) => ({
        ...file,
        mayBeUntouched,
        locations: option === undefined ? file.locations : [unknownLocation('', why)],
      })),
    );
  });
}

/** The folders in which a pattern is expanded; undefined if unknown. */
function globStarts(
  { glob = '', from, enteredBy }: FileAccess,
  folders: WorkingFolders,
): readonly string[] | undefined {
  const { start } = folders;
  if (glob.startsWith('/') || isAtStart(from)) return start === undefined ? undefined : [start];
  const found = from === undefined ? [] : folders.find(from, enteredBy).map(({ path }) => path);
  return found.length === 0 || found.includes(undefined) ? undefined : (found as string[]);
}

/** The access for one name that a pattern expands to. */
function accessOfName(access: FileAccess, start: string, name: string): FileAccess {
  if (name.startsWith('/')) return { ...access, path: name };
  return isAtStart(access.from)
    ? { ...access, path: name.replace(/^~/, './~') }
    : { ...access, path: posix.join(start, name), from: undefined };
}

/** Returns the pattern itself, plus the files that match now, as uncertain files. */
function unexpandedFiles(access: FileAccess, line: LineContext): readonly TouchedFile[] {
  const { glob, mode } = access;
  const unexpanded = filesOf(access, line);
  if (glob === undefined || mode === 'write') return unexpanded;
  const fits = globStarts(access, line.folders)?.flatMap((start) =>
    (expandGlob(glob, start, { disk: line.folders.disk }) ?? []).flatMap((name) =>
      filesOf(accessOfName(access, start, name), line),
    ),
  );
  return [...unexpanded, ...(fits ?? []).map(asUncertain)];
}

function asUncertain(file: TouchedFile): TouchedFile {
  return { ...file, sure: false };
}

function filesOf(access: FileAccess, line: LineContext): readonly TouchedFile[] {
  const isIgnoring = access.reach === 'visible' || access.reach === 'unignored';
  const file = fileOfAccess(isIgnoring && line.changesIgnored() ? { ...access, reach: 'tree' } : access, line.folders);
  if (access.unnamed === 'repository' && file.sure)
    return isOtherRepository(file.locations, line.folders.start) ? [{ ...file, locations: [], sure: false }] : [];
  if (!isDestination(access.reach) || file.locations.length === 0) return [file];
  return destinationFiles(access, { ...line, base: file, look: (source) => sourceFiles(source, line) });
}

/** The files of a list, unless something else in the line may add to it. */
function stableListFiles(list: FileAccess, line: LineContext): readonly TouchedFile[] {
  const found = listedFiles(list, line.lookup(), (each) => filesOf(each, line));
  const others = line.accesses.filter((other) => other !== list && other.mode !== 'read');
  const made = others.map((access) => {
    const file = fileOfAccess(access, line.folders);
    return { access, files: [isDestination(access.reach) ? { ...file, reach: undefined } : file] };
  });
  return markGrowingLists([found, ...made], line.folders.disk)[0]?.files ?? [];
}

/** A pattern means the files that match now, unless the line may add one. */
function sourceFiles(source: FileAccess, line: LineContext): readonly TouchedFile[] {
  if (source.diskName !== undefined) return stableListFiles(source, line);
  return isStableGlob(source, line) ? expandedFiles(source, line) : unexpandedFiles(source, line);
}

/** What the line creates may be a link when it is used again. What a program creates by default is not visible. */
function withUncertainLinks(files: readonly TouchedFile[], disk: DiskCache): readonly TouchedFile[] {
  if (!files.some(mayMakeLink)) return files;
  const known = markMadeLinks(files, () => true).map(({ copies }, index): TouchedFile => {
    const file = files[index] as TouchedFile;
    // A plain file stays a plain file when it is moved or copied.
    return copies?.every(isPlainCopy) === true ? { ...file, reach: 'itself', copies: undefined } : { ...file, copies };
  });
  return markMadeLinks(known, (maker) => maker.copies === undefined || copiesContainLink(maker.copies, disk));
}

/** True if the line may create a link there. What git writes may contain links. */
function mayMakeLink({ mode, reach, origin, unnamed, isLink }: TouchedFile): boolean {
  const isUnbounded = reach === undefined || isLink === true || (reach === 'picked' && unnamed !== undefined);
  return mode === 'write' && isUnbounded && origin === 'line';
}

/** `makesLink`: false for a file that creates no link and only changes what is below a folder. */
function markMadeLinks(
  files: readonly TouchedFile[],
  makesLink: (maker: TouchedFile) => boolean,
): readonly TouchedFile[] {
  const made = new Map<string, TouchedFile[]>();
  for (const maker of files.filter(mayMakeLink)) {
    for (const { checked } of maker.locations)
      if (checked !== undefined) getOrCreate(made, checked.path, () => []).push(maker);
  }
  const settled = (location: PathLocation, counts: (maker: TouchedFile) => boolean): PathLocation =>
    linkMakersOf(location, made).some(counts)
      ? unknownLocation(location.text, `${quote(location.text)} may be a link that the same line creates`)
      : location;
  return files.map((file) => {
    const isOther = (maker: TouchedFile): boolean => maker !== file || file.repeated === true;
    const leads = (maker: TouchedFile): boolean => isOther(maker) && (file.reach !== 'itself' || makesLink(maker));
    return {
      ...file,
      copies: file.copies?.map((location) => settled(location, isOther)),
      locations: file.locations.map((location) => settled(location, leads)),
    };
  });
}

/** The files that create this location or a folder above it. A folder that git writes into stays a folder. */
function linkMakersOf(
  location: PathLocation,
  made: ReadonlyMap<string, readonly TouchedFile[]>,
): readonly TouchedFile[] {
  const names = location.checked?.path.split('/') ?? [];
  return names.flatMap((_, index) => {
    const makers = made.get(names.slice(0, index + 1).join('/') || '/') ?? [];
    const isFolderItself = index === names.length - 1 && isFolder(location);
    return isFolderItself ? makers.filter(({ reach }) => reach !== 'picked') : makers;
  });
}
