/** Bundles a program into one file, which starts several times faster. */

import { mkdtempSync, mkdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { build } from 'vite';
import { afterAll } from 'vitest';
import { root } from '../source.ts';

/** The bundle of a program in this folder, deleted after the tests of the file. */
export function bundleChild(name: string): Promise<string> {
  // Below the root, so that packages are resolved.
  const parent = join(root, 'build', 'faults');
  mkdirSync(parent, { recursive: true });
  const folder = mkdtempSync(join(parent, 'child-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return bundle(join(import.meta.dirname, name), folder);
}

async function bundle(entry: string, folder: string): Promise<string> {
  await build({
    root,
    configFile: false,
    logLevel: 'silent',
    build: { ssr: entry, outDir: folder, emptyOutDir: true, target: 'node20', minify: false, copyPublicDir: false },
  });
  return join(folder, `${basename(entry, '.ts')}.js`);
}
