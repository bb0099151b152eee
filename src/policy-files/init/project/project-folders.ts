/** Finds subfolders in which the project's commands also run: declared workspaces, and parts with a common name. */

import type { FolderView } from './folder-view.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../kernel/json.ts';
import { readJsonc } from './read-jsonc.ts';

/** Common names of project parts that no manifest declares. */
const usualParts = ['api', 'app', 'backend', 'client', 'docs', 'frontend', 'server', 'site', 'ui', 'web', 'website'];
/** A folder, or all folders in one. */
const plainPattern = /^(?:\.\/)?((?:[\w@.-]+\/)*)([\w@.-]+|\*\*?)\/?$/;
const maxFolders = 30;

export interface ProjectFolders {
  readonly folders: readonly string[];
  readonly notes: readonly string[];
}

/** `isPart`: returns true if a folder has a manifest. */
export function findProjectFolders(view: FolderView, isPart: (folder: string) => boolean): ProjectFolders {
  const declared = declaredPatterns(view).flatMap((pattern) => foldersOf(view, pattern));
  const found = [...new Set([...declared, ...usualParts])].filter((folder) => isPlainFolder(folder) && isPart(folder));
  const notes = found.length > maxFolders ? [`${found.length - maxFolders} of ${found.length} workspaces`] : [];
  return { folders: found.slice(0, maxFolders), notes };
}

/** Inside the project, and not a folder of installed packages. */
function isPlainFolder(folder: string): boolean {
  return folder.split('/').every((name) => /^[\w@][\w@.-]*$/.test(name) && name !== 'node_modules');
}

function declaredPatterns(view: FolderView): readonly string[] {
  return [
    ...npmWorkspaces(readJsonc(view.text('package.json') ?? '')),
    ...pnpmWorkspaces(view.text('pnpm-workspace.yaml') ?? ''),
    ...cargoMembers(view.text('Cargo.toml') ?? ''),
    ...goModules(view.text('go.work') ?? ''),
  ];
}

function npmWorkspaces(manifest: JsonObject | undefined): readonly string[] {
  const field = manifest !== undefined && Object.hasOwn(manifest, 'workspaces') ? manifest['workspaces'] : undefined;
  return textsIn(field !== undefined && isJsonObject(field) ? field['packages'] : field);
}

function textsIn(value: JsonValue | undefined): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

/** Only the items of `packages`. */
function pnpmWorkspaces(text: string): readonly string[] {
  const found: string[] = [];
  let isListed = false;
  for (const line of text.split(/\r?\n/)) {
    const [, item] = /^[ \t]*-[ \t]+["']?([^"'\s#]+)/.exec(line) ?? [];
    if (item !== undefined && isListed) found.push(item);
    else if (/^\w/.test(line)) isListed = line.startsWith('packages:');
  }
  return found;
}

function cargoMembers(text: string): readonly string[] {
  const [, list = ''] = /^\[workspace\][^[]*?^members[ \t]*=[ \t]*\[([^\]]*)\]/m.exec(text) ?? [];
  return Array.from(list.matchAll(/"([^"\n]+)"/g), ([, item = '']) => item);
}

function goModules(text: string): readonly string[] {
  const [, list = ''] = /^use[ \t]*\(([^)]*)\)/m.exec(text) ?? [];
  const single = Array.from(text.matchAll(/^use[ \t]+([^\s(]+)[ \t]*$/gm), ([, item = '']) => item);
  return [...single, ...list.split(/\s+/).filter((item) => item !== '')];
}

function foldersOf(view: FolderView, pattern: string): readonly string[] {
  const [, above = '', name = ''] = plainPattern.exec(pattern) ?? [];
  if (name === '') return [];
  return name.startsWith('*') ? view.names(above).map((each) => above + each) : [above + name];
}
