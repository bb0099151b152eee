/**
 * Which files `.gitignore`, `.ignore`, `.rgignore` and `.git/info/exclude` exclude, with the rules of ripgrep: also outside
 * a repository, and those of all folders above.
 */

import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { GlobAutomaton } from '../../facts/paths/globs/glob-automaton.ts';
import { readGlob } from '../../facts/paths/globs/glob.ts';
import { errorCodeOf, probe } from '../../facts/paths/resolve/path-refusal.ts';
import { readAtMost } from './read-at-most.ts';
import type { SearchLimits } from './search-limits.ts';

/** By precedence. In each kind, the deepest folder with a line for a path decides. */
const kinds = ['.rgignore', '.ignore', '.gitignore', '.git/info/exclude'] as const;
const maxBytes = 64 * 1024;
/** For a folder and those above it. What is ignored is hidden for convenience only: without a rule, more is shown. */
const maxPatterns = 5000;
const maxLength = 128 * 1024;
const maxLineLength = 1024;

interface IgnoreLine {
  readonly isNegated: boolean;
  readonly foldersOnly: boolean;
  /** Its alternatives, and their length together: the cost of a test. */
  readonly patterns: number;
  readonly length: number;
  /** Takes the names of a path below the folder of the file. */
  fits(names: readonly string[]): boolean;
}

/** The lines of one folder, by kind. */
interface FolderRules {
  /** How many names the path of the folder has. */
  readonly depth: number;
  readonly lines: readonly (readonly IgnoreLine[])[];
}

/** What further lines may cost. */
interface IgnoreBudget {
  patterns: number;
  length: number;
}

/** The rules for the content of one folder: its own and those of the folders above it. */
export class IgnoreRules {
  private constructor(
    private readonly folders: readonly FolderRules[],
    private readonly left: IgnoreBudget,
    private readonly limits: SearchLimits,
  ) {}

  static none(limits: SearchLimits): IgnoreRules {
    return new IgnoreRules([], { patterns: maxPatterns, length: maxLength }, limits);
  }

  /** With the rules of one more folder. `pathTo` leads to a name in it; `names` are those of its path. */
  async with(pathTo: (name: string) => string, names: readonly string[]): Promise<IgnoreRules> {
    const texts = await Promise.all(kinds.map((kind) => textOf(pathTo(kind), this.limits)));
    if (texts.every((text) => text === '')) return this;
    const left = { ...this.left };
    const lines: (readonly IgnoreLine[])[] = [];
    for (const text of texts) lines.push(await this.linesOf(text, left));
    return new IgnoreRules([{ depth: names.length, lines }, ...this.folders], left, this.limits);
  }

  /** Takes what the lines cost from `left`. If that is not enough, none counts: the last one may be an exception. */
  private async linesOf(text: string, left: IgnoreBudget): Promise<readonly IgnoreLine[]> {
    const lines: IgnoreLine[] = [];
    // Of equal lines, the last one counts.
    for (const each of [...new Set(text.split('\n').toReversed())].toReversed()) {
      if (await this.limits.isOver()) break;
      const line = readIgnoreLine(each);
      if (line === undefined) continue;
      if (line.patterns > left.patterns || line.length > left.length) {
        this.limits.note('too many lines in ignore files: some files were not applied');
        return [];
      }
      left.patterns -= line.patterns;
      left.length -= line.length;
      lines.push(line);
    }
    return lines;
  }

  /** `names` are those of the whole path. */
  excludes(names: readonly string[], isFolder: boolean): boolean {
    for (const kind of kinds.keys()) {
      for (const { depth, lines } of this.folders) {
        const below = names.slice(depth);
        // In a file, the last line decides.
        const line = lines[kind]?.findLast((each) => (isFolder || !each.foldersOnly) && each.fits(below));
        if (line !== undefined) return !line.isNegated;
      }
    }
    return false;
  }
}

/** Undefined for a line that is empty, a comment or no pattern. */
export function readIgnoreLine(text: string): IgnoreLine | undefined {
  const end = text.trimEnd();
  // A backslash keeps one space after it.
  const trimmed = end.endsWith('\\') ? text.replace(/\r$/, '').slice(0, end.length + 1) : end;
  if (trimmed === '' || trimmed.length > maxLineLength || trimmed.startsWith('#')) return undefined;
  const isNegated = trimmed.startsWith('!');
  const pattern = isNegated ? trimmed.slice(1) : trimmed;
  const foldersOnly = pattern.endsWith('/');
  const plain = foldersOnly ? pattern.slice(0, -1) : pattern;
  // A pattern with a slash is about paths below the folder of the file, another one about names anywhere below it.
  const glob = probe(() => readGlob(`./${plain.includes('/') ? plain.replace(/^\/+/, '') : `**/${plain}`}`));
  if (glob.type === 'failed') return undefined;
  const patterns = glob.value.filter(({ up }) => up === 0).map(({ parts }) => ({ base: [], parts, isCertain: true }));
  const automaton = new GlobAutomaton(patterns, false);
  const length = patterns.length * plain.length;
  return {
    isNegated,
    foldersOnly,
    patterns: patterns.length,
    length,
    fits: (names) => automaton.stateAfter(names).fits,
  };
}

/** Empty if there is no such file. Links and other special files count as none. */
async function textOf(path: string, limits: SearchLimits): Promise<string> {
  try {
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      if (!(await file.stat()).isFile()) return '';
      const bytes = await readAtMost(file, maxBytes);
      if (bytes === undefined) limits.note(`ignore files of more than ${maxBytes / 1024} KiB were not applied`);
      return bytes?.toString() ?? '';
    } finally {
      await file.close();
    }
  } catch (error) {
    if (errorCodeOf(error) === 'UNKNOWN') throw error;
    return '';
  }
}
