/** A pattern for paths, put where it starts: at the root, at home, or in the folder of a call. */

import { lstatSync } from 'node:fs';
import { homedir } from 'node:os';
import { posix } from 'node:path';
import type { CheckedPath } from '../call.ts';
import { identityOf, isSameFile } from './file-identity.ts';
import { matchParts, type GlobBranch, type GlobMatch, type GlobPart } from './glob.ts';
import { followLinks } from './follow-links.ts';
import { fold } from './name-pattern.ts';
import { probe } from './refusal.ts';
import { resolvePath } from './resolve-path.ts';

export interface RootedMatch {
  /** `perhaps`: under another name that the file or the pattern goes by. */
  readonly fits: boolean | 'perhaps';
  /** True if something below the path could fit. */
  readonly below: boolean;
  /** As of {@link GlobMatch}. */
  readonly near: boolean;
}

/** A path, with every link followed, and as it was before. */
export interface NamedPath {
  readonly path: string;
  readonly text: string;
  /** True if the file system takes upper and lower case for the same there. */
  readonly ignoresCase: () => boolean;
}

export interface RootedGlob {
  match(named: NamedPath): RootedMatch;
}

/** A pattern from one place on. */
interface Rooted {
  /** The names of the folder it starts from. */
  readonly base: readonly string[];
  readonly parts: readonly GlobPart[];
}

interface Forms {
  /** What the pattern says. */
  readonly meant: readonly Rooted[];
  /** What it could say as well, since links lead there now. */
  readonly possible: readonly Rooted[];
}

/** Folders that a pattern names from the root on are resolved once, here: a link put there later moves nothing. */
export function rootGlob(branches: readonly GlobBranch[]): (cwd: string | undefined) => RootedGlob {
  const home = probe(() => homedir());
  const fixed = branches
    .filter(({ start }) => start !== 'folder')
    .map((branch) =>
      formsOf(branch, branch.start === 'root' ? '/' : home.type === 'found' ? home.value : undefined, true),
    );
  const relative = branches.filter(({ start }) => start === 'folder');
  const whole = relative.length === 0 ? new Matcher(fixed) : undefined;
  let latest: { readonly cwd: string | undefined; readonly glob: RootedGlob } | undefined;
  return (cwd) => {
    if (whole !== undefined) return whole;
    if (latest !== undefined && latest.cwd === cwd) return latest.glob;
    const glob = new Matcher([...fixed, ...relative.map((branch) => formsOf(branch, cwd, false))]);
    // Kept while the same code runs, no longer: links change.
    if (latest === undefined) queueMicrotask(() => (latest = undefined));
    latest = { cwd, glob };
    return glob;
  };
}

/** Without a folder to start from, anything may be meant. */
function formsOf({ up, parts }: GlobBranch, start: string | undefined, isFixed: boolean): Forms | undefined {
  const from = start === undefined ? undefined : startOf(start);
  if (from === undefined) return undefined;
  const folder = from.slice(0, Math.max(0, from.length - up));
  const open = parts.findIndex((part) => part === '**' || part.literal === undefined);
  const fixed = parts.slice(0, open === -1 ? parts.length : open);
  const led = followLinks(
    folder,
    fixed.map((part) => (part === '**' ? '' : (part.literal ?? ''))),
  );
  const meant = { base: folder, parts };
  // A pattern that names no folder is the same from wherever it starts.
  const resolved = led === undefined || fixed.length === 0 ? [] : [{ base: led, parts: parts.slice(fixed.length) }];
  return isFixed ? { meant: [meant, ...resolved], possible: [] } : { meant: [meant], possible: resolved };
}

let latestStart: { readonly text: string; readonly names: readonly string[] | undefined } | undefined;

/** The folder of a call is the same for every pattern. */
function startOf(text: string): readonly string[] | undefined {
  if (latestStart?.text === text) return latestStart.names;
  const resolution = resolvePath(text);
  const names = resolution.type === 'resolved' ? namesOf(resolution.checked.path) : undefined;
  if (latestStart === undefined) queueMicrotask(() => (latestStart = undefined));
  latestStart = { text, names };
  return names;
}

