/** The table of programs, by name. A row is compiled on first use. */

import type { ProgramRow, ProgramRows } from '../usage/program-row.ts';
import type { Program } from '../usage/program.ts';
import { archivePrograms } from './files/archives.ts';
import { buildPrograms } from './projects/build.ts';
import { shellBuiltins } from './shell/builtins.ts';
import { containerPrograms } from './system/containers.ts';
import { databasePrograms } from './system/databases.ts';
import { editorPrograms } from './files/editors.ts';
import { filePrograms } from './files/files.ts';
import { gitPrograms } from './git/git.ts';
import { languagePrograms } from './packages/interpreters.ts';
import { networkClientPrograms } from './system/network.ts';
import { packagePrograms } from './packages/packages.ts';
import { searchPrograms } from './files/search.ts';
import { shellPrograms } from './shell/shells.ts';
import { systemPrograms } from './system/system.ts';
import { textPrograms } from './files/text.ts';
import { wrapperPrograms } from './shell/wrappers.ts';
import { compileUsage } from '../usage/program-usage.ts';

/** All rows by theme. A bundle evaluates a theme on first access. */
export const programTables = {
  get archives() {
    return archivePrograms;
  },
  get build() {
    return buildPrograms;
  },
  get builtins() {
    return shellBuiltins;
  },
  get containers() {
    return containerPrograms;
  },
  get databases() {
    return databasePrograms;
  },
  get editors() {
    return editorPrograms;
  },
  get files() {
    return filePrograms;
  },
  get git() {
    return gitPrograms;
  },
  get languages() {
    return languagePrograms;
  },
  get network() {
    return networkClientPrograms;
  },
  get packages() {
    return packagePrograms;
  },
  get search() {
    return searchPrograms;
  },
  get shells() {
    return shellPrograms;
  },
  get system() {
    return systemPrograms;
  },
  get text() {
    return textPrograms;
  },
  get wrappers() {
    return wrapperPrograms;
  },
} as const;

type Theme = keyof typeof programTables;

const allThemes = Object.keys(programTables) as Theme[];
/** The themes that contain most commands people type. */
const usualThemes: readonly Theme[] = ['git', 'files', 'text', 'builtins', 'packages'];

interface TableRow {
  readonly key: string;
  readonly row: ProgramRow;
}

/** A short run looks up so few names that building an index takes longer than a linear search. */
const maxLookupsWithoutIndex = 16;
let lookups = 0;
let index: Map<string, TableRow> | undefined;
const programs = new Map<string, Program>();

/** Finds a program by its base name. A row named `python#` also matches `python3` and `python3.12`. */
export function findProgram(name: string): Program | undefined {
  const entry = findEntry(name) ?? (/\d$/u.test(name) ? findEntry(name.replace(/-?\d+(?:\.\d+)*$/u, '#')) : undefined);
  return entry === undefined ? undefined : (programs.get(entry.key) ?? readRow(entry));
}

function findEntry(name: string): TableRow | undefined {
  if (index === undefined && ++lookups <= maxLookupsWithoutIndex) return searchTables(name);
  index ??= indexTables();
  return index.get(name);
}

function searchTables(name: string): TableRow | undefined {
  for (const theme of new Set([...usualThemes, ...allThemes])) {
    const rows: ProgramRows = programTables[theme];
    for (const key of Object.keys(rows)) {
      const isNamed = key === name ? !key.includes(',') : key.includes(name) && key.split(', ').includes(name);
      if (isNamed) return { key, row: rows[key] as ProgramRow };
    }
  }
  return undefined;
}

function indexTables(): Map<string, TableRow> {
  const all = new Map<string, TableRow>();
  for (const rows of Object.values<ProgramRows>(programTables)) {
    for (const [key, row] of Object.entries(rows)) {
      const entry = { key, row };
      for (const name of key.split(', ')) all.set(name, entry);
    }
  }
  return all;
}

function readRow({ key, row }: TableRow): Program {
  const usage = compileUsage(row);
  const program = { names: key.split(', '), usage, prints: usage.prints, onlyTouchesFiles: usage.onlyTouchesFiles };
  programs.set(key, program);
  return program;
}
