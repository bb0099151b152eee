/** Decides which entries below a folder a program touches: by name filters, and by files such as `.gitignore`. */

import type { FileAccess } from '../../shell/commands/command-analysis.ts';
import type { NameFilter } from '../../shell/usage/value-role.ts';
import { getOrCreate } from '../../../kernel/lazy.ts';
import type { IgnoreRules } from './ignore-rules.ts';
import { literalNamePattern, readNamePattern, type NamePattern } from '../globs/name-pattern.ts';
import type { FolderListing, DiskCache } from './disk-cache.ts';

/** The filter for the entries of one folder. */
export interface FolderFilter {
  /** False if the entry is certainly not read and not entered. */
  includes(name: string, isFolder: boolean): boolean;
  /** How links count: by their target, by their own name, or not at all. */
  readonly links: 'followed' | 'named' | 'skipped';
  /** The filter for a subfolder. */
  below(path: string, here: FolderListing): FolderFilter;
}

interface FilterParts {
  readonly hidden: boolean;
  readonly filter: FolderFilter['includes'] | undefined;
  /** Names that match are included even if hidden or ignored; other files are left out. */
  readonly globs: readonly NamePattern[];
  readonly disk: DiskCache;
}

/** Returns undefined if all entries are touched. */
export function folderFilterOf(
  path: string,
  { mode, reach, filters = [] }: FilteredAccess,
  disk: DiskCache,
): FolderFilter | undefined {
  const known = parseFilters(filters);
  if (reach === 'visible' || reach === 'unignored') {
    const globs = known.filter(({ type }) => type === 'glob').map(({ test }) => test);
    const chooser = { hidden: reach === 'unignored', filter: nameFilterOf(known), globs, disk };
    return ignoreAwareFilter(disk.ignoreRules(path), chooser);
  }
  const filter = nameFilterOf(known);
  // Deleting, moving or changing a tree affects the links themselves.
  const links = reach === 'walked' ? 'skipped' : mode === 'write' ? 'named' : 'followed';
  return filter === undefined && links === 'followed' ? undefined : plainFilter(filter ?? includeAll, links);
}

const includeAll: FolderFilter['includes'] = () => true;

type FilteredAccess = Pick<FileAccess, 'mode' | 'reach' | 'filters'>;

function plainFilter(includes: FolderFilter['includes'], links: FolderFilter['links']): FolderFilter {
  const choice: FolderFilter = { includes, links, below: () => choice };
  return choice;
}

function ignoreAwareFilter(rules: IgnoreRules, chooser: FilterParts): FolderFilter {
  const { hidden, filter, globs, disk } = chooser;
  return {
    links: 'skipped',
    includes: (name, isFolder) => {
      if (!disk.spend(rules.cost)) return true;
      if (globs.some((glob) => glob.matches(name, false))) return true;
      if ((globs.length > 0 && !isFolder) || name === '.git' || filter?.(name, isFolder) === false) return false;
      const isHidden = !hidden && name.startsWith('.') && !rules.mayBeReincluded(name);
      return !isHidden && !rules.isIgnored(name, isFolder);
    },
    below: (path, { names, links }) => {
      const found = getOrCreate(disk.ignored, path, () => {
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

/** An unreadable pattern includes everything and excludes nothing. */
function parseFilters(filters: readonly NameFilter[]): readonly ParsedFilter[] {
  return filters.map(({ type, pattern }) => {
    const test = readNamePattern(pattern);
    if (!('problem' in test)) return { type, test };
    return { type, test: type === 'include' || type === 'glob' ? anyName : literalNamePattern('') };
  });
}

/**
 * The last matching pattern decides about a file. If none matches, files are included unless the first pattern is an
 * `include`.
 */
function nameFilterOf(known: readonly ParsedFilter[]): FolderFilter['includes'] | undefined {
  const ofFolders = known.filter(({ type }) => type === 'prune');
  const ofFiles = known.filter(({ type }) => type === 'include' || type === 'exclude');
  if (ofFolders.length + ofFiles.length === 0) return undefined;
  return (name, isFolder) => {
    if (isFolder) return !ofFolders.some(({ test }) => test.matches(name, false));
    const last = ofFiles.findLast(({ test }) => test.matches(name, false));
    return last === undefined ? ofFiles[0]?.type !== 'include' : last.type === 'include';
  };
}
