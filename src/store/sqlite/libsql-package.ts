/**
 * Finds and loads libsql, the driver of SQLite for Node versions without `node:sqlite`. Users of these versions install
 * it. Bundled commands load it in another way: packaging/bundle-cli.mjs.
 */

import { readFileSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { findPackage, optionalPackages } from '../../files/own-packages.ts';
import { lazy } from '../../kernel/lazy.ts';

/** The part of libsql that is used here. */
export type Libsql = new (
  path: string,
  options: { readonly timeout: number },
) => {
  prepare(sql: string): {
    all(params: readonly unknown[]): unknown[];
    run(params: readonly unknown[]): { readonly changes: number };
    columns(): readonly { readonly name: string }[];
  };
  exec(sql: string): unknown;
  close(): unknown;
};

interface Manifest {
  readonly version?: string;
  readonly main?: string;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** Undefined if it is not installed. Default: next to this Bridle. */
export function loadLibsql(root = join(import.meta.dirname, '../../..')): Libsql | undefined {
  const folder = libsqlFolder(root);
  if (folder === undefined) return undefined;
  // Its native part is in a package of its own. Without it, Node would look for that in all folders above.
  const names = platformNames(folder);
  const isComplete = names.length > 0 && names.every((name) => findPackage(name, folder) !== undefined);
  if (!isComplete && nativeFolder(folder) === undefined) return undefined;
  return createRequire(join(root, 'package.json'))(folder) as Libsql;
}

/** The file of its native part, next to the Bridle in `root`; undefined if it is not installed. */
export function libsqlNative(root: string): string | undefined {
  const folder = libsqlFolder(root);
  const native = folder && nativeFolder(folder);
  return native && join(native, manifestIn(native).main ?? 'index.node');
}

function libsqlFolder(root: string): string | undefined {
  const found = findPackage('libsql', root);
  const folder = found && realpathSync(found);
  return folder !== undefined && manifestIn(folder).version === optionalPackages.libsql ? folder : undefined;
}

/** The names of its native packages for this system and processor: on Linux, one per C library. */
function platformNames(folder: string): readonly string[] {
  const start = `@libsql/${process.platform}-${process.arch}`;
  const names = Object.keys(manifestIn(folder).optionalDependencies ?? {});
  return names.filter((name) => name === start || name.startsWith(`${start}-`));
}

/** The one for the C library of this system. */
function nativeFolder(folder: string): string | undefined {
  const isLinux = process.platform === 'linux';
  const name = platformNames(folder).find((each) => !isLinux || each.includes('musl') !== isGlibc());
  return name && findPackage(name, folder);
}

const isGlibc = lazy(() => {
  const { header } = process.report.getReport() as { readonly header?: { readonly glibcVersionRuntime?: string } };
  return header?.glibcVersionRuntime !== undefined;
});

function manifestIn(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
}
