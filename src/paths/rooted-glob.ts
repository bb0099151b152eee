/** A pattern for paths, put where it starts: at the root, at home, or in the folder of a call. */

import { homeFolder } from '../home-folder.ts';
import { lazy } from '../lazy.ts';
import { followLinks } from './follow-links.ts';
import type { GlobBranch } from './glob.ts';
import { GlobStates, type GlobMatch, type RootedParts } from './glob-states.ts';
import { namesOf, type NamedPath } from './named-path.ts';
import { probe } from './refusal.ts';
import { resolvePath } from './resolve-path.ts';

interface RootedMatch {
  /** `perhaps`: under another name that the file or the pattern goes by. */
  readonly fits: boolean | 'perhaps';
  /** True if something below the path could fit. */
  readonly below: boolean;
  /** As of {@link GlobMatch}. */
  readonly near: boolean;
}

export interface RootedGlob {
  match(named: NamedPath): RootedMatch;
  /** How a path without links stands to it, name by name; undefined if anything may be meant. */
  readonly exact: GlobStates | undefined;
  /** The same where upper and lower case are the same. */
  readonly loose: () => GlobStates;
}

type Rooted = Omit<RootedParts, 'isMeant'>;

interface Forms {
  /** What the pattern says. */
  readonly meant: readonly Rooted[];
  /** What it could say as well, since links lead there now. */
  readonly possible: readonly Rooted[];
}

/** Folders that a pattern names from the root on are resolved once, here: a link put there later moves nothing. */
export function rootGlob(branches: readonly GlobBranch[]): (cwd: string | undefined) => RootedGlob {
  const home = probe(() => homeFolder());
  const fixed = branches
    .filter(({ start }) => start !== 'folder')
    .map((branch) =>
      formsOf(branch, branch.start === 'root' ? '/' : home.type === 'found' ? home.value : undefined, true),
    );
  const relative = branches.filter(({ start }) => start === 'folder');
  const whole = relative.length === 0 ? new Matcher(fixed) : undefined;
  const matcherFor = keepingLast((forms) => new Matcher([...fixed, ...forms]));
  let latest: { readonly cwd: string | undefined; readonly glob: RootedGlob } | undefined;
  return (cwd) => {
    if (whole !== undefined) return whole;
    if (latest !== undefined && latest.cwd === cwd) return latest.glob;
    const glob = matcherFor(relative.map((branch) => formsOf(branch, cwd, false)));
    // Kept while the same code runs, no longer: links change.
    if (latest === undefined) queueMicrotask(() => (latest = undefined));
    latest = { cwd, glob };
    return glob;
  };
}

type AllForms = readonly (Forms | undefined)[];

/** Where the folders are found to lead where they did before, the pattern is the same. */
function keepingLast(make: (forms: AllForms) => RootedGlob): (forms: AllForms) => RootedGlob {
  let last: { readonly key: string; readonly glob: RootedGlob } | undefined;
  return (forms) => {
    const key = forms.map((each) => (each === undefined ? '' : basesOf(each))).join('\0\0');
    if (last?.key !== key) last = { key, glob: make(forms) };
    return last.glob;
  };
}

function basesOf({ meant, possible }: Forms): string {
  return [...meant, ...possible].map(({ base }) => `/${base.join('/')}`).join('\0');
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

function allOf({ meant, possible }: Forms): readonly RootedParts[] {
  return [
    ...meant.map((rooted) => ({ ...rooted, isMeant: true })),
    ...possible.map((rooted) => ({ ...rooted, isMeant: false })),
  ];
}

class Matcher implements RootedGlob {
  readonly exact: GlobStates | undefined;
  readonly loose: () => GlobStates;

  constructor(forms: AllForms) {
    const all = forms.flatMap((each) => (each === undefined ? [] : allOf(each)));
    this.exact = forms.includes(undefined) ? undefined : new GlobStates(all, false);
    this.loose = lazy(() => new GlobStates(all, true));
  }

  match(named: NamedPath): RootedMatch {
    if (this.exact === undefined) return { fits: 'perhaps', below: true, near: true };
    const plain = this.exact.after(named.names);
    if (plain.isMeant) return { fits: true, below: plain.below, near: plain.near };
    // As it is written, where links lead it elsewhere.
    const written = named.written === undefined ? nothing : this.exact.after(named.written);
    // Where the file system takes two spellings for one name, so does the pattern.
    const loose = named.ignoresCase() ? this.loose().after(named.folded()) : nothing;
    return {
      fits: plain.fits || written.fits || loose.fits ? 'perhaps' : false,
      below: plain.below || written.below || loose.below,
      near: plain.near || written.near || loose.near,
    };
  }
}

const nothing: GlobMatch = { fits: false, below: false, near: false };
