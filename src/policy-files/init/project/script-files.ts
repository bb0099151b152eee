/** Finds script files that test, build, check or format the project: `scripts/test.sh`. */

import type { FolderView } from './folder-view.ts';
import { isUsualScript } from './package-scripts.ts';
import type { ProjectCommand } from './project.ts';

const scriptFolders = ['scripts', 'script', 'bin'];
const maxScripts = 20;

export interface FoundScripts {
  readonly commands: readonly ProjectCommand[];
  readonly files: readonly string[];
}

export function findScripts(view: FolderView): FoundScripts {
  const files = scriptFolders
    .flatMap((folder) => view.names(folder).map((name) => ({ folder, name })))
    .filter(({ name }) => isUsualScript(name.replace(/\.(?:sh|bash)$/, '')) && !/^tsc|^eslint|^prettier/.test(name))
    .map(({ folder, name }) => `${folder}/${name}`)
    .slice(0, maxScripts);
  const commands = files.flatMap((file) => {
    const bash = file.endsWith('sh') ? [`bash ${file}`] : [];
    return [`./${file}`, file, ...bash].map((line) => ({ line }));
  });
  return { commands, files };
}
