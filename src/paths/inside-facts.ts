/** `readsInside(folder)` and `writesInside(folder)`: whether everything a call touches lies in these folders (X08). */

import { BridleError } from '../errors.ts';
import { predicateOf, type FactPredicate } from '../fact-predicate.ts';
import { allTrue, anyTrue, unknown, type Fact, type Truth } from '../truth.ts';
import type { TouchedFile } from './found-files.ts';
import { resolvePath } from './resolve-path.ts';
import { standsInside } from './stands-inside.ts';
import { touchedFiles } from './touched-files.ts';

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
  return predicateOf({ text: `readsInside(${JSON.stringify(folders)})`, source: 'files' }, readsInsideFact(folders));
}

/** True of a call that makes, changes or deletes nothing but what lies below these folders; not the folders themselves. */
export function writesInside(...folders: readonly string[]): FactPredicate {
  return predicateOf({ text: `writesInside(${JSON.stringify(folders)})`, source: 'files' }, writesInsideFact(folders));
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
    const roots = concerned.length === 0 ? [] : folders.map((folder) => rootOf(folder, call.cwd));
    const truths = concerned.map((file) => liesInside(file, roots, mode === 'write' && file.origin !== 'implied'));
    return allTrue(isTold ? truths : [...truths, unknown(why)]);
  };
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
  if (file.sure && file.perhaps === true && truths.includes(false))
    return unknown(`${file.shown} may stand for ${file.places.map(({ text }) => text).join(' or ')}`);
  if (file.sure) return allTrue(truths);
  // Relative to a folder that nobody knows for sure: no more than a guess.
  return unknown(`where ${file.shown} starts from is not sure`);
}
