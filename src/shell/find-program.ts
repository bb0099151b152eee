/** The table of programs, by name. Rows are read when they are first asked for. */

import type { ProgramRow, ProgramRows } from './program-row.ts';
import type { Program } from './program.ts';
import { archives } from './programs/archives.ts';
import { build } from './programs/build.ts';
import { builtins } from './programs/builtins.ts';
import { containers } from './programs/containers.ts';
import { databases } from './programs/databases.ts';
import { editors } from './programs/editors.ts';
import { files } from './programs/files.ts';
import { git } from './programs/git.ts';
import { languages } from './programs/languages.ts';
import { network } from './programs/network.ts';
import { packages } from './programs/packages.ts';
import { search } from './programs/search.ts';
import { shells } from './programs/shells.ts';
import { system } from './programs/system.ts';
import { text } from './programs/text.ts';
import { wrappers } from './programs/wrappers.ts';
import { usageOf } from './usage.ts';

/** All rows, by theme; a bundle evaluates each theme when it is looked at. */
export const programTables = {
  get archives() {
    return archives;
  },
  get build() {
    return build;
  },
  get builtins() {
    return builtins;
  },
  get containers() {
    return containers;
  },
  get databases() {
    return databases;
  },
  get editors() {
    return editors;
  },
  get files() {
    return files;
  },
  get git() {
    return git;
  },
  get languages() {
    return languages;
  },
  get network() {
    return network;
  },
  get packages() {
    return packages;
  },
  get search() {
    return search;
  },
  get shells() {
    return shells;
  },
  get system() {
    return system;
  },
  get text() {
    return text;
  },
  get wrappers() {
    return wrappers;
  },
} as const;

type Theme = keyof typeof programTables;

const allThemes = Object.keys(programTables) as Theme[];
/** Where most of what is typed stands. */
const usualThemes: readonly Theme[] = ['git', 'files', 'text', 'builtins', 'packages'];

interface Entry {
  readonly key: string;
  readonly row: ProgramRow;
}

/** A short run asks for so few names that an index of all takes longer than looking through them. */
const fewNames = 16;
let asked = 0;
let index: Map<string, Entry> | undefined;
const programs = new Map<string, Program>();

/** What is known of a program, by its base name. A name listed as `python#` stands for `python3` and `python3.12` too. */
export function findProgram(name: string): Program | undefined {
  const entry = findEntry(name) ?? (/\d$/u.test(name) ? findEntry(name.replace(/-?\d+(?:\.\d+)*$/u, '#')) : undefined);
  return entry === undefined ? undefined : (programs.get(entry.key) ?? readRow(entry));
}

function findEntry(name: string): Entry | undefined {
  if (index === undefined && ++asked <= fewNames) return lookThrough(name);
  index ??= indexTables();
  return index.get(name);
}

function lookThrough(name: string): Entry | undefined {
  for (const theme of new Set([...usualThemes, ...allThemes])) {
    const rows: ProgramRows = programTables[theme];
    for (const key of Object.keys(rows)) {
      const isNamed = key === name ? !key.includes(',') : key.includes(name) && key.split(', ').includes(name);
      if (isNamed) return { key, row: rows[key] as ProgramRow };
    }
  }
  return undefined;
}

function indexTables(): Map<string, Entry> {
  const all = new Map<string, Entry>();
  for (const rows of Object.values<ProgramRows>(programTables)) {
    for (const [key, row] of Object.entries(rows)) {
      const entry = { key, row };
      for (const name of key.split(', ')) all.set(name, entry);
    }
  }
  return all;
}

function readRow({ key, row }: Entry): Program {
  const usage = usageOf(row);
  const program = { names: key.split(', '), usage, prints: usage.prints, quiet: usage.quiet };
  programs.set(key, program);
  return program;
}
