/** `readsInside(folder)` and `writesInside(folder)`: whether everything a call touches lies in these folders (X08). */

import { BridleError } from '../errors.ts';
import { factClauses } from '../fact-clauses.ts';
import { predicateOf, type FactPredicate } from '../fact-predicate.ts';
import { allTrue, anyTrue, isUnknown, unknown, type Fact, type Truth } from '../truth.ts';
import { copiesMeetLink, folderHoldsLink } from './copied-trees.ts';
import { mayWriteAnything, whyPerhaps, type TouchedFile } from './found-files.ts';
import { costs, tooMuch } from './look-budget.ts';
import { resolvePath } from './resolve-path.ts';
import type { SeenPlaces } from './seen-places.ts';
import { standsInside } from './stands-inside.ts';
import { touchedFiles } from './touched-files.ts';
import { isFolder, type TouchedPlace } from './touched-place.ts';

/**
 * True of a call that reads nothing outside these folders. Relative ones start where the call does.
 * @example
 * ```ts
 * import { allow } from 'bridle';
 * import { readsInside } from 'bridle/paths';
 *
 * const rule = allow('run_command', { when: readsInside('.') });
 * ```
 */
export function readsInside(...folders: readonly string[]): FactPredicate {
  return predicateOf(
    {
      text: `readsInside(${JSON.stringify(folders)})`,
      clause: () => factClauses.readsInside(folders),
      source: 'files',
    },
    readsInsideFact(folders),
  );
}

/** True of a call that makes, changes or deletes nothing but what lies below these folders; not the folders themselves. */
export function writesInside(...folders: readonly string[]): FactPredicate {
  return predicateOf(
    {
      text: `writesInside(${JSON.stringify(folders)})`,
      clause: () => factClauses.writesInside(folders),
      source: 'files',
    },
    writesInsideFact(folders),
  );
}

export function readsInsideFact(folders: readonly string[]): Fact {
  return insideFact(folders, 'read');
}

export function writesInsideFact(folders: readonly string[]): Fact {
  return insideFact(folders, 'write');
}

function insideFact(folders: readonly string[], mode: 'read' | 'write'): Fact {
  const empty = folders.length === 0 || folders.some((folder) => typeof folder !== 'string' || folder === '');
  if (empty) throw new BridleError('OPTION_INVALID', 'A folder is wanted: "." for the folder of the call.');
  return (call, tool) => {
    const found = touchedFiles(call, tool);
    const { unknown: why } = found;
    const isTold = why === undefined || (mode === 'write' && found.missingIsRead);
    const concerned = found.of(mode);
    if (!found.seen.spend(concerned.length * costs.call)) return unknown(tooMuch);
    const roots = concerned.length === 0 ? [] : folders.map((folder) => rootOf(folder, call.cwd));
    const truths = concerned.flatMap((file) => [
      liesInside(file, roots, mode === 'write' && isEntry(file)),
      ...(mode === 'write' ? linksInside(file, found.seen) : []),
    ]);
    return allTrue(isTold ? truths : [...truths, unknown(why)]);
  };
}

/** What a program does inside a folder leaves the folder itself alone. */
function isEntry({ origin, reach, filters, places }: TouchedFile): boolean {
  if (origin === 'implied') return false;
  const isWithin = reach === 'picked' || filters?.every(({ pattern }) => pattern !== '*') === true;
  return !(isWithin && places.every(isFolder));
}

/** What is written in a folder may be written through a link that stands there, and that may lead anywhere. */
function linksInside(file: TouchedFile, seen: SeenPlaces): readonly Truth[] {
  const { copies, places, shown } = file;
  const meetsLink = (place: TouchedPlace): boolean =>
    copies === undefined ? mayWriteAnything(file) && folderHoldsLink(place, seen) : copiesMeetLink(file, place, seen);
  if (!places.some(meetsLink)) return [];
  return [unknown(`${shown} holds a link that may be written through`)];
}

/** The folder with every link followed; undefined where it cannot be told. */
function rootOf(folder: string, cwd: string | undefined): string | undefined {
  const isRooted = folder.startsWith('/') || folder === '~' || folder.startsWith('~/');
  if (cwd === undefined && !isRooted) return undefined;
  const resolution = resolvePath(folder, { cwd: cwd ?? '/' });
  return resolution.type === 'resolved' ? resolution.checked.path : undefined;
}

/** `below`: being one of the folders itself is not enough, since that could be deleted. */
function liesInside(file: TouchedFile, roots: readonly (string | undefined)[], below: boolean): Truth {
  if (file.unnamed === 'repository')
    return unknown('git would use the repository of another folder, whose settings may start programs');
  if (file.lost !== undefined) return unknown(file.lost);
  if (file.places.length === 0)
    return unknown(
      file.shown === '' ? 'the line does not name every file' : `the line does not say where ${file.shown} leads`,
    );
  const truths = file.places.map(({ checked, why }): Truth => {
    if (checked === undefined) return unknown(why);
    return anyTrue(
      roots.map((root) => {
        if (root === undefined) return unknown('nobody knows which folder the call starts from');
        return standsInside(root, checked) && !(below && checked.path === root);
      }),
    );
  });
  // No more than a guess.
  if (!file.sure) return unknown(`where ${file.shown} starts from is not sure`);
  const isSame = truths.every((truth) => truth === truths[0]);
  if (isSame && truths[0] === false && file.guessed === true) return unknown(`${file.shown} is perhaps not touched`);
  if (isSame && (file.perhaps !== true || truths[0] === true)) return truths[0] ?? true;
  return truths.find(isUnknown) ?? unknown(whyPerhaps(file));
}
