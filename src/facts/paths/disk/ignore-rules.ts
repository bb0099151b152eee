/** Reads what `.gitignore` and similar files exclude from a folder, as far as that is certain. */

import { lstatSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { getOrCreate } from '../../../kernel/lazy.ts';
import { readNamePattern, type NamePattern } from '../globs/name-pattern.ts';
import { probe } from '../resolve/path-refusal.ts';

/** `.gitignore` applies in repositories only, the others everywhere. */
export const ignoreFileNames: readonly string[] = ['.gitignore', '.ignore', '.rgignore', '.fdignore'];
/** Longer files are not read; their effect is unknown. */
const maxFileLength = 100_000;

interface IgnoreLine {
  readonly pattern: NamePattern;
  readonly foldersOnly: boolean;
  /** True if it applies to the folder of its file only, not to subfolders. */
  readonly isAnchored: boolean;
  readonly needsGit: boolean;
}

/** Names that a line with `!` may include again; `anything` if the pattern is not understood. */
type Reinclusion = NamePattern | 'anything';

/** The rules that apply in one folder, including those of its parent folders. */
export class IgnoreRules {
  private constructor(
    private readonly lines: readonly IgnoreLine[],
    private readonly reinclusions: readonly Reinclusion[],
    private readonly inGit: boolean,
  ) {}

  /** Reads the rules for a folder, including those of its parents. `known` caches them by path. */
  static at(path: string, known: Map<string, IgnoreRules>): IgnoreRules {
    return getOrCreate(known, path, () => {
      const parent = posix.dirname(path);
      const parentRules = parent === path ? new IgnoreRules([], [], false) : IgnoreRules.at(parent, known);
      return parentRules.below(path, undefined);
    });
  }

  /** The cost of one lookup. */
  get cost(): number {
    return 1 + (this.lines.length + this.reinclusions.length) / 8;
  }

  /** The rules for a subfolder; `names` are its entries, if known. */
  below(path: string, names: ReadonlySet<string> | undefined): IgnoreRules {
    const has = (name: string): boolean => names === undefined || names.has(name);
    // For some programs, an entry with this name ends the effect of the `.gitignore` files above it.
    const isBorder = ['.git', '.jj'].some((name) => has(name) && isThere(posix.join(path, name)));
    const isRepository = isBorder && has('.git') && isGitFolder(posix.join(path, '.git'));
    const read = ignoreFileNames.filter(has).flatMap((name) => linesOf(posix.join(path, name), name === '.gitignore'));
    const exclude = isRepository ? linesOf(posix.join(path, '.git/info/exclude'), true) : [];
    const inherited = this.lines.filter(({ isAnchored, needsGit }) => !isAnchored && !(needsGit && isBorder));
    const reinclusions = [...read, ...exclude].flatMap(({ reincludes }) => reincludes);
    return new IgnoreRules(
      read.length === 0 && inherited.length === this.lines.length
        ? this.lines
        : [...inherited, ...read.flatMap(({ ignores }) => ignores)],
      reinclusions.length === 0 ? this.reinclusions : [...this.reinclusions, ...reinclusions],
      this.inGit || isRepository,
    );
  }

  /** True if an entry of this folder is certainly ignored. */
  isIgnored(name: string, isFolder: boolean): boolean {
    if (this.mayBeReincluded(name)) return false;
    return this.lines.some(
      ({ pattern, foldersOnly, needsGit }) =>
        (isFolder || !foldersOnly) && (this.inGit || !needsGit) && pattern.matches(name, false),
    );
  }

  /** True if a line with `!` may include the name again; it is then searched even if hidden. */
  mayBeReincluded(name: string): boolean {
    return this.reinclusions.some((pattern) => pattern === 'anything' || pattern.matches(name, false));
  }
}

function isThere(path: string): boolean {
  return probe(() => lstatSync(path)).type === 'found';
}

/** The `.git` of a worktree or submodule is a file. */
function isGitFolder(path: string): boolean {
  return [path, posix.join(path, 'HEAD')].some((file) => probe(() => readFileSync(file)).type === 'found');
}

interface ReadLine {
  readonly ignores: readonly IgnoreLine[];
  readonly reincludes: readonly Reinclusion[];
}

function linesOf(path: string, needsGit: boolean): readonly ReadLine[] {
  const read = probe(() => readFileSync(path, 'utf8'));
  if (read.type === 'failed')
    return read.code === 'ENOENT' || read.code === 'ENOTDIR' ? [] : [{ ignores: [], reincludes: ['anything'] }];
  if (read.value.length > maxFileLength) return [{ ignores: [], reincludes: ['anything'] }];
  const lines = read.value.split(/\r?\n/u).map((line) => readLine(line, needsGit));
  // Git does not follow a link with this name, other programs do.
  return isLink(path) ? lines.map(({ reincludes }) => ({ ignores: [], reincludes })) : lines;
}

function isLink(path: string): boolean {
  const found = probe(() => lstatSync(path));
  return found.type === 'found' && found.value.isSymbolicLink();
}

const nothing: ReadLine = { ignores: [], reincludes: [] };

function readLine(line: string, needsGit: boolean): ReadLine {
  const text = line.replace(/^\uFEFF/u, '').trimEnd();
  if (text === '' || text.startsWith('#')) return nothing;
  if (text.startsWith('!')) return { ignores: [], reincludes: reinclusionsIn(text.slice(1)) };
  // Only patterns with a single name are supported. Skipping the others is safe: their files then count as not ignored.
  const [, start = '', name = '', end = ''] = /^(\/|\*\*\/)?([^/\\[\]{}]+)(\/)?$/u.exec(text) ?? [];
  const pattern = readNamePattern(name);
  if (name === '' || 'problem' in pattern) return nothing;
  return { ignores: [{ pattern, foldersOnly: end !== '', isAnchored: start === '/', needsGit }], reincludes: [] };
}

/** Any name in the pattern may be the one that is included again. */
function reinclusionsIn(text: string): readonly Reinclusion[] {
  return text
    .split('/')
    .filter((name) => name !== '')
    .map((name) => {
      const pattern = /[\\[\]{}]/u.test(name) ? undefined : readNamePattern(name);
      return pattern === undefined || 'problem' in pattern ? 'anything' : pattern;
    });
}
