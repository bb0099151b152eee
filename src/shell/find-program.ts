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

/** All rows, by theme. */
export const programTables = {
  archives,
  build,
  builtins,
  containers,
  databases,
  editors,
  files,
  git,
  languages,
  network,
  packages,
  search,
  shells,
  system,
  text,
  wrappers,
} as const;

interface Entry {
  readonly key: string;
  readonly row: ProgramRow;
}

let index: Map<string, Entry> | undefined;
const programs = new Map<string, Program>();

/** What is known of a program, by its base name. A name listed as `python#` stands for `python3` and `python3.12` too. */
export function findProgram(name: string): Program | undefined {
  index ??= indexTables();
  const entry = index.get(name) ?? (/\d$/u.test(name) ? index.get(name.replace(/-?\d+(?:\.\d+)*$/u, '#')) : undefined);
  return entry === undefined ? undefined : (programs.get(entry.key) ?? readRow(entry));
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
