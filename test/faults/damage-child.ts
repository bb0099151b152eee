/** Reads damaged copies of a store, one after another: a line of JSON for each, so that a crash tells which one it was. */

import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { judge } from './judge.ts';
import { mutate, type Mutant } from './mutation.ts';
import { readStore, type Reading } from './read-store.ts';
import type { Known } from './sample-store.ts';

/** What a child has to do. */
export interface DamageTask {
  /** The folder of the undamaged store, with its keys. */
  readonly source: string;
  /** The ends of the names of its files. */
  readonly files: readonly string[];
  /** A folder for copies. */
  readonly work: string;
  readonly known: Known;
  readonly mutants: readonly Mutant[];
  /** Every how many-th is read a second time, to see what the first time has written into a damaged file. */
  readonly twiceEvery: number;
}

const task = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as DamageTask;
const { source, files, work, known, mutants, twiceEvery } = task;
const originals = new Map(files.map((end) => [end, readFileSync(join(source, `store.db${end}`))]));
const at = join(work, `copy-${process.pid}.db`);
const place = { at, keys: join(source, 'keys') };

const lists = new Set(['approvals', 'approvals pending', 'runs', 'runs queued', 'sessions']);

/** What a store says, and what it says once it was used. */
async function readCopy(mutant: Mutant | undefined, twice: boolean): Promise<Reading> {
  for (const end of ['', '-wal', '-shm']) rmSync(at + end, { force: true });
  for (const [end, bytes] of originals) {
    writeFileSync(at + end, mutant?.file === end ? mutate(bytes, mutant.mutation) : bytes, { mode: 0o600 });
  }
  const first = await readStore(place, known);
  if (!twice || first['open']?.startsWith('!')) return first;
  const second = Object.entries(await readStore(place, known));
  // Lists are there for people, and differ by what was tried.
  const asked = second.filter(([name]) => !lists.has(name));
  return { ...first, ...Object.fromEntries(asked.map(([name, text]) => [`${name} later`, text])) };
}

const [once, twice] = [await readCopy(undefined, false), await readCopy(undefined, true)];
for (const [n, mutant] of mutants.entries()) {
  const isTwice = n % twiceEvery === 0;
  process.stdout.write(`${JSON.stringify(judge(isTwice ? twice : once, await readCopy(mutant, isTwice)))}\n`);
}
for (const end of ['', '-wal', '-shm']) rmSync(at + end, { force: true });
