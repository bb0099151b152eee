/**
 * Files that only save time, in a folder that nobody but its owner can write: whoever wrote them could decide. What is
 * not safe to read counts as not there, and what cannot be written is not kept.
 */

import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  type Stats,
} from 'node:fs';
import { join } from 'node:path';
import { createFolderSync, writeFileAtomicSync } from '../../files/atomic-write.ts';

const maxBytes = 16 * 1024 * 1024;

export class PrivateCache {
  /** True once something was written: what is used from now on is not what the next start will use. */
  hasWritten = false;
  private readonly folder: string;

  constructor(private readonly home: string) {
    this.folder = join(home, 'cache');
  }

  read(name: string): Buffer | undefined {
    try {
      return this.isPrivate() ? readPrivate(join(this.folder, name)) : undefined;
    } catch {
      return undefined;
    }
  }

  /** Keeps at most `most` files whose names begin like this one, up to the first `-`. */
  write(name: string, data: Uint8Array | string, most: number): void {
    try {
      createFolderSync(this.folder);
      if (!this.isPrivate()) return;
      this.makeRoom(name.slice(0, name.indexOf('-') + 1), most);
      writeFileAtomicSync(join(this.folder, name), data);
      this.hasWritten = true;
    } catch {
      // What only saves time is not missed.
      return;
    }
  }

  private isPrivate(): boolean {
    const home = lstatSync(this.home);
    const folder = lstatSync(this.folder);
    return home.isDirectory() && isOwnedByUser(home, 0o022) && folder.isDirectory() && isOwnedByUser(folder, 0o077);
  }

  private makeRoom(kind: string, most: number): void {
    const kept = readdirSync(this.folder)
      .filter((name) => name.startsWith(kind))
      .map((name) => ({ path: join(this.folder, name), at: lstatSync(join(this.folder, name)).mtimeMs }));
    for (const { path } of kept.toSorted((a, b) => b.at - a.at).slice(most - 1)) rmSync(path, { force: true });
  }
}

function readPrivate(path: string): Buffer | undefined {
  const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stats = fstatSync(file);
    const isSafe = stats.isFile() && isOwnedByUser(stats, 0o077) && stats.size <= maxBytes;
    return isSafe ? readFileSync(file) : undefined;
  } finally {
    closeSync(file);
  }
}

/** Where there are no users, nothing can be said of who may write. */
function isOwnedByUser(stats: Stats, others: number): boolean {
  return process.getuid !== undefined && stats.uid === process.getuid() && (stats.mode & others) === 0;
}
