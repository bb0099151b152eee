/** `reads(glob)` and `writes(glob)`: facts about the files a call touches (X08). */

import { posix } from 'node:path';
import type { CheckedPath } from '../call.ts';
import { factClauses } from '../fact-clauses.ts';
import { predicateOf, type FactPredicate } from '../fact-predicate.ts';
import { unknown, type Fact, type Unknown } from '../truth.ts';
import { mayWriteAnything, whyPerhaps, type TouchedFile } from './found-files.ts';
import { readGlob } from './glob.ts';
import { copiesHoldMatch, copiesMeetLink, folderHoldsLink } from './copied-trees.ts';
import { holdsMatch } from './holds-match.ts';
import { tooMuch } from './look-budget.ts';
import type { NamedPath } from './named-path.ts';
import { quote } from './quote.ts';
import { rootGlob, type RootedGlob } from './rooted-glob.ts';
import type { SeenPlaces } from './seen-places.ts';
import { touchedFiles } from './touched-files.ts';
import { isFolder, type TouchedPlace } from './touched-place.ts';
import { choiceIn } from './tree-choice.ts';

/**
 * True of a call that reads a file whose path fits the pattern.
 * @example
 * ```ts
 * import { forbid } from 'bridle';
 * import { reads } from 'bridle/paths';
 *
 * const rule = forbid('*', { when: reads('**\/.env') });
 * ```
 */
export function reads(glob: string): FactPredicate {
  return predicateOf(
    { text: `reads(${JSON.stringify(glob)})`, clause: () => factClauses.reads(glob), source: 'files' },
    readsFact(glob),
  );
}

/** True of a call that makes, changes or deletes a file whose path fits the pattern. */
export function writes(glob: string): FactPredicate {
  return predicateOf(
    { text: `writes(${JSON.stringify(glob)})`, clause: () => factClauses.writes(glob), source: 'files' },
    writesFact(glob),
  );
}

export function readsFact(glob: string): Fact {
  return touches(glob, 'read');
}

export function writesFact(glob: string): Fact {
  return touches(glob, 'write');
}

function touches(glob: string, mode: 'read' | 'write'): Fact {
  const rooted = rootGlob(readGlob(glob));
  return (call, tool) => {
    const found = touchedFiles(call, tool);
    const concerned = found.of(mode);
    const isTold = found.unknown === undefined || (mode === 'write' && found.missingIsRead);
    const more = isTold ? false : unknown(found.unknown);
    if (concerned.length === 0) return more;
    const doubts: Doubt[] = [];
    const asked = { pattern: rooted(call.cwd), seen: found.seen };
    for (const file of concerned) {
      if (!found.seen.spend(1)) return unknown(tooMuch);
      for (const truth of touchesMatch(file, asked)) {
        if (truth === true) return true;
        if (truth !== false) doubts.push(truth);
      }
    }
    return firstDoubt(doubts) ?? more;
  };
}

/** Folders are looked through only if nothing else decides: that takes longest, and finds no yes. */
type Doubt = Unknown | (() => Unknown | undefined);

function firstDoubt(doubts: readonly Doubt[]): Unknown | undefined {
  for (const doubt of doubts) {
    const told = typeof doubt === 'function' ? doubt() : doubt;
    if (told !== undefined) return told;
  }
  return undefined;
}

interface Asked {
  readonly pattern: RootedGlob;
  readonly seen: SeenPlaces;
}

function touchesMatch(file: TouchedFile, asked: Asked): readonly (boolean | Doubt)[] {
  if (file.places.length === 0 && file.origin === 'implied') return [];
  if (file.places.length === 0) return [unknown(file.lost ?? `where ${file.shown} leads is not told by the line`)];
  // No more than a guess.
  if (!file.sure) return [unknown(`where ${file.shown} starts from is not sure`)];
  const truths = file.places.map((place) => placeMatch(file, place, asked));
  const isCertain = file.perhaps !== true && truths.every((truth) => truth === true);
  if (isCertain || !truths.includes(true)) return truths;
  return [unknown(whyPerhaps(file))];
}

