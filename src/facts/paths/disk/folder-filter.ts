/** Which of the entries below a folder a program takes: by their names, and by what files such as `.gitignore` say. */

import type { FileAccess } from '../../shell/commands/command-analysis.ts';
import type { NameFilter } from '../../shell/usage/value-role.ts';
import { getOrCreate } from '../../../kernel/lazy.ts';
import type { IgnoreRules } from './ignore-rules.ts';
import { literalNamePattern, readNamePattern, type NamePattern } from '../globs/name-pattern.ts';
import type { FolderListing, DiskCache } from './disk-cache.ts';

/** What is taken of one folder. */
export interface FolderFilter {
  /** False if an entry is surely neither read nor entered. */
  takes(name: string, isFolder: boolean): boolean;
  /** What counts of a link: what it leads to, only its own name, or nothing. */
  readonly links: 'followed' | 'named' | 'skipped';
  /** The choice in a folder below. */
  below(path: string, here: FolderListing): FolderFilter;
}

interface FilterParts {
  readonly hidden: boolean;
  readonly filter: FolderFilter['takes'] | undefined;
  /** Names that are taken even if they are hidden or ignored, and files by no other name. */
  readonly globs: readonly NamePattern[];
  readonly seen: DiskCache;
}

/** Undefined: all of it is taken. */
export function folderFilterOf(
  path: string,
  { mode, reach, filters = [] }: FilteredAccess,
  seen: DiskCache,
): FolderFilter | undefined {
  const known = parseFilters(filters);
  if (reach === 'visible' || reach === 'unignored') {
    const globs = known.filter(({ type }) => type === 'glob').map(({ test }) => test);
    const chooser = { hidden: reach === 'unignored', filter: nameFilterOf(known), globs, seen };
    return ignoreAwareFilter(seen.ignoreRules(path), chooser);
  }
  const filter = nameFilterOf(known);
  // What deletes, moves or changes a tree touches the links themselves.
  const links = reach === 'walked' ? 'skipped' : mode === 'write' ? 'named' : 'followed';
  return filter === undefined && links === 'followed' ? undefined : plainFilter(filter ?? includeAll, links);
}

const includeAll: FolderFilter['takes'] = () => true;

type FilteredAccess = Pick<FileAccess, 'mode' | 'reach' | 'filters'>;

function plainFilter(takes: FolderFilter['takes'], links: FolderFilter['links']): FolderFilter {
  const choice: FolderFilter = { takes, links, below: () => choice };
  return choice;
}

function ignoreAwareFilter(rules: IgnoreRules, chooser: FilterParts): FolderFilter {
  const { hidden, filter, globs, seen } = chooser;
  return {
    links: 'skipped',
    takes: (name, isFolder) => {
      if (!seen.spend(rules.cost)) return true;
      if (globs.some((glob) => glob.matches(name, false))) return true;
      if ((globs.length > 0 && !isFolder) || name === '.git' || filter?.(name, isFolder) === false) return false;
      const isHidden = !hidden && name.startsWith('.') && !rules.mayBeReincluded(name);
      return !isHidden && !rules.isIgnored(name, isFolder);
    },
    below: (path, { names, links }) => {
      const found = getOrCreate(seen.ignored, path, () => {
        const known = [...names.map(({ name }) => name), ...links.map(({ text }) => baseNameOf(text))];
        return rules.below(path, new Set(known));
      });
      return ignoreAwareFilter(found, chooser);
    },
  };
}

function baseNameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

interface ParsedFilter {
  readonly type: NameFilter['type'];
  readonly test: NamePattern;
}

const anyName = readNamePattern('*') as NamePattern;

/** A pattern that cannot be read includes everything, and excludes nothing. */
function parseFilters(filters: readonly NameFilter[]): readonly ParsedFilter[] {
  return filters.map(({ type, pattern }) => {
    const test = readNamePattern(pattern);
    if (!('problem' in test)) return { type, test };
    return { type, test: type === 'include' || type === 'glob' ? anyName : literalNamePattern('') };
  });
}

/** Of the patterns that fit a file the last one counts; where none does, it depends on whether the first one includes. */
function nameFilterOf(known: readonly ParsedFilter[]): FolderFilter['takes'] | undefined {
  const ofFolders = known.filter(({ type }) => type === 'prune');
  const ofFiles = known.filter(({ type }) => type === 'include' || type === 'exclude');
  if (ofFolders.length + ofFiles.length === 0) return undefined;
  return (name, isFolder) => {
    if (isFolder) return !ofFolders.some(({ test }) => test.matches(name, false));
    const last = ofFiles.findLast(({ test }) => test.matches(name, false));
    return last === undefined ? ofFiles[0]?.type !== 'include' : last.type === 'include';
  };
}
