/** `reads(glob)` and `writes(glob)`: facts about the files a call touches (X08). */

import { posix } from 'node:path';
import type { CheckedPath } from '../../kernel/call.ts';
import { factClauses } from '../fact-clauses.ts';
import { makeFactPredicate, type FactPredicate } from '../../kernel/policy/conditions/fact-predicate.ts';
import { unknownBecause, type Fact, type Unknown } from '../../kernel/policy/conditions/truth.ts';
import { mayWriteAnything, whyUncertain, type TouchedFile } from './touched-files/touched-files.ts';
import { readGlob } from './globs/glob.ts';
import { copiesContainMatch, copiesMayFollowLink, folderContainsLink } from './touched-files/copied-trees.ts';
import { findMatchBelow } from './disk/find-match-below.ts';
import { overBudgetReason } from './disk/disk-budget.ts';
import type { SplitPath } from './globs/split-path.ts';
import { quote } from './resolve/quote.ts';
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
  return makeFactPredicate(
    { text: `reads(${JSON.stringify(glob)})`, clause: () => factClauses.reads(glob), source: 'files' },
    readsFact(glob),
  );
}

/** True if a call creates, changes or deletes a file whose path matches the pattern. */
export function writes(glob: string): FactPredicate {
  return makeFactPredicate(
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
    const concerned = found.withMode(mode);
    const isTold = found.unknown === undefined || (mode === 'write' && found.missingIsRead);
    const more = isTold ? false : unknownBecause(found.unknown);
    if (concerned.length === 0) return more;
    const doubts: Doubt[] = [];
    const asked = { pattern: rooted(call.cwd), seen: found.seen };
    for (const file of concerned) {
      if (!found.seen.spend(1)) return unknownBecause(overBudgetReason);
      for (const truth of touchesMatch(file, asked)) {
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
    const told = typeof doubt === 'function' ? doubt() : doubt;
    if (told !== undefined) return told;
  }
  return undefined;
}

interface MatchContext {
  readonly pattern: RootedGlob;
  readonly seen: DiskCache;
}

function touchesMatch(file: TouchedFile, asked: MatchContext): readonly (boolean | Doubt)[] {
  if (file.places.length === 0 && file.origin === 'implied') return [];
  if (file.places.length === 0)
    return [unknownBecause(file.lost ?? `the line does not show where ${file.shown} leads`)];
  // The locations are only guesses.
  if (!file.sure) return [unknownBecause(`the folder that ${file.shown} starts from is uncertain`)];
  const truths = file.places.map((place) => placeMatch(file, place, asked));
  const isCertain = file.perhaps !== true && truths.every((truth) => truth === true);
  if (isCertain || !truths.includes(true)) return truths;
  return [unknownBecause(whyUncertain(file))];
}

function placeMatch(file: TouchedFile, place: PathLocation, { pattern, seen }: MatchContext): boolean | Doubt {
  const { checked } = place;
  if (checked === undefined) return unknownBecause(place.why);
  // Looking at a folder reveals the names in it. Looking at a file does not read its content.
  const isLooked = file.looked === true && !isFolder(place);
  if (isLooked && file.reach === 'itself') return false;
  const named = seen.split(place, checked);
  const { fits, below, near } = pattern.match(named);
  if (fits === true && isLooked) return unknownBecause(`${file.shown} is read only if it was changed`);
  if (fits === true) return file.mode === 'either' ? unknownBecause(`${file.shown} may be read or written`) : true;
  if (fits === 'perhaps') return unknownBecause(`${file.shown} leads to ${checked.path}, which the pattern may match`);
  if (file.copies !== undefined) return copiesMatch(file, place, { pattern, seen });
  if (file.reach === 'itself') return false;
  if (!below)
    return mayWriteAnything(file) && (() => (folderContainsLink(place, seen) ? mayWriteThroughLink(file) : undefined));
  if (!near && isUnnamedByLine(file)) return false;
  const folder = unknownBecause(`${folderText(file, checked)}, and the pattern may match something in it`);
  const isThere = checked.identity !== undefined;
  if (isThere && !isFolder(place)) return false;
  if (!onlyExistingCounts(file)) return folder;
  return isThere && (() => matchBelow(file, named, { pattern, seen }));
}

function matchBelow(file: TouchedFile, folder: SplitPath, { pattern, seen }: MatchContext): Unknown | undefined {
  const found = findMatchBelow(folder, pattern, { seen, choice: folderFilterOf(folder.path, file, seen) });
  if (found === undefined) return undefined;
  if (found.path === undefined)
    return unknownBecause(`${file.shown} is a folder, and the pattern may match something in it`);
  const held = quote(posix.relative(folder.path, found.path));
  const name = posix.basename(found.path);
  const advice = file.excluding === undefined ? '' : `; ${file.excluding}=${name} would exclude it`;
  return unknownBecause(`${file.shown} is a folder that contains ${held}, which the pattern matches${advice}`);
}

/**
 * Checks what a copy creates at the destination: the names below its source, and targets of links that are in the way.
 */
function copiesMatch(
  { copies = [], shown, keepsLinks = false }: TouchedFile,
  place: PathLocation,
  { pattern, seen }: MatchContext,
): Doubt {
  return () => {
    if (place.checked === undefined) return unknownBecause(place.why);
    const to = seen.split(place, place.checked);
    if (pattern.match(to).below && copiesContainMatch(copies, { to, pattern, seen, keepsLinks }))
      return unknownBecause(`${shown} is a folder, and the pattern may match something in it`);
    return copiesMayFollowLink({ copies, keepsLinks }, place, seen) ? mayWriteThroughLink({ shown }) : undefined;
  };
}

function folderText({ shown }: TouchedFile, { identity }: CheckedPath): string {
  return identity === undefined ? `${shown} does not exist yet and may become a folder` : `${shown} is a folder`;
}

function mayWriteThroughLink({ shown }: Pick<TouchedFile, 'shown'>): Unknown {
  return unknownBecause(`${shown} contains a link that may be written through`);
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
