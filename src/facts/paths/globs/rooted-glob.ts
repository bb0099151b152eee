/** A pattern for paths, put where it starts: at the root, at home, or in the folder of a call. */

import { homeFolder } from '../../../files/home-folder.ts';
import { lazy } from '../../../kernel/lazy.ts';
import { followLinks } from '../resolve/follow-links.ts';
import type { GlobAlternative } from './glob.ts';
import { GlobAutomaton, type GlobMatch, type RootedGlobParts } from './glob-automaton.ts';
import { namesInPath, type SplitPath } from './split-path.ts';
import { probe } from '../resolve/path-refusal.ts';
import { resolvePath } from '../resolve/resolve-path.ts';

interface RootedMatch {
  /** `perhaps`: under another name that the file or the pattern goes by. */
  readonly fits: boolean | 'perhaps';
  /** True if something below the path could fit. */
  readonly below: boolean;
  /** As of {@link GlobMatch}. */
  readonly near: boolean;
}

export interface RootedGlob {
  match(named: SplitPath): RootedMatch;
  /** How a path without links stands to it, name by name; undefined if anything may be meant. */
  readonly exact: GlobAutomaton | undefined;
  /** The same where upper and lower case are the same. */
  readonly loose: () => GlobAutomaton;
}

type RootedPattern = Omit<RootedGlobParts, 'isMeant'>;

interface GlobForms {
  /** What the pattern says. */
  readonly meant: readonly RootedPattern[];
  /** What it could say as well, since links lead there now. */
  readonly possible: readonly RootedPattern[];
}

/** Folders that a pattern names from the root on are resolved once, here: a link put there later moves nothing. */
export function rootGlob(branches: readonly GlobAlternative[]): (cwd: string | undefined) => RootedGlob {
  const home = probe(() => homeFolder());
  const fixed = branches
    .filter(({ start }) => start !== 'folder')
    .map((branch) =>
      formsOf(branch, branch.start === 'root' ? '/' : home.type === 'found' ? home.value : undefined, true),
    );
  const relative = branches.filter(({ start }) => start === 'folder');
  const whole = relative.length === 0 ? new GlobMatcher(fixed) : undefined;
  const matcherFor = cacheLast((forms) => new GlobMatcher([...fixed, ...forms]));
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

type AllGlobForms = readonly (GlobForms | undefined)[];

/** Where the folders are found to lead where they did before, the pattern is the same. */
function cacheLast(make: (forms: AllGlobForms) => RootedGlob): (forms: AllGlobForms) => RootedGlob {
  let last: { readonly key: string; readonly glob: RootedGlob } | undefined;
  return (forms) => {
    const key = forms.map((each) => (each === undefined ? '' : cacheKeyOf(each))).join('\0\0');
    if (last?.key !== key) last = { key, glob: make(forms) };
    return last.glob;
  };
}

function cacheKeyOf({ meant, possible }: GlobForms): string {
  return [...meant, ...possible].map(({ base }) => `/${base.join('/')}`).join('\0');
}

/** Without a folder to start from, anything may be meant. */
function formsOf({ up, parts }: GlobAlternative, start: string | undefined, isFixed: boolean): GlobForms | undefined {
  const from = start === undefined ? undefined : resolvedStartOf(start);
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

let cachedStart: { readonly text: string; readonly names: readonly string[] | undefined } | undefined;

/** The folder of a call is the same for every pattern. */
function resolvedStartOf(text: string): readonly string[] | undefined {
  if (cachedStart?.text === text) return cachedStart.names;
  const resolution = resolvePath(text);
  const names = resolution.type === 'resolved' ? namesInPath(resolution.checked.path) : undefined;
  if (cachedStart === undefined) queueMicrotask(() => (cachedStart = undefined));
  cachedStart = { text, names };
  return names;
}

function partsOf({ meant, possible }: GlobForms): readonly RootedGlobParts[] {
  return [
    ...meant.map((rooted) => ({ ...rooted, isMeant: true })),
    ...possible.map((rooted) => ({ ...rooted, isMeant: false })),
  ];
}

class GlobMatcher implements RootedGlob {
  readonly exact: GlobAutomaton | undefined;
  readonly loose: () => GlobAutomaton;

  constructor(forms: AllGlobForms) {
    const all = forms.flatMap((each) => (each === undefined ? [] : partsOf(each)));
    this.exact = forms.includes(undefined) ? undefined : new GlobAutomaton(all, false);
    this.loose = lazy(() => new GlobAutomaton(all, true));
  }

  match(named: SplitPath): RootedMatch {
    if (this.exact === undefined) return { fits: 'perhaps', below: true, near: true };
    const plain = this.exact.stateAfter(named.names);
    if (plain.isMeant) return { fits: true, below: plain.below, near: plain.near };
    // As it is written, where links lead it elsewhere.
    const written = named.written === undefined ? nothing : this.exact.stateAfter(named.written);
    // Where the file system takes two spellings for one name, so does the pattern.
    const loose = named.ignoresCase() ? this.loose().stateAfter(named.folded()) : nothing;
    return {
      fits: plain.fits || written.fits || loose.fits ? 'perhaps' : false,
      below: plain.below || written.below || loose.below,
      near: plain.near || written.near || loose.near,
    };
  }
}

const nothing: GlobMatch = { fits: false, below: false, near: false };
