/** The files that a command line names, each with every place it may lead to. */

import { posix } from 'node:path';
import { analyseCommand } from '../shell/analyse-command.ts';
import type { CommandAnalysis, FileAccess } from '../shell/command-analysis.ts';
import { quote } from './quote.ts';
import { isFolder, isPlainFile, touchedPlace, untold, type TouchedPlace } from './touched-place.ts';

export interface TouchedFile {
  readonly mode: FileAccess['mode'];
  /** For messages: the argument, or the word of the command line. */
  readonly shown: string;
  /** As of {@link FileAccess}; where files are made in a folder, they are named. */
  readonly reach: 'itself' | 'tree' | undefined;
  readonly origin: 'argument' | 'line' | 'implied';
  /** The names of what comes to stand there, where it may be a folder or a link. */
  readonly moved?: readonly string[] | undefined;
  /** Every place it may lead to; none if nothing is known of it but what it `ends` with. */
  readonly places: readonly TouchedPlace[];
  readonly ends: string | undefined;
  /** False after a `cd`, say: then it is one of `places`, or none of them. */
  readonly sure: boolean;
}

export interface TouchedFiles {
  readonly files: readonly TouchedFile[];
  /** Why there may be more. */
  readonly unknown: string | undefined;
  /** True: whatever more there may be is only read. */
  readonly missingIsRead: boolean;
  /** Code and words that may touch what they name. */
  readonly said: readonly string[];
}

export function unknownFiles(unknown: string): TouchedFiles {
  return { files: [], unknown, missingIsRead: false, said: [] };
}

/** Every path costs system calls that block. */
export const mostFiles = 1000;
export const tooMany = unknownFiles(`it names more than ${mostFiles} files`);

/** `folder` is where the line starts; undefined where nobody knows. */
export function filesOfLine(line: string, folder: string | undefined): TouchedFiles {
  return filesOfAnalysis(analyseCommand(line), folder);
}

/** {@link filesOfLine}, of a line that was read already. */
export function filesOfAnalysis(analysis: FilesAnalysis, folder: string | undefined): TouchedFiles {
  if (analysis.files.length > mostFiles) return tooMany;
  const named = withoutDevices(analysis.files).flatMap((access) => filesOf(access, folder));
  return {
    files: withoutNewLinks(named),
    unknown: analysis.unknown ?? analysis.filesUnknown,
    missingIsRead: analysis.unknown === undefined && analysis.missingIsRead === true,
    said: [...analysis.foreign, ...wordsOfWriters(analysis)],
  };
}

type FilesAnalysis = Pick<
  CommandAnalysis,
  'commands' | 'files' | 'unknown' | 'filesUnknown' | 'missingIsRead' | 'foreign'
>;

/** A command that writes in its folder by itself may make what any of its words names: the last part of a URL, say. */
function wordsOfWriters({ commands, files }: FilesAnalysis): readonly string[] {
  if (!files.some(({ implied, mode }) => implied === true && mode !== 'read')) return [];
  return commands.flatMap(({ argv }) => argv.map((word) => (word.type === 'literal' ? word.value : word.text)));
}

/** What no file stands behind. Behind an open descriptor stands a file only if the line opens one for something else. */
function withoutDevices(files: readonly FileAccess[]): readonly FileAccess[] {
  const named = files.filter(({ path }) => !/^\/dev\/(?:null|zero|full|tty|u?random)$/.test(path ?? ''));
  const rest = named.filter(({ mode, path }) => mode !== 'write' || !/^\/dev\/std(?:out|err)$/.test(path ?? ''));
  return rest.every(({ mode }) => mode === 'write') ? rest : named;
}

function filesOf(access: FileAccess, folder: string | undefined): readonly TouchedFile[] {
  const { mode, path, text, from, reach, names = [], ends, implied = false } = access;
  const isDestination = reach === 'into' || reach === 'onto';
  const made = isDestination ? (reach === 'into' ? 'itself' : undefined) : reach;
  const moved = reach === 'onto' && names.length > 0 ? names : undefined;
  const base = { mode, shown: quote(text), reach: made, moved, ends, origin: implied ? 'implied' : 'line' } as const;
  if (path === undefined) return implied ? [] : [{ ...base, places: [], sure: false }];
  const isRooted = path.startsWith('/') || path.startsWith('~');
  const starts = isRooted ? [''] : from;
  if (starts === undefined) return [{ ...base, places: [], ends: `/${path}`, sure: false }];
  const places = starts.map((start) => touchedPlace(start === '' ? path : `${start}/${path}`, folder, true));
  const sure = isRooted || (starts.length === 1 && starts[0] === '');
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
  const isPlain = ({ sure, reach, places }: TouchedFile): boolean =>
    sure && reach === 'tree' && places.every((place) => place.checked?.path === place.text && isPlainFile(place));
  return new Set(files.filter(isPlain).flatMap(({ places }) => places.map(({ text }) => posix.basename(text))));
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
