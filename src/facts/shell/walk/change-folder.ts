/** Follows `cd` and the like, and programs that are sent to another folder (X08). */

import type { LineCommand } from '../commands/line-command.ts';
import type { LineState } from './line-state.ts';
import type { ParsedArguments } from '../usage/program.ts';
import type { ShellWord } from '../words/shell-word.ts';
import {
  homeFolders,
  logicalFolders,
  physicalFolder,
  folderText,
  ShellLocation,
  type ShellFolder,
  type LocationState,
} from '../commands/shell-location.ts';

/** They run a builtin of the shell in the shell itself; everything else starts a process, which moves nobody else. */
const inProcessPrefixes: ReadonlySet<string> = new Set(['command', 'builtin']);

/** After `cd`, `pushd`, `popd` and `source`. */
export function changeFolder(state: LineState, command: LineCommand, read: ParsedArguments): void {
  const { firstWord: called = '', via } = command;
  if (called.includes('/') || !via.every((name) => inProcessPrefixes.has(name))) return;
  const why = unknownFolderReason(command);
  const names = [called, ...via];
  const isOther = names.some((name) => state.definedFunctions?.has(name) === true);
  const change = isOther || state.folderLost !== undefined ? undefined : changeOf(state, command, read);
  if (change === undefined) return state.loseFolder(state.folderLost ?? why);
  const from = state.location;
  const ok = nextLocation(from, change.leads, { why, entered: command.order });
  // What prints may fail when it has moved.
  state.changeLocation(ok, change.prints ? from.or(ok) : from);
}

/** The reason if nobody knows where a command leads. */
export function unknownFolderReason({ argv }: LineCommand): string {
  return `the folder after \`${argv.map(({ text }) => text).join(' ')}\` is not known`;
}

/** The states of the shell after it; undefined: not known. */
type NextStates = (spot: LocationState) => readonly LocationState[] | undefined;

interface FolderChange {
  readonly leads: NextStates;
  readonly prints: boolean;
}

/** From a folder that is not known, only an absolute path leads to one that is. */
const unknownState: LocationState = {
  folder: { base: '', names: [], closed: true },
  previous: undefined,
  stack: undefined,
};

function nextLocation(
  from: ShellLocation,
  leads: NextStates,
  { why, entered }: Pick<ShellLocation, 'why' | 'entered'>,
): ShellLocation {
  if (from.states === undefined) {
    const found = leads(unknownState);
    if (found?.every(isRooted) !== true) return ShellLocation.unknown(why);
    const spots = found.map(({ folder }) => ({ folder, previous: undefined, stack: undefined }));
    return ShellLocation.of(spots, entered);
  }
  const spots = from.states.map(leads);
  if (spots.includes(undefined)) return ShellLocation.unknown(why);
  const known = spots.flatMap((each) => each ?? []);
  return ShellLocation.of(known, Math.max(entered, from.entered));
}

function isRooted({ folder: { base } }: LocationState): boolean {
  return base.startsWith('/') || base.startsWith('~');
}

function changeOf(
  state: LineState,
  { firstWord: called, more }: LineCommand,
  read: ParsedArguments,
): FolderChange | undefined {
  if (more || read.unsure !== undefined || read.unsureFiles !== undefined) return undefined;
  const words = read.parts.flatMap((part) => (part.type === 'operand' ? [part.word] : []));
  const options = read.parts.flatMap((part) => (part.type === 'option' ? [part.name] : []));
  const [word] = words;
  if (words.length > 1 || (word === undefined && words.length > 0)) return undefined;
  switch (called) {
    case 'cd':
      return changeByCd(state, word, options);
    case 'pushd':
      return options.length > 0 ? undefined : changeByPushd(state, word);
    case 'popd':
      return options.length > 0 || word !== undefined ? undefined : { leads: popStack, prints: true };
    default:
      return undefined;
  }
}

function changeByCd(
  state: LineState,
  word: ShellWord | undefined,
  options: readonly string[],
): FolderChange | undefined {
  if (!options.every((option) => /^-[LPe]$/.test(option))) return undefined;
  if (word?.type === 'literal' && word.value === '-') return { leads: toPrevious, prints: true };
  const isPhysical = options.includes('-P');
  if (isPhysical && options.includes('-L')) return undefined;
  const target = targetOf(state, word, isPhysical);
  return target && { leads: (spot) => target(spot.folder)?.map((folder) => enterFolder(spot, folder)), prints: false };
}

function changeByPushd(state: LineState, word: ShellWord | undefined): FolderChange | undefined {
  if (word === undefined) return { leads: swapStack, prints: true };
  if (word.type === 'literal' && /^[-+]/.test(word.value)) return undefined;
  const target = targetOf(state, word, false);
  const leads: NextStates = (spot) =>
    target?.(spot.folder)?.map((folder) => ({
      ...enterFolder(spot, folder),
      stack: spot.stack && [spot.folder, ...spot.stack],
    }));
  return { leads, prints: true };
}

