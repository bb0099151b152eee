/** `reads(glob)` and `writes(glob)`: facts about the files a call touches (X08). */

import { predicateOf, type FactPredicate } from '../fact-predicate.ts';
import { unknown, type Fact, type Unknown } from '../truth.ts';
import type { TouchedFile } from './found-files.ts';
import { readGlob } from './glob.ts';
import { holdsMatch } from './holds-match.ts';
import { rootGlob, type RootedGlob } from './rooted-glob.ts';
import type { SeenPlaces } from './seen-places.ts';
import { touchedFiles } from './touched-files.ts';
import { isFolder, type TouchedPlace } from './touched-place.ts';

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
  return predicateOf({ text: `reads(${JSON.stringify(glob)})`, source: 'files' }, readsFact(glob));
}

/** True of a call that makes, changes or deletes a file whose path fits the pattern. */
export function writes(glob: string): FactPredicate {
  return predicateOf({ text: `writes(${JSON.stringify(glob)})`, source: 'files' }, writesFact(glob));
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
  if (file.places.length === 0) return [unknown(`where ${file.shown} leads is not told by the line`)];
  // Relative to a folder that nobody knows for sure: no more than a guess.
  if (!file.sure) return [unknown(`where ${file.shown} starts from is not sure`)];
  const truths = file.places.map((place) => placeMatch(file, place, asked));
  if (file.perhaps !== true || !truths.includes(true)) return truths;
  return [unknown(`${file.shown} may stand for ${file.places.map(({ text }) => text).join(' or ')}`)];
}

function placeMatch(file: TouchedFile, place: TouchedPlace, { pattern, seen }: Asked): boolean | Doubt {
  const { checked } = place;
  if (checked === undefined) return unknown(place.why);
  const named = seen.name(place, checked);
  const { fits, below, near } = pattern.match(named);
  if (fits === true) return file.mode === 'either' ? unknown(`${file.shown} may be read or written`) : true;
  if (fits === 'perhaps') return unknown(`${file.shown} leads to ${checked.path}, which the pattern may mean`);
  if (!below || file.reach === 'itself') return false;
  if (!near && isInside(file)) return false;
  const isThere = checked.identity !== undefined;
  if (isThere && !isFolder(place)) return false;
  const folder = unknown(`${file.shown} is a folder, and the pattern may mean something in it`);
  if (!isOfNow(file)) return folder;
  return isThere && (() => (holdsMatch(named, pattern, seen) ? folder : undefined));
}

/** What a program does somewhere in a folder without being told, or while nobody knows it, the line does not show (X04). */
function isInside({ mode, origin }: TouchedFile): boolean {
  return origin === 'implied' || (origin === 'line' && mode === 'either');
}

/** Only what stands in the folder now counts. What a program nobody knows would make there it does inside. */
function isOfNow({ reach, mode, origin }: TouchedFile): boolean {
  return reach === 'tree' || mode !== 'write' || origin === 'implied';
}
