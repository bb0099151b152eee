/**
 * Which files `.gitignore`, `.ignore`, `.rgignore` and `.git/info/exclude` exclude, with the rules of ripgrep: also outside
 * a repository, and those of all folders above.
 */

import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { GlobAutomaton } from '../../facts/paths/globs/glob-automaton.ts';
import { readGlob } from '../../facts/paths/globs/glob.ts';
import { errorCodeOf, probe } from '../../facts/paths/resolve/path-refusal.ts';

/** By precedence. In each kind, the deepest folder with a line for a path decides. */
const kinds = ['.rgignore', '.ignore', '.gitignore', '.git/info/exclude'] as const;
const maxBytes = 1024 * 1024;

interface IgnoreLine {
  readonly isNegated: boolean;
  readonly foldersOnly: boolean;
  /** Takes the names of a path below the folder of the file. */
  fits(names: readonly string[]): boolean;
}

/** The lines of one folder, by kind. */
interface FolderRules {
  /** How many names the path of the folder has. */
  readonly depth: number;
  readonly lines: readonly (readonly IgnoreLine[])[];
}

/** The rules for the content of one folder: its own and those of the folders above it. */
export class IgnoreRules {
  private constructor(private readonly folders: readonly FolderRules[]) {}

  static readonly none = new IgnoreRules([]);

  /** With the rules of one more folder. `pathTo` leads to a name in it; `names` are those of its path. */
  async with(pathTo: (name: string) => string, names: readonly string[]): Promise<IgnoreRules> {
    const lines = await Promise.all(kinds.map(async (kind) => readIgnoreLines(await textOf(pathTo(kind)))));
    if (lines.every(({ length }) => length === 0)) return this;
    return new IgnoreRules([{ depth: names.length, lines }, ...this.folders]);
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
  const trimmed = text.replace(/\r$/, '').replace(/(?<!\\)\s+$/, '');
  if (trimmed === '' || trimmed.startsWith('#')) return undefined;
  const isNegated = trimmed.startsWith('!');
  const pattern = isNegated ? trimmed.slice(1) : trimmed;
  const foldersOnly = pattern.endsWith('/');
  const plain = foldersOnly ? pattern.slice(0, -1) : pattern;
  // A pattern with a slash is about paths below the folder of the file, another one about names anywhere below it.
  const glob = probe(() => readGlob(`./${plain.includes('/') ? plain.replace(/^\/+/, '') : `**/${plain}`}`));
  if (glob.type === 'failed') return undefined;
  const patterns = glob.value.filter(({ up }) => up === 0).map(({ parts }) => ({ base: [], parts, isCertain: true }));
  const automaton = new GlobAutomaton(patterns, false);
  return { isNegated, foldersOnly, fits: (names) => automaton.stateAfter(names).fits };
}

function readIgnoreLines(text: string): readonly IgnoreLine[] {
  return text.split('\n').flatMap((line) => readIgnoreLine(line) ?? []);
}

/** Empty if there is no such file. Links and other special files count as none. */
async function textOf(path: string): Promise<string> {
  try {
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const stats = await file.stat();
      return stats.isFile() && stats.size <= maxBytes ? await file.readFile('utf8') : '';
    } finally {
      await file.close();
    }
  } catch (error) {
    if (errorCodeOf(error) === 'UNKNOWN') throw error;
    return '';
  }
}
