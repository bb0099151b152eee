/**
 * Copies the handler to the data folder, so that an emptied npx cache or an upgrade in the middle of a session leaves the
 * installed hook working (C07). Each build has a folder that is named after its content and never changes.
 */

import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { BridleError } from '../../kernel/errors.ts';
import { lazy } from '../../kernel/lazy.ts';
import { libsqlNative } from '../../store/sqlite/libsql-package.ts';

/** The files of `dist/cli/` that the hook process needs. The first one is started. */
export const handlerFiles = ['hook.cjs', 'hook-code.cjs', 'late.cjs'] as const;
/** The native part of SQLite, in the same folder. A Node that includes SQLite does not use it. */
export const nativeFile = 'libsql.node';

export interface HandlerCopy {
  /** The folder of this build. */
  readonly folder: string;
  /** The file that node starts. */
  readonly file: string;
  /** True if the folder is already complete. */
  readonly exists: boolean;
  /** By path in the folder. */
  readonly contents: ReadonlyMap<string, Uint8Array>;
}

/** The folder of the bundled commands. */
const ownBundles = lazy(() => join(import.meta.dirname, '../../cli'));

/** Reads the handler of this version of Bridle, and looks for a copy of it. */
export function findHandler(data: string, bundles = ownBundles()): HandlerCopy {
  const contents = new Map<string, Uint8Array>();
  for (const name of handlerFiles) {
    const path = join(bundles, name);
    if (!existsSync(path))
      throw new BridleError('OPTION_INVALID', `the handler ${path} is missing: install Bridle again`);
    contents.set(name, readFileSync(path));
  }
  const native = libsqlNative(join(bundles, '../..'));
  if (native !== undefined) contents.set(nativeFile, readFileSync(native));
  const hash = createHash('sha256');
  for (const [path, bytes] of contents) hash.update(`${path}\0${bytes.length}\0`).update(bytes);
  const folder = join(data, 'handlers', hash.digest('hex').slice(0, 16));
  return { folder, file: join(folder, handlerFiles[0]), exists: isComplete(folder, contents), contents };
}

/** Writes the copy to a temporary folder, then renames it, so that a crash never leaves half of it. */
export function copyHandler({ folder, exists, contents }: HandlerCopy, isShared: boolean): void {
  if (exists) return;
  const draft = `${folder}.${process.pid}.tmp`;
  const [folderMode, fileMode] = isShared ? [0o755, 0o644] : [0o700, 0o600];
  try {
    for (const [path, bytes] of contents) {
      const file = join(draft, path);
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
      writeFileSync(file, bytes, { mode: fileMode, flush: true });
      chmodSync(file, fileMode);
    }
    // For any umask.
    chmodSync(draft, folderMode);
    // Content decides the name, so anything else in its place is damaged.
    rmSync(folder, { recursive: true, force: true });
    renameSync(draft, folder);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

function isComplete(folder: string, contents: HandlerCopy['contents']): boolean {
  return Array.from(contents).every(([path, bytes]) => {
    try {
      return readFileSync(join(folder, path)).equals(bytes);
    } catch {
      return false;
    }
  });
}
