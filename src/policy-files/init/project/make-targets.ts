/** Finds make targets, just recipes and Task tasks that test, build, check or format. */

import type { FolderView } from './folder-view.ts';
import { isUsualScript } from './package-scripts.ts';
import type { ProjectCommand } from './project.ts';

interface TargetFile {
  readonly program: string;
  /** The first one that exists counts. */
  readonly files: readonly string[];
  /** Matches targets that are written literally. */
  readonly target: RegExp;
}

export const makefiles = ['GNUmakefile', 'makefile', 'Makefile'];
export const justfiles = ['justfile', 'Justfile', '.justfile'];
export const taskfiles = ['Taskfile.yml', 'taskfile.yml', 'Taskfile.yaml', 'taskfile.yaml'];

const targetFiles: readonly TargetFile[] = [
  { program: 'make', files: makefiles, target: /^([A-Za-z][\w-]{0,40})[ \t]*:(?![=:])/gm },
  { program: 'just', files: justfiles, target: /^@?([A-Za-z][\w-]{0,40})(?:[ \t]+[^:=\n]*)?:(?!=)/gm },
  { program: 'task', files: taskfiles, target: /^ {2}(?! )["']?([A-Za-z][\w:-]{0,40}?)["']?:[ \t]*$/gm },
];

/** `make test` and the like. */
export function targetCommands(view: FolderView, program: string): ProjectCommand[] {
  const row = targetFiles.find((each) => each.program === program);
  const file = row?.files.find((name) => view.has(name));
  if (row === undefined || file === undefined) return [];
  const found = Array.from((view.text(file) ?? '').matchAll(row.target), ([, name = '']) => name);
  const wanted = [...new Set(found)].filter((name) => name === 'all' || isUsualScript(name));
  return wanted.map((name) => ({ line: `${program} ${name}` }));
}
