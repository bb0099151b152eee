import { lstatSync, type Dirent } from 'node:fs';
import { opendir } from 'node:fs/promises';
import type { CheckedPath } from '../call.ts';
import { fitsBytes, utf8Length } from '../json.ts';
import { failure, openFolder, type CheckedFolder } from '../paths/checked-folder.ts';
import { probe } from '../paths/refusal.ts';
import { checkedFolder } from './checked-argument.ts';
import { outputLimit } from './output-limit.ts';
import type { ToolContext } from './runnable-tool.ts';
import { argsSchema, folderPathAliases, kib, seconds, type ToolDescription } from './tool-description.ts';

export const listDirectoryTool: ToolDescription = {
  name: 'list_directory',
  description:
    'Lists what is in a folder, one entry per line, folders first and with a slash at the end, files with their size. ' +
    'Not recursive: use find_file to look for a file in a whole tree.',
  tier: 'observe',
  schema: argsSchema({ directory_path: { type: 'string', minLength: 1, description: 'The folder to list.' } }, [
    'directory_path',
  ]),
  paths: ['directory_path'],
  touches: { reads: ['directory_path'] },
  aliases: { names: ['list_dir', 'LIST_DIR'], args: folderPathAliases },
  grant: { timeoutMs: 30 * seconds, outputBytes: 128 * kib },
};

/** Names kept of one folder, so that a folder of millions does not fill the memory. */
const mostNames = 20_000;
const mostShown = 2000;

export async function listDirectory(args: { directory_path: string }, context: ToolContext): Promise<string> {
  const checked = checkedFolder('directory_path', args.directory_path, context);
  const { lines, more } = await read(checked, context.signal);
  if (lines.length === 0) return `${checked.path} is empty.`;
  let left = outputLimit(context, 128 * kib);
  const shown = lines.slice(0, mostShown).filter((line) => (left -= utf8Length(line.toWellFormed()) + 1) >= 0);
  const missing = lines.length - shown.length;
  const note = missing + more === 0 ? [] : [`[${missing}${more > 0 ? ' or more' : ''} further entries are not shown]`];
  return [...shown, ...note].join('\n');
}

async function read(checked: CheckedPath, signal: AbortSignal): Promise<{ lines: string[]; more: number }> {
  try {
    const folder = await openFolder(checked);
    try {
      const found: Dirent[] = [];
      for await (const dirent of await opendir(folder.to('.'), { bufferSize: 256 })) {
        signal.throwIfAborted();
        found.push(dirent);
        if (found.length > mostNames) break;
      }
      const kept = found.slice(0, mostNames).toSorted(byKindAndName);
      return { lines: kept.map((dirent, index) => show(dirent, folder, index)), more: found.length - kept.length };
    } finally {
      await folder.close();
    }
  } catch (error) {
    throw failure(error, checked.path);
  }
}

function byKindAndName(one: Dirent, other: Dirent): number {
  const kind = Number(other.isDirectory()) - Number(one.isDirectory());
  return kind !== 0 ? kind : one.name < other.name ? -1 : 1;
}

function show(dirent: Dirent, folder: CheckedFolder, index: number): string {
  const name = visible(dirent.name);
  if (dirent.isDirectory()) return `${name}/`;
  if (dirent.isSymbolicLink()) return `${name} (symbolic link)`;
  if (!dirent.isFile()) return `${name} (not a regular file)`;
  if (index >= mostShown) return name;
  const stats = probe(() => lstatSync(folder.to(dirent.name)));
  return stats.type === 'found' ? `${name} (${stats.value.size} bytes)` : name;
}

/** A line break in a name would look like another entry. */
export function visible(name: string): string {
  return /[\p{Cc}\p{Zl}\p{Zp}]/u.test(name) || !fitsBytes(name, 1024) ? JSON.stringify(name) : name;
}
