/** Where a path that a call names leads, or why that cannot be told. */

import { posix } from 'node:path';
import type { CheckedPath } from '../../../kernel/call.ts';
import { homeFolder } from '../../../files/home-folder.ts';
import { quote } from './quote.ts';
import { probe } from './path-refusal.ts';
import { isProcessPath, passesProcessPath } from './process-paths.ts';
import { resolvePathWithKind, type PathKind } from './resolve-path.ts';

export interface PathLocation {
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
export function locatePath(given: unknown, cwd: string | undefined, isWord = false): PathLocation {
  if (typeof given !== 'string') return unknownLocation('', 'it is not a text');
  const path = isWord && given === '' ? '.' : given;
  const isHome = path === '~' || path.startsWith('~/');
  const isRooted = isHome || path.startsWith('/') || (!isWord && /^file:/i.test(path));
  if (cwd === undefined && !isRooted)
    return unknownLocation('', `nobody knows which folder ${quote(path)} starts from`);
  if (isWord && /^(?:~[^/]|file:)/i.test(path))
    return unknownLocation('', `${quote(path)} is not read as a path by everyone`);
  const resolution = resolvePathWithKind(path, { cwd: cwd ?? '/' });
  const home = isHome ? probe(() => homeFolder()) : undefined;
  const text = path.startsWith('/') ? path : home?.type === 'found' ? home.value + path.slice(1) : `${cwd}/${path}`;
  if (resolution.type === 'refused') return unknownLocation(text, `${quote(path)} ${resolution.reason}`);
  const { checked, kind } = resolution;
  // These name something else in each process.
  const isOwn = isWord
    ? passesProcessPath(text, checked.path)
    : isProcessPath(posix.normalize(text)) || isProcessPath(checked.path);
  return isOwn
    ? unknownLocation(text, `${quote(path)} is another thing in each process`)
    : { text, checked, kind, why: '' };
}

export function isFolder({ kind }: PathLocation): boolean {
  return kind === 'folder';
}

export function isPlainFile({ kind }: PathLocation): boolean {
  return kind === 'file';
}

export function unknownLocation(text: string, why: string): PathLocation {
  return { text, checked: undefined, kind: undefined, why };
}