function placeMatch(file: TouchedFile, place: TouchedPlace, { pattern, seen }: Asked): boolean | Doubt {
  const { checked } = place;
  if (checked === undefined) return unknown(place.why);
  // The names in a folder are what it holds; of a file that is only looked at, nothing is read.
  const isLooked = file.looked === true && !isFolder(place);
  if (isLooked && file.reach === 'itself') return false;
  const named = seen.name(place, checked);
  const { fits, below, near } = pattern.match(named);
  if (fits === true && isLooked) return unknown(`${file.shown} is read only if it was changed`);
  if (fits === true) return file.mode === 'either' ? unknown(`${file.shown} may be read or written`) : true;
  if (fits === 'perhaps') return unknown(`${file.shown} leads to ${checked.path}, which the pattern may mean`);
  if (file.copies !== undefined) return copiesMatch(file, place, { pattern, seen });
  if (file.reach === 'itself') return false;
  if (!below) return mayWriteAnything(file) && (() => (folderHoldsLink(place, seen) ? throughLink(file) : undefined));
  if (!near && isInside(file)) return false;
  const folder = unknown(`${folderText(file, checked)}, and the pattern may mean something in it`);
  const isThere = checked.identity !== undefined;
  if (isThere && !isFolder(place)) return false;
  if (!isOfNow(file)) return folder;
  return isThere && (() => matchBelow(file, named, { pattern, seen }));
}

function matchBelow(file: TouchedFile, folder: NamedPath, { pattern, seen }: Asked): Unknown | undefined {
  const found = holdsMatch(folder, pattern, { seen, choice: choiceIn(folder.path, file, seen) });
  if (found === undefined) return undefined;
  if (found.path === undefined) return unknown(`${file.shown} is a folder, and the pattern may mean something in it`);
  const held = quote(posix.relative(folder.path, found.path));
  const name = posix.basename(found.path);
  const advice = file.excluding === undefined ? '' : `; ${file.excluding}=${name} would leave it out`;
  return unknown(`${file.shown} is a folder that holds ${held}, which the pattern means${advice}`);
}

/** What comes to stand there by a copy: the names below its source, or what a link leads to that stands in its way. */
function copiesMatch(
  { copies = [], shown, keepsLinks = false }: TouchedFile,
  place: TouchedPlace,
  { pattern, seen }: Asked,
): Doubt {
  return () => {
    if (place.checked === undefined) return unknown(place.why);
    const to = seen.name(place, place.checked);
    if (pattern.match(to).below && copiesHoldMatch(copies, { to, pattern, seen, keepsLinks }))
      return unknown(`${shown} is a folder, and the pattern may mean something in it`);
    return copiesMeetLink({ copies, keepsLinks }, place, seen) ? throughLink({ shown }) : undefined;
  };
}

function folderText({ shown }: TouchedFile, { identity }: CheckedPath): string {
  return identity === undefined ? `${shown} is not there yet and may become a folder` : `${shown} is a folder`;
}

function throughLink({ shown }: Pick<TouchedFile, 'shown'>): Unknown {
  return unknown(`${shown} holds a link that may be written through`);
}

/** What a program does somewhere in a folder without being told, or while nobody knows it, the line does not show (X04). */
function isInside({ mode, origin, reach }: TouchedFile): boolean {
  return origin === 'implied' || reach === 'picked' || (origin === 'line' && mode === 'either');
}

/** Only what stands in the folder now counts. What a program nobody knows would make there it does inside. */
function isOfNow({ reach, mode, origin, unnamed }: TouchedFile): boolean {
  return reach === 'tree' || (reach === 'picked' && unnamed === undefined) || mode !== 'write' || origin === 'implied';
}