class Matcher implements RootedGlob {
  private readonly isOpen: boolean;
  private readonly meant: readonly Rooted[];
  private readonly possible: readonly Rooted[];

  constructor(forms: readonly (Forms | undefined)[]) {
    this.isOpen = forms.includes(undefined);
    this.meant = forms.flatMap((each) => each?.meant ?? []);
    this.possible = forms.flatMap((each) => each?.possible ?? []);
  }

  match({ path, text, ignoresCase }: NamedPath): RootedMatch {
    if (this.isOpen) return { fits: 'perhaps', below: true, near: true };
    const { meant, possible } = this;
    const names = namesOf(path);
    const plain = meant.map((rooted) => matchRooted(rooted, names, false));
    if (plain.some(({ fits }) => fits)) return { fits: true, ...further(plain) };
    const all = possible.length === 0 ? meant : [...meant, ...possible];
    const exact = [...plain, ...possible.map((rooted) => matchRooted(rooted, names, false))];
    const others = [
      ...inOtherSpelling(all, path, posix.normalize(text)),
      ...inOtherCase(all, { names, exact, ignoresCase }),
    ];
    const matches = [...exact, ...others];
    return { fits: matches.some(({ fits }) => fits) ? 'perhaps' : false, ...further(matches) };
  }
}

function further(matches: readonly GlobMatch[]): Pick<RootedMatch, 'below' | 'near'> {
  return { below: matches.some(({ below }) => below), near: matches.some(({ near }) => near) };
}

/** As it is written, where links lead it elsewhere. */
function inOtherSpelling(all: readonly Rooted[], path: string, written: string): readonly GlobMatch[] {
  if (written === path) return [];
  const names = namesOf(written);
  return all.map((rooted) => matchRooted(rooted, names, false));
}

interface Exactly extends Pick<NamedPath, 'ignoresCase'> {
  readonly names: readonly string[];
  /** How the names stand to each pattern as they are. */
  readonly exact: readonly GlobMatch[];
}

/** Where the file system takes two spellings for one name, so does the pattern. */
function inOtherCase(all: readonly Rooted[], { names, exact, ignoresCase }: Exactly): readonly GlobMatch[] {
  const loose = all.map((rooted) => matchRooted(rooted, names, true));
  const addsSomething = loose.some(({ fits, below }, at) => fits !== exact[at]?.fits || below !== exact[at].below);
  return addsSomething && ignoresCase() ? loose : [];
}

function matchRooted({ base, parts }: Rooted, names: readonly string[], loose: boolean): GlobMatch {
  const same = (one: string, other: string | undefined): boolean =>
    one === other || (loose && other !== undefined && fold(one) === fold(other));
  if (names.length < base.length) {
    const below = names.every((name, index) => same(name, base[index]));
    return { fits: false, below, near: below };
  }
  if (!base.every((name, index) => same(name, names[index]))) return { fits: false, below: false, near: false };
  return matchParts(parts, base.length === 0 ? names : names.slice(base.length), loose);
}

function namesOf(path: string): readonly string[] {
  return path.split('/').filter((name) => name !== '');
}

/** Asks the file system: the nearest name that exists, in the other case. */
export function ignoresCase({ path, identity, ancestor }: CheckedPath): boolean {
  if (process.platform === 'darwin' || process.platform === 'win32') return true;
  const [there, known] = identity === undefined ? [ancestor.path, ancestor.identity] : [path, identity];
  const name = posix.basename(there);
  const other = name === name.toUpperCase() ? name.toLowerCase() : name.toUpperCase();
  if (other === name) return false;
  const found = probe(() => lstatSync(posix.join(posix.dirname(there), other), { bigint: true }));
  return found.type === 'found' && isSameFile(identityOf(found.value), known);
}
