/** Where relative paths start after `cd` and the like. */

import type { LineState } from './line-state.ts';
import type { ArgumentPart } from './program.ts';
import type { ShellWord } from './shell-word.ts';

const maxFolders = 8;

/** The folder may be missing, so that the shell may also stay where it is. */
export function move(state: LineState, parts: readonly ArgumentPart[]): void {
  let folder: ShellWord | undefined;
  let count = 0;
  for (const part of parts) {
    if (part.type !== 'operand' || part.role !== 'folder') continue;
    folder ??= part.word;
    count += 1;
  }
  const into = folder === undefined || count > 1 ? undefined : placeIn(state.from, folder);
  if (into === undefined || into.length > maxFolders) state.lose();
  else {
    state.from = into;
    state.moved = true;
  }
}

/** Where the paths of a program start that is told to work in a folder. */
export function workingFolders(
  from: readonly string[] | undefined,
  parts: readonly ArgumentPart[],
): readonly string[] | undefined {
  let folders = from;
  for (const part of parts) {
    if (part.type === 'option' && part.role === 'folder' && part.value !== undefined)
      folders = placeIn(folders, part.value);
    if (part.type === 'operand' && part.role === 'folder') folders = placeIn(folders, part.word);
  }
  return folders;
}

/**
 * The folders to start from if this one may have been gone into. `..` goes by the name the shell knows its folder by,
 * which nobody can tell, and `-` and `+1` are no folders.
 */
export function placeIn(from: readonly string[] | undefined, folder: ShellWord): readonly string[] | undefined {
  if (from === undefined || folder.type !== 'literal') return undefined;
  const { value } = folder;
  if (value === '' || /^[-+~]|(?:^|\/)\.\.(?:\/|$)/.test(value)) return undefined;
  const next = value.startsWith('/') ? [value] : from.map((start) => (start === '' ? value : `${start}/${value}`));
  return [...new Set([...from, ...next])];
}
