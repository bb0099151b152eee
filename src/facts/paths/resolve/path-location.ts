/** Where a path in a call leads, or why that is unknown. */

import { posix } from 'node:path';
import type { CheckedPath } from '../../../kernel/call.ts';
import { homeFolder } from '../../../files/home-folder.ts';
import { quote, probe } from './path-refusal.ts';
import { isProcessPath, passesProcessPath } from './process-paths.ts';
import { resolvePathWithKind, type PathKind, resolvePath } from './resolve-path.ts';

export interface PathLocation {
  /** Absolute but not resolved, as it would be opened; empty if even that is unknown. */
  readonly text: string;
  /** Undefined if the target is unknown; `why` then gives the reason. */
  readonly checked: CheckedPath | undefined;
  readonly kind: PathKind;
  readonly why: string;
  /** True for a regular file found while listing its folder, without resolving it. */
  readonly isListed?: boolean | undefined;
}

/** `isWord`: the path is a word of a command line, so bash decides what it means. */
export function locatePath(given: unknown, cwd: string | undefined, isWord = false): PathLocation {
  if (typeof given !== 'string') return unknownLocation('', 'it is not a string');
  const path = isWord && given === '' ? '.' : given;
  const isHome = path === '~' || path.startsWith('~/');
  const isRooted = isHome || path.startsWith('/') || (!isWord && /^file:/i.test(path));
  if (cwd === undefined && !isRooted)
    return unknownLocation('', `the folder that ${quote(path)} starts from is unknown`);
  if (isWord && /^(?:~[^/]|file:)/i.test(path))
    return unknownLocation('', `${quote(path)} is not a path for every program`);
  const resolution = resolvePathWithKind(path, { cwd: cwd ?? '/' });
  const home = isHome ? probe(() => homeFolder()) : undefined;
  const text = path.startsWith('/') ? path : home?.type === 'found' ? home.value + path.slice(1) : `${cwd}/${path}`;
  if (resolution.type === 'refused') return unknownLocation(text, `${quote(path)} ${resolution.reason}`);
  const { checked, kind } = resolution;
  // These paths lead somewhere else in each process.
  const isOwn = isWord
    ? passesProcessPath(text, checked.path)
    : isProcessPath(posix.normalize(text)) || isProcessPath(checked.path);
  return isOwn
    ? unknownLocation(text, `${quote(path)} leads somewhere else in each process`)
    : { text, checked, kind, why: '' };
}

export function isFolder({ kind }: PathLocation): boolean {
  return kind === 'folder';
}

export function isRegularFile({ kind }: PathLocation): boolean {
  return kind === 'file';
}

export function unknownLocation(text: string, why: string): PathLocation {
  return { text, checked: undefined, kind: undefined, why };
}

/** Resolves all links in the parent folder and keeps the last name as it is. */
export function resolveParent(text: string): string {
  const path = text.replace(/(?<=.)\/+$/, '');
  const name = posix.basename(path);
  const folder = resolvePath(posix.dirname(path));
  return folder.type === 'resolved' && name !== '..' && name !== '.'
    ? posix.join(folder.checked.path, name)
    : posix.normalize(path);
}
