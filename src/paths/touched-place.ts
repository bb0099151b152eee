/** Where a path that a call names leads, or why that cannot be told. */

import { posix } from 'node:path';
import type { CheckedPath } from '../call.ts';
import { homeFolder } from '../home-folder.ts';
import { quote } from './quote.ts';
import { probe } from './refusal.ts';
import { isOfProcess, leadsThroughProcess } from './process-paths.ts';
import { resolveKind, type PathKind } from './resolve-path.ts';

export interface TouchedPlace {
  /** Absolute and not resolved, as it would be opened; empty if not even that can be told. */
  readonly text: string;
  /** Undefined where it cannot be told: `why` says so. */
  readonly checked: CheckedPath | undefined;
  readonly kind: PathKind;
  readonly why: string;
  /** True of a regular file that was seen in its folder, and not looked up by itself. */
  readonly isListed?: boolean | undefined;
}

/** `isWord`: it stands in a command line, where a text means what bash makes of it. */
export function touchedPlace(given: unknown, cwd: string | undefined, isWord = false): TouchedPlace {
  if (typeof given !== 'string') return untold('', 'it is not a text');
  const path = isWord && given === '' ? '.' : given;
  const isHome = path === '~' || path.startsWith('~/');
  const isRooted = isHome || path.startsWith('/') || (!isWord && /^file:/i.test(path));
  if (cwd === undefined && !isRooted) return untold('', `nobody knows which folder ${quote(path)} starts from`);
  if (isWord && /^(?:~[^/]|file:)/i.test(path)) return untold('', `${quote(path)} is not read as a path by everyone`);
  const resolution = resolveKind(path, { cwd: cwd ?? '/' });
  const home = isHome ? probe(() => homeFolder()) : undefined;
  const text = path.startsWith('/') ? path : home?.type === 'found' ? home.value + path.slice(1) : `${cwd}/${path}`;
  if (resolution.type === 'refused') return untold(text, `${quote(path)} ${resolution.reason}`);
  const { checked, kind } = resolution;
  // These name something else in each process.
  const isOwn = isWord
    ? leadsThroughProcess(text, checked.path)
    : isOfProcess(posix.normalize(text)) || isOfProcess(checked.path);
  return isOwn ? untold(text, `${quote(path)} is another thing in each process`) : { text, checked, kind, why: '' };
}

export function isFolder({ kind }: TouchedPlace): boolean {
  return kind === 'folder';
}

export function isPlainFile({ kind }: TouchedPlace): boolean {
  return kind === 'file';
}

export function untold(text: string, why: string): TouchedPlace {
  return { text, checked: undefined, kind: undefined, why };
}
