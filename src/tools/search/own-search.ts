/**
 * Searches without ripgrep, for machines that do not have it: one file at a time, within limits of time and size. It reads
 * only files that are where they were found, and never through a link (W08).
 */

import { constants, type Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { BridleError } from '../../kernel/errors.ts';
import {
  type CheckedFolder,
  openFolder,
  openHandle,
  pathError,
  verifyPath,
} from '../../facts/paths/workspace/checked-folder.ts';
import type { FileSearch } from './file-search.ts';
import { errorCodeOf } from '../../facts/paths/resolve/path-refusal.ts';
import { IgnoreRules, readIgnoreLine } from './ignore-files.ts';
import { type LineFinder, lineFinder } from './matching-lines.ts';
import { readAtMost } from './read-at-most.ts';
import { SearchLimits } from './search-limits.ts';

const maxDepth = 100;
const maxFileBytes = 4 * 1024 * 1024;
const fileFlags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

export async function searchWithoutRipgrep(search: FileSearch): Promise<readonly string[]> {
  const own = new OwnSearch(search);
  const folder = await openFolder(search.folder).catch((error: unknown) => {
    throw pathError(error, search.folder.path);
  });
  try {
    await own.start(folder);
  } finally {
    await folder.close();
  }
  return own.notes;
}

function namesOf(path: string): readonly string[] {
  return path.split('/').filter((name) => name !== '');
}

class OwnSearch {
  private readonly limits: SearchLimits;
  private readonly above: readonly string[];
  private readonly find: LineFinder | undefined;
  private readonly isIncluded: (below: readonly string[]) => boolean;

  constructor(private readonly search: FileSearch) {
    const { folder, text, signal } = search;
    this.limits = new SearchLimits(signal);
    this.above = namesOf(folder.path);
    this.find = text && lineFinder(text, this.limits);
    this.isIncluded = includeTest(text?.include);
  }

  get notes(): readonly string[] {
    return this.limits.notes;
  }

  async start(folder: CheckedFolder): Promise<void> {
    let rules = IgnoreRules.none(this.limits);
    for (const depth of this.above.keys()) {
      const names = this.above.slice(0, depth);
      const above = join('/', ...names);
      rules = await rules.with((name) => join(above, name), names);
    }
    await this.visit(folder, [], rules);
  }

  /** `below` are the names of the folder below the searched one. */
  private async visit(folder: CheckedFolder, below: readonly string[], above: IgnoreRules): Promise<void> {
    const rules = await above.with(folder.pathTo, [...this.above, ...below]);
    for (const entry of await this.entriesOf(folder)) {
      if (await this.limits.isOver()) return;
      const path = [...below, entry.name];
      const isExcluded = rules.excludes([...this.above, ...path], entry.isDirectory());
      if (entry.isDirectory()) {
        if (!isExcluded && entry.name !== '.git') await this.enter(folder, path, rules);
      } else if (entry.isFile() && this.wants(path, isExcluded)) await this.searchFile(folder, path);
    }
  }

  /** A path to include is stronger than an ignore file, a name is not. */
  private wants(path: readonly string[], isExcluded: boolean): boolean {
    const isPath = /^[^!].*\//s.test(this.search.text?.include ?? '');
    return this.isIncluded(path) && (!isExcluded || isPath);
  }

  private async entriesOf(folder: CheckedFolder): Promise<readonly Dirent[]> {
    try {
      const entries = await readdir(folder.pathTo('.'), { withFileTypes: true });
      return entries.toSorted((one, other) => (one.name < other.name ? -1 : 1));
    } catch (error) {
      this.noteUnreadable(error);
      return [];
    }
  }

  private async enter(parent: CheckedFolder, path: readonly string[], rules: IgnoreRules): Promise<void> {
    const name = path.at(-1) ?? '';
    if (path.length > maxDepth) {
      this.limits.note(`folders more than ${maxDepth} deep were not searched`);
      return;
    }
    let folder: CheckedFolder;
    try {
      folder = await openFolder({ path: join(parent.path, name), via: parent.pathTo(name), identity: undefined });
    } catch (error) {
      this.noteUnreadable(error);
      return;
    }
    try {
      await this.visit(folder, path, rules);
    } finally {
      await folder.close();
    }
  }

  private async searchFile(folder: CheckedFolder, path: readonly string[]): Promise<void> {
    const { find, search } = this;
    const name = path.join('/');
    if (find === undefined) {
      if (!search.take(name)) this.limits.stop();
      return;
    }
    const text = await this.textOf(folder, path.at(-1) ?? '');
    if (text === undefined) return;
    for (const line of find(text)) {
      if (line !== undefined && !search.take(`${name}\0${line}`)) this.limits.stop();
      if (await this.limits.isOver()) return;
    }
  }

  /** Undefined if it is binary, too large, cannot be read, or is no longer there. */
  private async textOf(folder: CheckedFolder, name: string): Promise<string | undefined> {
    const path = join(folder.path, name);
    try {
      const file = await openHandle(folder.pathTo(name), fileFlags, path);
      try {
        const stats = await file.stat({ bigint: true });
        if (!stats.isFile()) return undefined;
        await verifyPath(file, stats, path);
        const bytes = stats.size > maxFileBytes ? undefined : await readAtMost(file, maxFileBytes, this.search.signal);
        if (bytes !== undefined) return decoded(bytes);
        this.limits.note(`files of more than ${maxFileBytes / 1024 / 1024} MiB were not searched`);
        return undefined;
      } finally {
        await file.close();
      }
    } catch (error) {
      this.noteUnreadable(error);
      return undefined;
    }
  }

  private noteUnreadable(error: unknown): void {
    this.search.signal.throwIfAborted();
    if (errorCodeOf(error) === 'UNKNOWN') throw error;
    this.limits.note(`some ${this.find === undefined ? 'folders' : 'files'} could not be read`);
  }
}

/** A file with a NUL is binary, unless it starts as a text in UTF-16 does. */
function decoded(bytes: Buffer): string | undefined {
  const start = bytes.length < 2 ? 0 : bytes.readUInt16BE(0);
  if (start === 0xfffe) return new TextDecoder('utf-16le').decode(bytes);
  if (start === 0xfeff) return new TextDecoder('utf-16be').decode(bytes);
  return bytes.includes(0) ? undefined : new TextDecoder().decode(bytes);
}

/** With `!` at its start, a path is left out. */
function includeTest(include: string | undefined): (below: readonly string[]) => boolean {
  if (include === undefined) return () => true;
  const line = readIgnoreLine(include.includes('/') ? include : `**/${include}`);
  if (line === undefined) throw new BridleError('TOOL_FAILED', 'include is not a file pattern.');
  return (below) => (!line.foldersOnly && line.fits(below)) !== line.isNegated;
}
