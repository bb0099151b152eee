/** Follows `cd` and the like, and programs that are sent to another folder (X08). */

import type { FoundCommand } from './found-command.ts';
import type { LineState } from './line-state.ts';
import type { ReadArguments } from './program.ts';
import type { ShellWord } from './shell-word.ts';
import { fromHome, logically, physically, textOf, Whereabouts, type ShellFolder, type Spot } from './whereabouts.ts';

/** They run a builtin of the shell in the shell itself; everything else starts a process, which moves nobody else. */
const sameShell: ReadonlySet<string> = new Set(['command', 'builtin']);

/** After `cd`, `pushd`, `popd` and `source`. */
export function move(state: LineState, command: FoundCommand, read: ReadArguments): void {
  const { called = '', via } = command;
  if (called.includes('/') || !via.every((name) => sameShell.has(name))) return;
  const why = lostAfter(command);
  const names = [called, ...via];
  const isOther = names.some((name) => state.defined?.has(name) === true);
  const change = isOther || state.adrift !== undefined ? undefined : changeOf(state, command, read);
  if (change === undefined) return state.lose(state.adrift ?? why);
  const from = state.at;
  const ok = moved(from, change.leads, { why, entered: command.since });
  // What prints may fail when it has moved.
  state.go(ok, change.prints ? from.or(ok) : from);
}

/** The reason if nobody knows where a command leads. */
export function lostAfter({ argv }: FoundCommand): string {
  return `the folder after \`${argv.map(({ text }) => text).join(' ')}\` is not known`;
}

/** The states of the shell after it; undefined: not known. */
type Leads = (spot: Spot) => readonly Spot[] | undefined;

interface Change {
  readonly leads: Leads;
  readonly prints: boolean;
}

/** From a folder that is not known, only an absolute path leads to one that is. */
const unknownSpot: Spot = { folder: { base: '', names: [], closed: true }, previous: undefined, stack: undefined };

function moved(from: Whereabouts, leads: Leads, { why, entered }: Pick<Whereabouts, 'why' | 'entered'>): Whereabouts {
  if (from.spots === undefined) {
    const found = leads(unknownSpot);
    if (found?.every(isRooted) !== true) return Whereabouts.unknown(why);
    const spots = found.map(({ folder }) => ({ folder, previous: undefined, stack: undefined }));
    return Whereabouts.of(spots, entered);
  }
  const spots = from.spots.map(leads);
  if (spots.includes(undefined)) return Whereabouts.unknown(why);
  const known = spots.flatMap((each) => each ?? []);
  return Whereabouts.of(known, Math.max(entered, from.entered));
}

function isRooted({ folder: { base } }: Spot): boolean {
  return base.startsWith('/') || base.startsWith('~');
}

function changeOf(state: LineState, { called, more }: FoundCommand, read: ReadArguments): Change | undefined {
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
      return options.length > 0 || word !== undefined ? undefined : { leads: popped, prints: true };
    default:
      return undefined;
  }
}

function changeByCd(state: LineState, word: ShellWord | undefined, options: readonly string[]): Change | undefined {
  if (!options.every((option) => /^-[LPe]$/.test(option))) return undefined;
  if (word?.type === 'literal' && word.value === '-') return { leads: backward, prints: true };
  const isPhysical = options.includes('-P');
  if (isPhysical && options.includes('-L')) return undefined;
  const target = targetOf(state, word, isPhysical);
  return target && { leads: (spot) => target(spot.folder)?.map((folder) => gone(spot, folder)), prints: false };
}

function changeByPushd(state: LineState, word: ShellWord | undefined): Change | undefined {
  if (word === undefined) return { leads: swapped, prints: true };
  if (word.type === 'literal' && /^[-+]/.test(word.value)) return undefined;
  const target = targetOf(state, word, false);
  const leads: Leads = (spot) =>
    target?.(spot.folder)?.map((folder) => ({
      ...gone(spot, folder),
      stack: spot.stack && [spot.folder, ...spot.stack],
    }));
  return { leads, prints: true };
}

function gone({ folder: previous, stack }: Spot, folder: ShellFolder): Spot {
  return { folder, previous, stack };
}

const backward: Leads = (spot) => spot.previous && [gone(spot, spot.previous)];

/** Without a second folder it fails. */
const swapped: Leads = (spot) => {
  if (spot.stack === undefined) return undefined;
  const [top, ...rest] = spot.stack;
  return top === undefined ? [] : [{ ...gone(spot, top), stack: [spot.folder, ...rest] }];
};

const popped: Leads = (spot) => {
  if (spot.stack === undefined) return undefined;
  const [top, ...rest] = spot.stack;
  return top === undefined ? [] : [{ ...gone(spot, top), stack: rest }];
};

type Target = (from: ShellFolder) => readonly ShellFolder[] | undefined;

/** Where a word leads, the home folder if there is none; undefined: not known. */
function targetOf(state: LineState, word: ShellWord | undefined, isPhysical: boolean): Target | undefined {
  const home = word === undefined ? '~' : word.type === 'open' ? word.home : undefined;
  if (home !== undefined) {
    if (state.homeSet || isPhysical) return undefined;
    return () => fromHome(home);
  }
  if (word?.type !== 'literal' || word.value === '') return undefined;
  const { value } = word;
  return (from) => (isPhysical ? [{ ...physically(from, value), closed: from.closed }] : logically(from, value));
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
export function workingAt(at: Whereabouts, { name = '', since }: FoundCommand, { parts }: ReadArguments): Whereabouts {
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
      const inner = workIn(exact?.last === true ? at : folders, word, since);
      folders = isExact && (sent === 1 || !exact.last) ? inner : folders.or(inner);
    } else if (part.type === 'option' && isChoosing(name, part.name))
      return Whereabouts.unknown(`${name} ${part.name} chooses the folder`);
  }
  return folders;
}

function isChoosing(name: string, option: string): boolean {
  return (name === 'find' || name === 'su' || name === 'sudo') && choosingOptions.get(name)?.test(option) === true;
}

function workIn(at: Whereabouts, word: ShellWord, entered: number): Whereabouts {
  const path = word.type === 'literal' ? word.value : word.home;
  if (path === undefined || path === '') return Whereabouts.unknown(`the folder ${word.text} is not known`);
  const isHome = word.type === 'open';
  const leads: Leads = ({ folder }) => {
    const base = isHome ? path : physically(folder, path).base;
    return [{ folder: { base, names: [], closed: true }, previous: undefined, stack: undefined }];
  };
  return moved(at, leads, { why: at.why, entered });
}

/** A shell that is started may know its folder by the name that the kernel gives it. */
export function inNewShell(at: Whereabouts): Whereabouts {
  const { spots } = at;
  if (spots === undefined || spots.every(({ folder }) => folder.names.length === 0)) return at;
  const renamed = spots.map((spot) => ({
    ...spot,
    folder: { base: textOf(spot.folder), names: [], closed: spot.folder.closed },
  }));
  return Whereabouts.of([...spots, ...renamed], at.entered);
}
