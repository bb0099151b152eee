/** Tracks `cd`, `pushd` and `popd`, and programs with a working folder option (X08). */

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

/**
 * Prefixes that run a builtin in the current shell. Everything else starts a process, which cannot change the folder of
 * the shell.
 */
const inProcessPrefixes: ReadonlySet<string> = new Set(['command', 'builtin']);

/** Applies `cd`, `pushd`, `popd` or `source`. */
export function changeFolder(state: LineState, command: LineCommand, parsed: ParsedArguments): void {
  const { firstWord = '', via } = command;
  if (firstWord.includes('/') || !via.every((name) => inProcessPrefixes.has(name))) return;
  const why = unknownFolderReason(command);
  const names = [firstWord, ...via];
  const isOther = names.some((name) => state.definedFunctions?.has(name) === true);
  const change = isOther || state.folderLost !== undefined ? undefined : changeOf(state, command, parsed);
  if (change === undefined) return state.loseFolder(state.folderLost ?? why);
  const from = state.location;
  const ok = nextLocation(from, change.nextStates, { why, entered: command.order });
  // A command that prints may fail after it has changed the folder.
  state.changeLocation(ok, change.prints ? from.or(ok) : from);
}

/** The reason if the folder after a command is not known. */
export function unknownFolderReason({ argv }: LineCommand): string {
  return `the folder after \`${argv.map(({ text }) => text).join(' ')}\` is not known`;
}

/** The states of the shell afterwards. Undefined: not known. */
type NextStates = (current: LocationState) => readonly LocationState[] | undefined;

interface FolderChange {
  readonly nextStates: NextStates;
  readonly prints: boolean;
}

/** From an unknown folder, only an absolute path leads to a known one. */
const unknownState: LocationState = {
  folder: { base: '', names: [], closed: true },
  previous: undefined,
  stack: undefined,
};

function nextLocation(
  from: ShellLocation,
  nextStates: NextStates,
  { why, entered }: Pick<ShellLocation, 'why' | 'entered'>,
): ShellLocation {
  if (from.states === undefined) {
    const found = nextStates(unknownState);
    if (found?.every(isRooted) !== true) return ShellLocation.unknown(why);
    const states = found.map(({ folder }) => ({ folder, previous: undefined, stack: undefined }));
    return ShellLocation.of(states, entered);
  }
  const states = from.states.map(nextStates);
  if (states.includes(undefined)) return ShellLocation.unknown(why);
  const known = states.flatMap((each) => each ?? []);
  return ShellLocation.of(known, Math.max(entered, from.entered));
}

function isRooted({ folder: { base } }: LocationState): boolean {
  return base.startsWith('/') || base.startsWith('~');
}

