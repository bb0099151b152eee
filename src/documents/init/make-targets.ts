import type { FolderView } from './folder-view.ts';
import { usualScripts } from './package-scripts.ts';
import type { ProjectCommand } from './project.ts';

/** GNU make takes the first of these that is there. */
const makefiles = ['GNUmakefile', 'makefile', 'Makefile'];

/** `make test` and the like, for targets that stand in the makefile in so many words. */
export function targetCommands(view: FolderView): ProjectCommand[] {
  const file = makefiles.find((name) => view.has(name));
  const text = file === undefined ? '' : (view.text(file) ?? '');
  const targets = new Set(Array.from(text.matchAll(/^([A-Za-z][\w-]{0,40})[ \t]*:(?![=:])/gm), ([, name]) => name));
  const wanted = usualScripts.filter((name) => !name.includes(':') && targets.has(name));
  return wanted.map((name) => ({ line: `make ${name}` }));
}
