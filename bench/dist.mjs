/** The build that is measured: this checkout's, or the `dist/` folder that BRIDLE_DIST names. What is measured is what is published. */

import { resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const own = fileURLToPath(new URL('../dist/', import.meta.url));
const folder = process.env.BRIDLE_DIST ?? own;

/** The path of a file of the build. */
export function built(path) {
  return resolve(folder, path);
}

/** Imports a file of the build. */
export function load(path) {
  return import(pathToFileURL(built(path)).href);
}