function enterFolder({ folder: previous, stack }: LocationState, folder: ShellFolder): LocationState {
  return { folder, previous, stack };
}

const toPrevious: NextStates = (spot) => spot.previous && [enterFolder(spot, spot.previous)];

/** Without a second folder it fails. */
const swapStack: NextStates = (spot) => {
  if (spot.stack === undefined) return undefined;
  const [top, ...rest] = spot.stack;
  return top === undefined ? [] : [{ ...enterFolder(spot, top), stack: [spot.folder, ...rest] }];
};

const popStack: NextStates = (spot) => {
  if (spot.stack === undefined) return undefined;
  const [top, ...rest] = spot.stack;
  return top === undefined ? [] : [{ ...enterFolder(spot, top), stack: rest }];
};

type FolderTarget = (from: ShellFolder) => readonly ShellFolder[] | undefined;

/** Where a word leads, the home folder if there is none; undefined: not known. */
function targetOf(state: LineState, word: ShellWord | undefined, isPhysical: boolean): FolderTarget | undefined {
  const home = word === undefined ? '~' : word.type === 'open' ? word.home : undefined;
  if (home !== undefined) {
    if (state.homeChanged || isPhysical) return undefined;
    return () => homeFolders(home);
  }
  if (word?.type !== 'literal' || word.value === '') return undefined;
  const { value } = word;
  return (from) =>
    isPhysical ? [{ ...physicalFolder(from, value), closed: from.closed }] : logicalFolders(from, value);
}

/** Options by which a program works in one folder, and nowhere else. `last`: only the last one counts. */
const exactOptions = new Map([
  ['env', { option: /^(?:-C|--chdir)$/, last: true }],
  ['genv', { option: /^(?:-C|--chdir)$/, last: true }],
  ['git', { option: /^-C$/, last: false }],
  ['gmake', { option: /^(?:-C|--directory)$/, last: false }],
  ['make', { option: /^(?:-C|--directory)$/, last: false }],
]);

/** Options by which a program starts others in folders of its own choice. */
const choosingOptions = new Map([
  ['find', /^-(?:exec|ok)dir$/],
  ['su', /^(?:-|-l|--login)$/],
  ['sudo', /^(?:-i|--login)$/],
]);

/** Where the paths of a program start that is sent to a folder; for most programs, some may also start where it was. */
export function workingLocation(
  at: ShellLocation,
  { name = '', order: since }: LineCommand,
  { parts }: ParsedArguments,
): ShellLocation {
  let folders = at;
  let sent = 0;
  for (const part of parts) {
    if (part.type !== 'option' && part.type !== 'operand') continue;
    if (part.role === 'folder') {
      const word = part.type === 'option' ? part.value : part.word;
      if (word === undefined) continue;
      const exact = part.type === 'option' ? exactOptions.get(name) : undefined;
      const isExact = part.type === 'option' && exact?.option.test(part.name) === true;
      sent += 1;
      const inner = locationInFolder(exact?.last === true ? at : folders, word, since);
      folders = isExact && (sent === 1 || !exact.last) ? inner : folders.or(inner);
    } else if (part.type === 'option' && choosesFolder(name, part.name))
      return ShellLocation.unknown(`${name} ${part.name} chooses the folder`);
  }
  return folders;
}

function choosesFolder(name: string, option: string): boolean {
  return (name === 'find' || name === 'su' || name === 'sudo') && choosingOptions.get(name)?.test(option) === true;
}

function locationInFolder(at: ShellLocation, word: ShellWord, entered: number): ShellLocation {
  const path = word.type === 'literal' ? word.value : word.home;
  if (path === undefined || path === '') return ShellLocation.unknown(`the folder ${word.text} is not known`);
  const isHome = word.type === 'open';
  const leads: NextStates = ({ folder }) => {
    const base = isHome ? path : physicalFolder(folder, path).base;
    return [{ folder: { base, names: [], closed: true }, previous: undefined, stack: undefined }];
  };
  return nextLocation(at, leads, { why: at.why, entered });
}

/** A shell that is started may know its folder by the name that the kernel gives it. */
export function locationInNewShell(at: ShellLocation): ShellLocation {
  const { states: spots } = at;
  if (spots === undefined || spots.every(({ folder }) => folder.names.length === 0)) return at;
  const renamed = spots.map((spot) => ({
    ...spot,
    folder: { base: folderText(spot.folder), names: [], closed: spot.folder.closed },
  }));
  return ShellLocation.of([...spots, ...renamed], at.entered);
}
