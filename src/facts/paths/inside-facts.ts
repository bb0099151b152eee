/** `readsInside(folder)` and `writesInside(folder)`: whether everything a call touches is in these folders (X08). */

import { BridleError } from '../../kernel/errors.ts';
import { factClauses } from '../fact-clauses.ts';
import { createFactPredicate, type FactPredicate } from '../fact-predicate.ts';
import { allTrue, anyTrue, isUnknown, unknownBecause, type Fact, type Truth } from '../truth.ts';
import { copiesMayFollowLink, folderContainsLink } from './touched-files/copied-trees.ts';
import { mayWriteAnything, whyUncertain, type TouchedFile } from './touched-files/touched-files.ts';
import { diskCosts, overBudgetReason } from './disk/disk-budget.ts';
import { resolvePath } from './resolve/resolve-path.ts';
import type { DiskCache } from './disk/disk-cache.ts';
import { isInside } from './resolve/is-inside.ts';
import { filesOfCall } from './touched-files/files-of-call.ts';
import { isFolder, type PathLocation } from './resolve/path-location.ts';

/**
 * True if a call reads nothing outside these folders. Relative folders start at the folder of the call.
 * @example
 * ```ts
 * import { allow } from 'bridle';
 * import { readsInside } from 'bridle/facts';
 *
 * const rule = allow('run_command', { when: readsInside('.') });
 * ```
 */
export function readsInside(...folders: readonly string[]): FactPredicate {
  return createFactPredicate(
    {
      text: `readsInside(${JSON.stringify(folders)})`,
      clause: () => factClauses.readsInside(folders),
      source: 'files',
    },
    readsInsideFact(folders),
  );
}

/** True if a call creates, changes or deletes only what is below these folders, and not the folders themselves. */
export function writesInside(...folders: readonly string[]): FactPredicate {
  return createFactPredicate(
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
  if (empty) throw new BridleError('OPTION_INVALID', 'A folder is missing: write "." for the folder of the call.');
  return (call, tool) => {
    const found = filesOfCall(call, tool);
    const { unknown: why } = found;
    const isKnown = why === undefined || (mode === 'write' && found.missingIsRead);
    const touched = found.withMode(mode);
    if (!found.disk.spend(touched.length * diskCosts.call)) return unknownBecause(overBudgetReason);
    const roots = touched.length === 0 ? [] : folders.map((folder) => rootOf(folder, call.cwd));
    const truths = touched.flatMap((file) => [
      liesInside(file, roots, mode === 'write' && isEntry(file)),
      ...(mode === 'write' ? linkDoubts(file, found.disk) : []),
    ]);
    return allTrue(isKnown ? truths : [...truths, unknownBecause(why)]);
  };
}

/** A program that works inside a folder leaves the folder itself unchanged. */
function isEntry({ origin, reach, filters, locations }: TouchedFile): boolean {
  if (origin === 'implied') return false;
  const isWithin = reach === 'picked' || filters?.every(({ pattern }) => pattern !== '*') === true;
  return !(isWithin && locations.every(isFolder));
}

/** Writing in a folder may follow a link in it, and that may lead anywhere. */
function linkDoubts(file: TouchedFile, disk: DiskCache): readonly Truth[] {
  const { copies, locations, label } = file;
  const meetsLink = (location: PathLocation): boolean =>
    copies === undefined
      ? mayWriteAnything(file) && folderContainsLink(location, disk)
      : copiesMayFollowLink(file, location, disk);
  if (!locations.some(meetsLink)) return [];
  return [unknownBecause(`${label} contains a link that may be written through`)];
}

/** Resolves a folder; returns undefined if that is not possible. */
function rootOf(folder: string, cwd: string | undefined): string | undefined {
  const isRooted = folder.startsWith('/') || folder === '~' || folder.startsWith('~/');
  if (cwd === undefined && !isRooted) return undefined;
  const resolution = resolvePath(folder, { cwd: cwd ?? '/' });
  return resolution.type === 'resolved' ? resolution.checked.path : undefined;
}

/** `below`: the folder itself does not count as inside, because it could be deleted. */
function liesInside(file: TouchedFile, roots: readonly (string | undefined)[], below: boolean): Truth {
  if (file.unnamed === 'repository')
    return unknownBecause('git would use the repository of another folder, and its settings may start programs');
  if (file.fromUnknown !== undefined) return unknownBecause(file.fromUnknown);
  if (file.locations.length === 0)
    return unknownBecause(
      file.label === '' ? 'the line does not name every file' : `the line does not show where ${file.label} leads`,
    );
  const truths = file.locations.map(({ checked, why }): Truth => {
    if (checked === undefined) return unknownBecause(why);
    return anyTrue(
      roots.map((root) => {
        if (root === undefined) return unknownBecause('the folder that the call starts from is unknown');
        return isInside(root, checked) && !(below && checked.path === root);
      }),
    );
  });
  // The locations are only guesses.
  if (!file.sure) return unknownBecause(`the folder that ${file.label} starts from is uncertain`);
  const isSame = truths.every((truth) => truth === truths[0]);
  if (isSame && truths[0] === false && file.uncertain === true)
    return unknownBecause(`it is uncertain whether ${file.label} is touched`);
  if (isSame && (file.mayBeUntouched !== true || truths[0] === true)) return truths[0] ?? true;
  return truths.find(isUnknown) ?? unknownBecause(whyUncertain(file));
}
