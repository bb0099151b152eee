/** Which of the entries below a folder a program takes: by their names, and by what files such as `.gitignore` say. */

import type { FileAccess } from '../shell/command-analysis.ts';
import type { NameFilter } from '../shell/role.ts';
import { getOrMake } from '../lazy.ts';
import type { IgnoreRules } from './ignore-files.ts';
import { literalName, readNamePattern, type NamePattern } from './name-pattern.ts';
import type { SeenFolder, SeenPlaces } from './seen-places.ts';

/** What is taken of one folder. */
export interface FolderChoice {
  /** False if an entry is surely neither read nor entered. */
  takes(name: string, isFolder: boolean): boolean;
  /** What counts of a link: what it leads to, only its own name, or nothing. */
  readonly links: 'followed' | 'named' | 'skipped';
  /** The choice in a folder below. */
  below(path: string, here: SeenFolder): FolderChoice;
}

interface Chooser {
  readonly hidden: boolean;
  readonly filter: FolderChoice['takes'] | undefined;
  /** Names that are taken even if they are hidden or ignored, and files by no other name. */
  readonly globs: readonly NamePattern[];
  readonly seen: SeenPlaces;
}

/** Undefined: all of it is taken. */
export function choiceIn(
  path: string,
  { mode, reach, filters = [] }: ChosenFolder,
  seen: SeenPlaces,
): FolderChoice | undefined {
  const known = patternsOf(filters);
  if (reach === 'visible' || reach === 'unignored') {
    const globs = known.filter(({ type }) => type === 'glob').map(({ test }) => test);
    const chooser = { hidden: reach === 'unignored', filter: filterOf(known), globs, seen };
    return unignored(seen.ignoreRules(path), chooser);
  }
  const filter = filterOf(known);
  // What deletes, moves or changes a tree touches the links themselves.
  const links = reach === 'walked' ? 'skipped' : mode === 'write' ? 'named' : 'followed';
  return filter === undefined && links === 'followed' ? undefined : filtered(filter ?? takesAll, links);
}

const takesAll: FolderChoice['takes'] = () => true;

type ChosenFolder = Pick<FileAccess, 'mode' | 'reach' | 'filters'>;

function filtered(takes: FolderChoice['takes'], links: FolderChoice['links']): FolderChoice {
  const choice: FolderChoice = { takes, links, below: () => choice };
  return choice;
}

function unignored(rules: IgnoreRules, chooser: Chooser): FolderChoice {
  const { hidden, filter, globs, seen } = chooser;
  return {
    links: 'skipped',
    takes: (name, isFolder) => {
      if (!seen.spend(rules.cost)) return true;
      if (globs.some((glob) => glob.matches(name, false))) return true;
      if ((globs.length > 0 && !isFolder) || name === '.git' || filter?.(name, isFolder) === false) return false;
      const isHidden = !hidden && name.startsWith('.') && !rules.mayReturn(name);
      return !isHidden && !rules.isIgnored(name, isFolder);
    },
    below: (path, { names, links }) => {
      const found = getOrMake(seen.ignored, path, () => {
        const known = [...names.map(({ name }) => name), ...links.map(({ text }) => baseOf(text))];
        return rules.below(path, new Set(known));
      });
      return unignored(found, chooser);
    },
  };
}

function baseOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

interface ReadFilter {
  readonly type: NameFilter['type'];
  readonly test: NamePattern;
}

const anyName = readNamePattern('*') as NamePattern;

/** A pattern that cannot be read includes everything, and excludes nothing. */
function patternsOf(filters: readonly NameFilter[]): readonly ReadFilter[] {
  return filters.map(({ type, pattern }) => {
    const test = readNamePattern(pattern);
    if (!('problem' in test)) return { type, test };
    return { type, test: type === 'include' || type === 'glob' ? anyName : literalName('') };
  });
}

/** Of the patterns that fit a file the last one counts; where none does, it depends on whether the first one includes. */
function filterOf(known: readonly ReadFilter[]): FolderChoice['takes'] | undefined {
  const ofFolders = known.filter(({ type }) => type === 'prune');
  const ofFiles = known.filter(({ type }) => type === 'include' || type === 'exclude');
  if (ofFolders.length + ofFiles.length === 0) return undefined;
  return (name, isFolder) => {
    if (isFolder) return !ofFolders.some(({ test }) => test.matches(name, false));
    const last = ofFiles.findLast(({ test }) => test.matches(name, false));
    return last === undefined ? ofFiles[0]?.type !== 'include' : last.type === 'include';
  };
}
