/** A path pattern together with its start: the root, the home folder, or the folder of a call. */

import { lstatSync, realpathSync } from 'node:fs';
import { GlobAutomaton, type GlobMatch, type RootedGlobParts } from './glob-automaton.ts';
import type { GlobAlternative } from './glob.ts';
import { type SplitPath, namesInPath } from './split-path.ts';
import { probe } from '../resolve/path-refusal.ts';
import { resolvePath } from '../resolve/resolve-path.ts';
import { homeFolder } from '../../../files/home-folder.ts';
import { lazy } from '../../../kernel/lazy.ts';

interface RootedMatch {
  /** `perhaps`: it fits under another name of the file or of the pattern. */
  readonly fits: boolean | 'perhaps';
  /** True if something below the path may fit. */
  readonly mayFitBelow: boolean;
  /** See {@link GlobMatch}. */
  readonly isSpecific: boolean;
}

export interface RootedGlob {
  match(named: SplitPath): RootedMatch;
  /** Matches a path without links, name by name; undefined if the pattern may match anything. */
  readonly exact: GlobAutomaton | undefined;
  /** The same for case-insensitive file systems. */
  readonly loose: () => GlobAutomaton;
}

type RootedPattern = Omit<RootedGlobParts, 'isCertain'>;

interface GlobForms {
  /** What the pattern certainly means. */
  readonly certain: readonly RootedPattern[];
  /** What it may mean as well, because of links that exist now. */
  readonly possible: readonly RootedPattern[];
}

/** Resolves the folders of absolute patterns once, here, so that a link created later changes nothing. */
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
    // Cached until the current code finishes, no longer: links change.
    if (latest === undefined) queueMicrotask(() => (latest = undefined));
    latest = { cwd, glob };
    return glob;
  };
}

type AllGlobForms = readonly (GlobForms | undefined)[];

/** Reuses the last matcher as long as the folders resolve to the same paths. */
function cacheLast(make: (forms: AllGlobForms) => RootedGlob): (forms: AllGlobForms) => RootedGlob {
  let last: { readonly key: string; readonly glob: RootedGlob } | undefined;
  return (forms) => {
    const key = forms.map((each) => (each === undefined ? '' : cacheKeyOf(each))).join('\0\0');
    if (last?.key !== key) last = { key, glob: make(forms) };
    return last.glob;
  };
}

function cacheKeyOf({ certain, possible }: GlobForms): string {
  return [...certain, ...possible].map(({ base }) => `/${base.join('/')}`).join('\0');
}

/** Returns undefined if the start folder is unknown: the pattern may then match anything. */
function formsOf({ up, parts }: GlobAlternative, start: string | undefined, isFixed: boolean): GlobForms | undefined {
  const from = start === undefined ? undefined : resolvedStartOf(start);
  if (from === undefined) return undefined;
  const folder = from.slice(0, Math.max(0, from.length - up));
  const firstWildcard = parts.findIndex((part) => part === '**' || part.literal === undefined);
  const fixed = parts.slice(0, firstWildcard === -1 ? parts.length : firstWildcard);
  const realBase = followLinks(
    folder,
    fixed.map((part) => (part === '**' ? '' : (part.literal ?? ''))),
  );
  const certain = { base: folder, parts };
  // A pattern that starts with a wildcard is the same in every folder.
  const resolved =
    realBase === undefined || fixed.length === 0 ? [] : [{ base: realBase, parts: parts.slice(fixed.length) }];
  return isFixed ? { certain: [certain, ...resolved], possible: [] } : { certain: [certain], possible: resolved };
}

let cachedStart: { readonly text: string; readonly names: readonly string[] | undefined } | undefined;

/** All patterns of a call share its folder. */
function resolvedStartOf(text: string): readonly string[] | undefined {
  if (cachedStart?.text === text) return cachedStart.names;
  const resolution = resolvePath(text);
  const names = resolution.type === 'resolved' ? namesInPath(resolution.checked.path) : undefined;
  if (cachedStart === undefined) queueMicrotask(() => (cachedStart = undefined));
  cachedStart = { text, names };
  return names;
}

function partsOf({ certain, possible }: GlobForms): readonly RootedGlobParts[] {
  return [
    ...certain.map((rooted) => ({ ...rooted, isCertain: true })),
    ...possible.map((rooted) => ({ ...rooted, isCertain: false })),
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
    if (this.exact === undefined) return { fits: 'perhaps', mayFitBelow: true, isSpecific: true };
    const plain = this.exact.stateAfter(named.names);
    if (plain.isCertain) return { fits: true, mayFitBelow: plain.mayFitBelow, isSpecific: plain.isSpecific };
    // The path as written, if links lead elsewhere.
    const written = named.written === undefined ? nothing : this.exact.stateAfter(named.written);
    // On a case-insensitive file system, the pattern ignores case as well.
    const loose = named.ignoresCase() ? this.loose().stateAfter(named.folded()) : nothing;
    return {
      fits: plain.fits || written.fits || loose.fits ? 'perhaps' : false,
      mayFitBelow: plain.mayFitBelow || written.mayFitBelow || loose.mayFitBelow,
      isSpecific: plain.isSpecific || written.isSpecific || loose.isSpecific,
    };
  }
}

const nothing: GlobMatch = { fits: false, mayFitBelow: false, isSpecific: false };

/** Cached until the current code finishes: many patterns start with the same folders. */
let realPaths = new Map<string, string | undefined>();

/** Resolves names below a resolved folder as far as they exist; returns undefined if that fails. */
function followLinks(folder: readonly string[], names: readonly string[]): readonly string[] | undefined {
  let here = folder;
  for (const [index, name] of names.entries()) {
    const path = `/${[...here, name].join('/')}`;
    if (!realPaths.has(path)) remember(path, findRealPath(path));
    const real = realPaths.get(path);
    if (real === undefined) return undefined;
    if (real === '') return [...here, ...names.slice(index)];
    here = real.split('/').filter((each) => each !== '');
  }
  return here;
}

/** Returns the real path; empty if nothing exists there. */
function findRealPath(path: string): string | undefined {
  const stats = probe(() => lstatSync(path, { throwIfNoEntry: false }));
  if (stats.type === 'failed') return stats.code === 'ENOTDIR' ? '' : undefined;
  if (stats.value === undefined) return '';
  if (!stats.value.isSymbolicLink()) return path;
  const real = probe(() => realpathSync.native(path));
  return real.type === 'found' ? real.value : undefined;
}

function remember(path: string, real: string | undefined): void {
  if (realPaths.size === 0) void Promise.resolve().then(() => (realPaths = new Map()));
  realPaths.set(path, real);
}
