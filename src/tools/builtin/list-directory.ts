import { lstatSync, type Dirent } from 'node:fs';
import { opendir } from 'node:fs/promises';
import type { CheckedPath } from '../../kernel/call.ts';
import { fitsBytes, utf8Length } from '../../kernel/json.ts';
import { pathError, openFolder, type CheckedFolder } from '../../facts/paths/workspace/checked-folder.ts';
import { probe } from '../../facts/paths/resolve/path-refusal.ts';
import { checkedFolder } from '../files/checked-argument.ts';
import { kib, outputLimit, type ToolContext } from '../definition/runnable-tool.ts';

/** Entries kept per folder, so that a folder with millions of entries does not fill the memory. */
const maxNames = 20_000;
const maxShown = 2000;

export async function listDirectory(args: { directory_path: string }, context: ToolContext): Promise<string> {
  const checked = checkedFolder('directory_path', args.directory_path, context);
  const { lines, more } = await readEntries(checked, context.signal);
  if (lines.length === 0) return `${checked.path} is empty.`;
  let left = outputLimit(context, 128 * kib);
  const shown = lines.slice(0, maxShown).filter((line) => (left -= utf8Length(line.toWellFormed()) + 1) >= 0);
  const missing = lines.length - shown.length;
  const note = missing + more === 0 ? [] : [`[${missing}${more > 0 ? ' or more' : ''} further entries are not shown]`];
  return [...shown, ...note].join('\n');
}

async function readEntries(checked: CheckedPath, signal: AbortSignal): Promise<{ lines: string[]; more: number }> {
  try {
    const folder = await openFolder(checked);
    try {
      const found: Dirent[] = [];
      for await (const dirent of await opendir(folder.pathTo('.'), { bufferSize: 256 })) {
        signal.throwIfAborted();
        found.push(dirent);
        if (found.length > maxNames) break;
      }
      const kept = found.slice(0, maxNames).toSorted(byKindAndName);
      return { lines: kept.map((dirent, index) => entryLine(dirent, folder, index)), more: found.length - kept.length };
    } finally {
      await folder.close();
    }
  } catch (error) {
    throw pathError(error, checked.path);
  }
}

function byKindAndName(one: Dirent, other: Dirent): number {
  const kind = Number(other.isDirectory()) - Number(one.isDirectory());
  return kind !== 0 ? kind : one.name < other.name ? -1 : 1;
}

function entryLine(dirent: Dirent, folder: CheckedFolder, index: number): string {
  const name = visibleName(dirent.name);
  if (dirent.isDirectory()) return `${name}/`;
  if (dirent.isSymbolicLink()) return `${name} (symbolic link)`;
  if (!dirent.isFile()) return `${name} (not a regular file)`;
  if (index >= maxShown) return name;
  const stats = probe(() => lstatSync(folder.pathTo(dirent.name)));
  return stats.type === 'found' ? `${name} (${stats.value.size} bytes)` : name;
}

/** Quotes a name with control characters: a line break would look like another entry. */
export function visibleName(name: string): string {
  return /[\p{Cc}\p{Zl}\p{Zp}]/u.test(name) || !fitsBytes(name, 1024) ? JSON.stringify(name) : name;
}
