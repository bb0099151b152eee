/** The packages that only some features need, and where Bridle looks for those whose code decides about calls. */

import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** The versions that the tests use. A test keeps them equal to `package.json`. */
export const optionalPackages = {
  '@dbos-inc/dbos-sdk': '5.3.0',
  '@modelcontextprotocol/client': '2.4.0',
  '@vscode/ripgrep': '1.18.0',
  libsql: '0.5.29',
  pg: '8.23.1',
} as const;

/** The command that installs these packages. */
export function installCommand(...names: readonly (keyof typeof optionalPackages)[]): string {
  return `npm install ${names.map((name) => `${name}@${optionalPackages[name]}`).join(' ')}`;
}

/**
 * The folder of a package that is next to the package in `root`, or inside it; undefined if there is none. Node would also
 * look in all folders above, such as the home folder, and an agent that can write there could bring its own code.
 */
export function findPackage(name: string, root: string): string | undefined {
  const parent = basename(dirname(root)).startsWith('@') ? dirname(dirname(root)) : dirname(root);
  const siblings = basename(parent) === 'node_modules' ? [parent] : [];
  return [join(root, 'node_modules'), ...siblings]
    .map((folder) => join(folder, name))
    .find((folder) => existsSync(join(folder, 'package.json')));
}