function changeOf(
  state: LineState,
  { firstWord, more }: LineCommand,
  parsed: ParsedArguments,
): FolderChange | undefined {
  if (more || parsed.unsure !== undefined || parsed.unsureFiles !== undefined) return undefined;
  const words = parsed.parts.flatMap((part) => (part.type === 'operand' ? [part.word] : []));
  const options = parsed.parts.flatMap((part) => (part.type === 'option' ? [part.name] : []));
  const [word] = words;
  if (words.length > 1 || (word === undefined && words.length > 0)) return undefined;
  switch (firstWord) {
    case 'cd':
      return changeByCd(state, word, options);
    case 'pushd':
      return options.length > 0 ? undefined : changeByPushd(state, word);
    case 'popd':
      return options.length > 0 || word !== undefined ? undefined : { nextStates: popStack, prints: true };
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
  if (word?.type === 'literal' && word.value === '-') return { nextStates: toPrevious, prints: true };
  const isPhysical = options.includes('-P');
  if (isPhysical && options.includes('-L')) return undefined;
  const target = targetOf(state, word, isPhysical);
  return (
    target && {
      nextStates: (current) => target(current.folder)?.map((folder) => enterFolder(current, folder)),
      prints: false,
    }
  );
}

function changeByPushd(state: LineState, word: ShellWord | undefined): FolderChange | undefined {
  if (word === undefined) return { nextStates: swapStack, prints: true };
  if (word.type === 'literal' && /^[-+]/.test(word.value)) return undefined;
  const target = targetOf(state, word, false);
  const nextStates: NextStates = (current) =>
    target?.(current.folder)?.map((folder) => ({
      ...enterFolder(current, folder),
      stack: current.stack && [current.folder, ...current.stack],
    }));
  return { nextStates, prints: true };
}

function enterFolder({ folder: previous, stack }: LocationState, folder: ShellFolder): LocationState {
  return { folder, previous, stack };
}

const toPrevious: NextStates = (current) => current.previous && [enterFolder(current, current.previous)];

/** Fails without a second folder on the stack. */
const swapStack: NextStates = (current) => {
  if (current.stack === undefined) return undefined;
  const [top, ...rest] = current.stack;
  return top === undefined ? [] : [{ ...enterFolder(current, top), stack: [current.folder, ...rest] }];
};

const popStack: NextStates = (current) => {
  if (current.stack === undefined) return undefined;
  const [top, ...rest] = current.stack;
  return top === undefined ? [] : [{ ...enterFolder(current, top), stack: rest }];
};

type FolderTarget = (from: ShellFolder) => readonly ShellFolder[] | undefined;

/** The folder that a word names; the home folder if there is none. Undefined: not known. */
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

/** Options that set the only working folder of a program. `last`: only the last one counts. */
const exactOptions = new Map([
  ['env', { option: /^(?:-C|--chdir)$/, last: true }],
  ['genv', { option: /^(?:-C|--chdir)$/, last: true }],
  ['git', { option: /^-C$/, last: false }],
  ['gmake', { option: /^(?:-C|--directory)$/, last: false }],
  ['make', { option: /^(?:-C|--directory)$/, last: false }],
]);

/** Options that make a program start others in folders it chooses. */
const choosingOptions = new Map([
  ['find', /^-(?:exec|ok)dir$/],
  ['su', /^(?:-|-l|--login)$/],
  ['sudo', /^(?:-i|--login)$/],
]);

/**
 * The location in which the paths of a program start. For most programs, some paths may also start in the original
 * folder.
 */
export function workingLocation(
  location: ShellLocation,
  { name = '', order }: LineCommand,
  { parts }: ParsedArguments,
): ShellLocation {
  let folders = location;
  let sent = 0;
  for (const part of parts) {
    if (part.type !== 'option' && part.type !== 'operand') continue;
    if (part.role === 'folder') {
      const word = part.type === 'option' ? part.value : part.word;
      if (word === undefined) continue;
      const exact = part.type === 'option' ? exactOptions.get(name) : undefined;
      const isExact = part.type === 'option' && exact?.option.test(part.name) === true;
      sent += 1;
      const inner = locationInFolder(exact?.last === true ? location : folders, word, order);
      folders = isExact && (sent === 1 || !exact.last) ? inner : folders.or(inner);
    } else if (part.type === 'option' && choosesFolder(name, part.name))
      return ShellLocation.unknown(`${name} ${part.name} chooses the working folder`);
  }
  return folders;
}

function choosesFolder(name: string, option: string): boolean {
  return (name === 'find' || name === 'su' || name === 'sudo') && choosingOptions.get(name)?.test(option) === true;
}

function locationInFolder(location: ShellLocation, word: ShellWord, entered: number): ShellLocation {
  const path = word.type === 'literal' ? word.value : word.home;
  if (path === undefined || path === '') return ShellLocation.unknown(`the folder ${word.text} is not known`);
  const isHome = word.type === 'open';
  const nextStates: NextStates = ({ folder }) => {
    const base = isHome ? path : physicalFolder(folder, path).base;
    return [{ folder: { base, names: [], closed: true }, previous: undefined, stack: undefined }];
  };
  return nextLocation(location, nextStates, { why: location.why, entered });
}

/** A new shell may know its folder by the name the kernel reports. */
export function locationInNewShell(location: ShellLocation): ShellLocation {
  const { states } = location;
  if (states === undefined || states.every(({ folder }) => folder.names.length === 0)) return location;
  const renamed = states.map((current) => ({
    ...current,
    folder: { base: folderText(current.folder), names: [], closed: current.folder.closed },
  }));
  return ShellLocation.of([...states, ...renamed], location.entered);
}
