/** `reads(glob)` and `writes(glob)`: facts about the files a call touches (X08). */

import { posix } from 'node:path';
import type { CheckedPath } from '../../kernel/call.ts';
import { factClauses } from '../fact-clauses.ts';
import { createFactPredicate, type FactPredicate } from '../fact-predicate.ts';
import { unknownBecause, type Fact, type Unknown } from '../truth.ts';
import { mayWriteAnything, whyUncertain, type TouchedFile } from './touched-files/touched-files.ts';
import { readGlob } from './globs/glob.ts';
import { copiesContainMatch, copiesMayFollowLink, folderContainsLink } from './touched-files/copied-trees.ts';
import { findMatchBelow } from './disk/find-match-below.ts';
import { overBudgetReason } from './disk/disk-budget.ts';
import type { SplitPath } from './globs/split-path.ts';
import { quote } from './resolve/path-refusal.ts';
import { rootGlob, type RootedGlob } from './globs/rooted-glob.ts';
import type { DiskCache } from './disk/disk-cache.ts';
import { filesOfCall } from './touched-files/files-of-call.ts';
import { isFolder, type PathLocation } from './resolve/path-location.ts';
import { folderFilterOf } from './disk/folder-filter.ts';

/**
 * True if a call reads a file whose path matches the pattern.
 * @example
 * ```ts
 * import { forbid } from 'bridle';
 * import { reads } from 'bridle/facts';
 *
 * const rule = forbid('*', { when: reads('**\/.env') });
 * ```
 */
export function reads(glob: string): FactPredicate {
  return createFactPredicate(
    { text: `reads(${JSON.stringify(glob)})`, clause: () => factClauses.reads(glob), source: 'files' },
    readsFact(glob),
  );
}

/** True if a call creates, changes or deletes a file whose path matches the pattern. */
export function writes(glob: string): FactPredicate {
  return createFactPredicate(
    { text: `writes(${JSON.stringify(glob)})`, clause: () => factClauses.writes(glob), source: 'files' },
    writesFact(glob),
  );
}

export function readsFact(glob: string): Fact {
  return touchesFact(glob, 'read');
}

export function writesFact(glob: string): Fact {
  return touchesFact(glob, 'write');
}

function touchesFact(glob: string, mode: 'read' | 'write'): Fact {
  const rooted = rootGlob(readGlob(glob));
  return (call, tool) => {
    const found = filesOfCall(call, tool);
    const touched = found.withMode(mode);
    const isKnown = found.unknown === undefined || (mode === 'write' && found.missingIsRead);
    const more = isKnown ? false : unknownBecause(found.unknown);
    if (touched.length === 0) return more;
    const doubts: Doubt[] = [];
    const context = { pattern: rooted(call.cwd), disk: found.disk };
    for (const file of touched) {
      if (!found.disk.spend(1)) return unknownBecause(overBudgetReason);
      for (const truth of touchesMatch(file, context)) {
        if (truth === true) return true;
        if (truth !== false) doubts.push(truth);
      }
    }
    return firstDoubt(doubts) ?? more;
  };
}

/**
 * A function searches folders. It runs only if nothing else decides, because it is slow and never makes the fact true.
 */
type Doubt = Unknown | (() => Unknown | undefined);

function firstDoubt(doubts: readonly Doubt[]): Unknown | undefined {
  for (const doubt of doubts) {
    const unknownFact = typeof doubt === 'function' ? doubt() : doubt;
    if (unknownFact !== undefined) return unknownFact;
  }
  return undefined;
}

interface MatchContext {
  readonly pattern: RootedGlob;
  readonly disk: DiskCache;
}

function touchesMatch(file: TouchedFile, context: MatchContext): readonly (boolean | Doubt)[] {
  if (file.locations.length === 0 && file.origin === 'implied') return [];
  if (file.locations.length === 0)
    return [unknownBecause(file.fromUnknown ?? `the line does not show where ${file.label} leads`)];
  // The locations are only guesses.
  if (!file.sure) return [unknownBecause(`the folder that ${file.label} starts from is uncertain`)];
  const truths = file.locations.map((location) => locationMatch(file, location, context));
  const isCertain = file.mayBeUntouched !== true && truths.every((truth) => truth === true);
  if (isCertain || !truths.includes(true)) return truths;
  return [unknownBecause(whyUncertain(file))];
}

