/** Reads damaged copies of a store and prints a line of JSON for each, so that a crash identifies the copy. */

import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { judge } from './judge.ts';
import { mutate, type Mutant } from './mutation.ts';
import { readStore, type Reading } from './read-store.ts';
import type { Known } from './sample-store.ts';

/** The options of a child. */
export interface DamageTask {
  /** The folder of the undamaged store, with its keys. */
  readonly source: string;
  /** The suffixes of its file names. */
  readonly files: readonly string[];
  /** A folder for copies. */
  readonly work: string;
  readonly known: Known;
  readonly mutants: readonly Mutant[];
  /** Every n-th copy is read twice, to see what the first read wrote into a damaged file. */
  readonly twiceEvery: number;
}

const task = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as DamageTask;
const { source, files, work, known, mutants, twiceEvery } = task;
const originals = new Map(files.map((end) => [end, readFileSync(join(source, `store.db${end}`))]));
const at = join(work, `copy-${process.pid}.db`);
const place = { at, keys: join(source, 'keys') };

const lists = new Set(['approvals', 'approvals pending', 'runs', 'runs queued', 'sessions']);

/** The contents of a store before and after using it. */
async function readCopy(mutant: Mutant | undefined, twice: boolean): Promise<Reading> {
  for (const end of ['', '-wal', '-shm']) rmSync(at + end, { force: true });
  for (const [end, bytes] of originals) {
    writeFileSync(at + end, mutant?.file === end ? mutate(bytes, mutant.mutation) : bytes, { mode: 0o600 });
  }
  const first = await readStore(place, known);
  if (!twice || first['open']?.startsWith('!')) return first;
  const second = Object.entries(await readStore(place, known));
  // Lists are for display, and differ after the trials.
  const asked = second.filter(([name]) => !lists.has(name));
  return { ...first, ...Object.fromEntries(asked.map(([name, text]) => [`${name} later`, text])) };
}

const [once, twice] = [await readCopy(undefined, false), await readCopy(undefined, true)];
for (const [n, mutant] of mutants.entries()) {
  const isTwice = n % twiceEvery === 0;
  process.stdout.write(`${JSON.stringify(judge(isTwice ? twice : once, await readCopy(mutant, isTwice)))}\n`);
}
for (const end of ['', '-wal', '-shm']) rmSync(at + end, { force: true });
