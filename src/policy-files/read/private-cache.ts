/**
 * A cache in a folder that only its owner can write. Anyone who can write it could change decisions, so files with unsafe
 * permissions are ignored. Write errors are ignored too: the cache only saves time.
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
import type { PolicyFile } from '../policy-file.ts';
import type { PolicyFileCache } from './read-policy-files.ts';

const maxBytes = 16 * 1024 * 1024;

export class PrivateCache {
  /** True once something was written: the next start will run different code than this one. */
  hasWritten = false;
  private readonly folder: string;

  constructor(
    private readonly home: string,
    /** Identifies the code that reads and writes: what other code has cached may have another format. */
    readonly build: string,
  ) {
    this.folder = join(home, 'cache');
  }

  read(name: string): Buffer | undefined {
    try {
      return this.isPrivate() ? readPrivate(join(this.folder, name)) : undefined;
    } catch {
      return undefined;
    }
  }

  /** Keeps at most `maxFiles` files with the same name prefix, up to the first `-`. */
  write(name: string, data: Uint8Array | string, maxFiles: number): void {
    try {
      createFolderSync(this.folder);
      if (!this.isPrivate()) return;
      this.makeRoom(name.slice(0, name.indexOf('-') + 1), maxFiles);
      writeFileAtomicSync(join(this.folder, name), data);
      this.hasWritten = true;
    } catch {
      // The cache only saves time.
      return;
    }
  }

  private isPrivate(): boolean {
    const home = lstatSync(this.home);
    const folder = lstatSync(this.folder);
    return home.isDirectory() && isOwnedByUser(home, 0o022) && folder.isDirectory() && isOwnedByUser(folder, 0o077);
  }

  private makeRoom(kind: string, maxFiles: number): void {
    const cached = readdirSync(this.folder)
      .filter((name) => name.startsWith(kind))
      .map((name) => ({ path: join(this.folder, name), at: lstatSync(join(this.folder, name)).mtimeMs }));
    for (const { path } of cached.toSorted((a, b) => b.at - a.at).slice(maxFiles - 1)) rmSync(path, { force: true });
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

/** False on systems without user ids, where ownership can't be checked. */
function isOwnedByUser(stats: Stats, others: number): boolean {
  return process.getuid !== undefined && stats.uid === process.getuid() && (stats.mode & others) === 0;
}

const maxDocuments = 64;

/** Caches parsed and validated policy files. The key is the file's whole text, so any edit is a cache miss. */
export function documentCache(cache: PrivateCache): PolicyFileCache {
  return {
    get: (key) => {
      const cached = cache.read(fileNameOf(key))?.toString('utf8');
      return cached === undefined ? undefined : parseDocument(cached, { build: cache.build, key });
    },
    set: (key, document) =>
      cache.write(fileNameOf(key), JSON.stringify({ build: cache.build, key, document }), maxDocuments),
  };
}

interface CachedDocument {
  readonly build: string;
  readonly key: string;
  readonly document: PolicyFile;
}

function parseDocument(cached: string, { build, key }: Omit<CachedDocument, 'document'>): PolicyFile | undefined {
  try {
    const read = JSON.parse(cached) as CachedDocument;
    return read.build === build && read.key === key ? read.document : undefined;
  } catch {
    return undefined;
  }
}

/** How many characters of the key go into the file name. */
const maxSampled = 256;

/** A collision only evicts the other entry: the key is stored in the file and compared. */
function fileNameOf(key: string): string {
  let one = 0x811c9dc5;
  let other = key.length;
  for (let i = 0; i < key.length; i += Math.ceil(key.length / maxSampled)) {
    one = Math.imul(one ^ key.charCodeAt(i), 0x01000193);
    other = Math.imul(other + key.charCodeAt(i), 0x85ebca6b) ^ (one >>> 13);
  }
  return `document-${(one >>> 0).toString(36)}${(other >>> 0).toString(36)}`;
}