function locationMatch(file: TouchedFile, location: PathLocation, { pattern, disk }: MatchContext): boolean | Doubt {
  const { checked } = location;
  if (checked === undefined) return unknownBecause(location.why);
  // Looking at a folder reveals the names in it. Looking at a file does not read its content.
  const isMetadataOnly = file.metadataOnly === true && !isFolder(location);
  if (isMetadataOnly && file.reach === 'itself') return false;
  const named = disk.split(location, checked);
  const { fits, mayFitBelow, isSpecific } = pattern.match(named);
  if (fits === true && isMetadataOnly) return unknownBecause(`${file.label} is read only if it was changed`);
  if (fits === true) return file.mode === 'either' ? unknownBecause(`${file.label} may be read or written`) : true;
  if (fits === 'perhaps') return unknownBecause(`${file.label} leads to ${checked.path}, which the pattern may match`);
  if (file.copies !== undefined) return copiesMatch(file, location, { pattern, disk });
  if (file.reach === 'itself') return false;
  if (!mayFitBelow)
    return (
      mayWriteAnything(file) && (() => (folderContainsLink(location, disk) ? mayWriteThroughLink(file) : undefined))
    );
  if (!isSpecific && isUnnamedByLine(file)) return false;
  const folder = unknownBecause(`${folderText(file, checked)}, and the pattern may match something in it`);
  const exists = checked.identity !== undefined;
  if (exists && !isFolder(location)) return false;
  if (!onlyExistingCounts(file)) return folder;
  return exists && (() => matchBelow(file, named, { pattern, disk }));
}

function matchBelow(file: TouchedFile, folder: SplitPath, { pattern, disk }: MatchContext): Unknown | undefined {
  const found = findMatchBelow(folder, pattern, { disk, filter: folderFilterOf(folder.path, file, disk) });
  if (found === undefined) return undefined;
  if (found.path === undefined)
    return unknownBecause(`${file.label} is a folder, and the pattern may match something in it`);
  const match = quote(posix.relative(folder.path, found.path));
  const name = posix.basename(found.path);
  const advice = file.excludeOption === undefined ? '' : `; ${file.excludeOption}=${name} would exclude it`;
  return unknownBecause(`${file.label} is a folder that contains ${match}, which the pattern matches${advice}`);
}

/**
 * Checks what a copy creates at the destination: the names below its source, and targets of links that are in the way.
 */
function copiesMatch(
  { copies = [], label, keepsLinks = false }: TouchedFile,
  location: PathLocation,
  { pattern, disk }: MatchContext,
): Doubt {
  return () => {
    if (location.checked === undefined) return unknownBecause(location.why);
    const to = disk.split(location, location.checked);
    if (pattern.match(to).mayFitBelow && copiesContainMatch(copies, { to, pattern, disk, keepsLinks }))
      return unknownBecause(`${label} is a folder, and the pattern may match something in it`);
    return copiesMayFollowLink({ copies, keepsLinks }, location, disk) ? mayWriteThroughLink({ label }) : undefined;
  };
}

function folderText({ label }: TouchedFile, { identity }: CheckedPath): string {
  return identity === undefined ? `${label} does not exist yet and may become a folder` : `${label} is a folder`;
}

function mayWriteThroughLink({ label }: Pick<TouchedFile, 'label'>): Unknown {
  return unknownBecause(`${label} contains a link that may be written through`);
}

/**
 * True for work inside a folder that the command line does not describe: what a program does by default, or what an
 * unknown program does (X04).
 */
function isUnnamedByLine({ mode, origin, reach }: TouchedFile): boolean {
  return origin === 'implied' || reach === 'picked' || (origin === 'line' && mode === 'either');
}

/**
 * True if only existing entries count. What an unknown program would create in the folder is not visible in the line.
 */
function onlyExistingCounts({ reach, mode, origin, unnamed }: TouchedFile): boolean {
  return reach === 'tree' || (reach === 'picked' && unnamed === undefined) || mode !== 'write' || origin === 'implied';
}
