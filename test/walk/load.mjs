import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Entry points of the instrumented build; `''` is the root. */
export function load(build, entries) {
  return Promise.all(entries.map((entry) => import(pathToFileURL(join(build, entry, 'index.js')).href)));
}
