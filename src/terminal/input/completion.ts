/** Completes what is being typed: commands, tools, files. */

import { existsSync } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { IgnoreRules } from '../../facts/paths/disk/ignore-rules.ts';
import type { MaybePromise } from '../../kernel/maybe-promise.ts';
import { dropControls } from '../output/safe-text.ts';
import { graphemesOf } from '../output/text-width.ts';

/** Each candidate replaces the text from `from` to the cursor. The best comes first. */
export interface Completion {
  readonly from: number;
  readonly candidates: readonly string[];
}

/** Returns undefined if it has nothing to complete here. */
export type Completer = (text: string, cursor: number) => MaybePromise<Completion | undefined>;

/** The answer of the first completer that has candidates. */
export function firstCompletion(completers: readonly Completer[]): Completer {
  return async (text, cursor) => {
    for (const completer of completers) {
      const completion = await completer(text, cursor);
      if (completion !== undefined && completion.candidates.length > 0) return completion;
    }
    return undefined;
  };
}

/** Shorter words are not completed to the name of a tool. */
const minToolLetters = 2;

/** Completes the last word of `before`: a slash command at the start, or the name of a tool. */
export function completeName(
  before: string,
  { commands, tools }: { readonly commands: readonly string[]; readonly tools: readonly string[] },
): Completion | undefined {
  const [word = ''] = /\S*$/u.exec(before) ?? [];
  const from = before.length - word.length;
  const isCommand = from === 0 && word.startsWith('/');
  if (!isCommand && word.length < minToolLetters) return undefined;
  const names = isCommand ? commands.map((name) => `/${name}`) : tools;
  return { from, candidates: names.filter((name) => name.startsWith(word)).toSorted() };
}

/** What all candidates start with. */
export function commonStart([first = '', ...others]: readonly string[]): string {
  let common = '';
  for (const grapheme of graphemesOf(first)) {
    if (!others.every((other) => other.startsWith(common + grapheme))) break;
    common += grapheme;
  }
  return common;
}

/** Folders with more entries than this are completed from their first entries only. */
const maxEntries = 20_000;
const maxCandidates = 200;
/** `@src/a.ts` or `@"a file.ts"`, unfinished. */
const reference = /(?<=^|\s)@(?:"([^"\n]*)|([^\s"]*))$/u;

/**
 * Completes `@path` with files below `root`. It lists one folder if the path contains a `/`. A name alone is also
 * searched for in the folders below. Hidden and ignored files come last.
 */
export function fileCompleter(root: string): Completer {
  return async (text, cursor) => {
    const found = reference.exec(text.slice(0, cursor));
    if (found === null) return undefined;
    const typed = found[1] ?? found[2] ?? '';
    const paths = await pathsFor(root, typed);
    return { from: found.index, candidates: paths.slice(0, maxCandidates).map(referenceTo) };
  };
}

async function pathsFor(root: string, typed: string): Promise<readonly string[]> {
  const slash = typed.lastIndexOf('/') + 1;
  const start = typed.slice(slash);
  const folder = new Folder(root, typed.slice(0, slash), new Map());
  const here = (await folder.entries()).filter(({ name }) => name.startsWith(start));
  if (here.length > 0) return here.map(({ path }) => path);
  return slash === 0 && start !== '' ? searchBelow(folder, start) : [];
}

interface FolderEntry {
  readonly name: string;
  /** Relative to the root; a folder ends with `/`. */
  readonly path: string;
  readonly isFolder: boolean;
  /** Hidden or ignored. */
  readonly isLast: boolean;
}

class Folder {
  constructor(
    private readonly root: string,
    /** Relative to the root, ending with `/`; empty for the root. */
    private readonly path: string,
    private readonly rules: Map<string, IgnoreRules>,
  ) {}

  below({ path }: FolderEntry): Folder {
    return new Folder(this.root, path, this.rules);
  }

  /** The entries, without those that lead outside the root. */
  async entries(): Promise<readonly FolderEntry[]> {
    const folder = resolve(this.root, this.path);
    if (!(await isInside(this.root, folder))) return [];
    const found = await readdir(folder, { withFileTypes: true }).catch(() => []);
    const rules = IgnoreRules.at(folder, this.rules);
    const entries = await Promise.all(
      found
        .filter(({ name }) => name !== '.git' && dropControls(name) === name && !/["\n]/u.test(name))
        .slice(0, maxEntries)
        .map(async (entry) => {
          const { name } = entry;
          const isFolder = entry.isSymbolicLink() ? await isFolderAt(join(folder, name)) : entry.isDirectory();
          const isLast = name.startsWith('.') || rules.isIgnored(name, isFolder);
          return { name, path: `${this.path}${name}${isFolder ? '/' : ''}`, isFolder, isLast };
        }),
    );
    return entries.toSorted((a, b) => Number(a.isLast) - Number(b.isLast) || (a.name < b.name ? -1 : 1));
  }
}

/** Searches folder by folder for names that contain the text, the nearest first. Skips hidden and ignored folders. */
async function searchBelow(root: Folder, text: string): Promise<readonly string[]> {
  const wanted = text.toLowerCase();
  const paths: string[] = [];
  let visited = 0;
  for (let level: readonly Folder[] = [root]; level.length > 0 && visited < maxEntries;) {
    const next: Folder[] = [];
    for (const folder of level) {
      const entries = await folder.entries();
      visited += entries.length;
      paths.push(...entries.filter(({ name }) => name.toLowerCase().includes(wanted)).map(({ path }) => path));
      next.push(...entries.filter(({ isFolder, isLast }) => isFolder && !isLast).map((each) => folder.below(each)));
      if (visited >= maxEntries || paths.length >= maxCandidates) return paths;
    }
    level = next;
  }
  return paths;
}

async function isFolderAt(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

async function isInside(root: string, folder: string): Promise<boolean> {
  try {
    return isBelow(await realpath(root), await realpath(folder));
  } catch {
    return false;
  }
}

function isBelow(root: string, path: string): boolean {
  const between = relative(root, path);
  return between === '' || (between !== '..' && !between.startsWith(`..${sep}`) && resolve(between) !== between);
}

function referenceTo(path: string): string {
  return /\s/u.test(path) ? `@"${path}"` : `@${path}`;
}

/**
 * Replaces `@path` with the path if such a file exists below `root`: the prompt names the file, and the model reads it
 * with its tools, under the policy.
 */
export function nameFiles(prompt: string, root: string): string {
  return prompt.replaceAll(/(?<=^|\s)@(?:"([^"\n]+)"|([^\s"]+))/gu, (whole, quoted?: string, bare?: string) => {
    const path = quoted ?? bare ?? '';
    const [, name = '', after = ''] = /^(.*?)([.,;:!?)]*)$/u.exec(path) ?? [];
    if (isFileBelow(root, path)) return quoted === undefined ? path : `"${path}"`;
    return isFileBelow(root, name) && quoted === undefined ? `${name}${after}` : whole;
  });
}

function isFileBelow(root: string, path: string): boolean {
  const file = resolve(root, path);
  return path !== '' && basename(file) !== '' && isBelow(root, dirname(file)) && existsSync(file);
}
