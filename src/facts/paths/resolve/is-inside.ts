/** Whether a path is inside a folder, and whether two files are the same. */

import { lstatSync, type BigIntStats } from 'node:fs';
import type { CheckedPath, FileIdentity } from '../../../kernel/call.ts';
import { probe } from './path-refusal.ts';

/**
 * True if a resolved path is a resolved folder or inside it. For a missing path, its nearest existing ancestor must be
 * inside, so nothing is inside a folder that does not exist.
 */
export function isInside(folder: string, checked: CheckedPath): boolean {
  const existing = checked.identity === undefined ? checked.ancestor.path : checked.path;
  if (folder === '/' || existing === folder || existing.startsWith(`${folder}/`)) return true;
  return isSameFolder(folder, existing.split('/').slice(0, folder.split('/').length).join('/'));
}

/**
 * On a case-insensitive file system two spellings name one folder, and only its identity shows that. Identity alone is
 * not enough: a bind mount shows the same folder elsewhere, with other mounts in it, and some network file systems
 * reuse one inode number for several files.
 */
function isSameFolder(folder: string, part: string): boolean {
  if (fold(folder) !== fold(part)) return false;
  const one = probe(() => lstatSync(folder, { bigint: true }));
  const other = probe(() => lstatSync(part, { bigint: true }));
  if (one.type === 'failed' || other.type === 'failed') return false;
  return isSameFile(identityOf(one.value), identityOf(other.value));
}

function fold(path: string): string {
  return path.normalize('NFC').toLowerCase().normalize('NFC');
}

/** Device and inode are 64-bit numbers; only the bigint form of `stat` represents them exactly. */
export function identityOf(stats: BigIntStats): FileIdentity {
  return { device: String(stats.dev), inode: String(stats.ino) };
}

export function isSameFile(one: FileIdentity, other: FileIdentity): boolean {
  return one.device === other.device && one.inode === other.inode;
}
