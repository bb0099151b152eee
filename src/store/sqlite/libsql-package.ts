/**
 * Finds and loads libsql, the driver of SQLite for Node versions without `node:sqlite`. Users of these versions install
 * it. Bundled commands load it in another way: packaging/bundle-cli.mjs.
 */

import { readFileSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
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
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
}

/** Undefined if it is not installed. Default: next to this Bridle. */
export function loadLibsql(root = join(import.meta.dirname, '../../..')): Libsql | undefined {
  const folder = libsqlFolder(root);
  // Its native part is in a package of its own. Without it, Node would look for that in all folders above.
  if (folder === undefined || platformPackages(folder).length === 0) return undefined;
  return createRequire(join(root, 'package.json'))(folder) as Libsql;
}

/** The file of its native part, next to the Bridle in `root`; undefined if it is not installed. */
export function libsqlNative(root: string): string | undefined {
  const folder = libsqlFolder(root);
  const packages = folder === undefined ? [] : platformPackages(folder);
  const suitable = packages.find(
    (each) => process.platform !== 'linux' || basename(each).includes('musl') !== isGlibc(),
  );
  return suitable && join(suitable, manifestIn(suitable).main ?? 'index.node');
}

function libsqlFolder(root: string): string | undefined {
  const found = findPackage('libsql', root);
  const folder = found && realpathSync(found);
  return folder !== undefined && manifestIn(folder).version === optionalPackages.libsql ? folder : undefined;
}

/** For this system and processor, of each C library. */
function platformPackages(folder: string): readonly string[] {
  return Object.keys(manifestIn(folder).optionalDependencies ?? {})
    .flatMap((name) => findPackage(name, folder) ?? [])
    .filter((each) => {
      const { os, cpu } = manifestIn(each);
      return fits(os, process.platform) && fits(cpu, process.arch);
    });
}

const isGlibc = lazy(() => {
  const { header } = process.report.getReport() as { readonly header?: { readonly glibcVersionRuntime?: string } };
  return header?.glibcVersionRuntime !== undefined;
});

function fits(all: readonly string[] | undefined, own: string): boolean {
  return all === undefined || all.includes(own);
}

function manifestIn(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
}
