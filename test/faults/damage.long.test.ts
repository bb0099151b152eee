/** Damaged stores are detected or harmless, and never cause a wrong allow. */

import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Libsql from 'libsql';
import { afterAll, describe, expect, it } from 'vitest';
import { openStore } from '../../src/store/open-store.ts';
import { proves } from '../contract/cite.ts';
import { bundleChild } from './bundle-child.ts';
import { examine, type Examined } from './damage.ts';
import { seed } from '../property-runs.ts';
import { hangMs, inForm } from './endurance.ts';
import { mutantsOf, type MutantSource, regionsOf, regionsOfIndex, regionsOfLog } from './mutation.ts';
import { random } from './random.ts';
import { type Known, SampleStore } from './sample-store.ts';

const program = bundleChild('damage-child.ts');
const folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'bridle-damage-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Sample {
  readonly source: string;
  readonly files: readonly string[];
  readonly known: Known;
}

/** After a clean close (one file), or after a kill (with a log that was restarted once). */
async function makeSample(name: string, files: readonly string[]): Promise<Sample> {
  const place = join(folder, `${name}-live`);
  const at = join(place, 'store.db');
  const now = Date.now();
  const store = await openStore({ at, keys: join(place, 'keys'), clock: () => now });
  const sample = new SampleStore(store, now);
  const { steps } = sample;
  for (const step of steps.slice(0, steps.length / 2)) await step();
  beginLogAnew(at);
  for (const step of steps.slice(steps.length / 2)) await step();
  const source = join(folder, name);
  mkdirSync(source);
  if (files.length === 1) await store.close();
  for (const end of files) cpSync(at + end, join(source, `store.db${end}`));
  cpSync(join(place, 'keys'), join(source, 'keys'), { recursive: true });
  await store.close();
  return { source, files, known: sample.known };
}

function beginLogAnew(at: string): void {
  const database = new Libsql(at);
  database.exec('PRAGMA wal_checkpoint(RESTART)');
  database.close();
}

function sourcesOf({ source, files }: Sample): readonly MutantSource[] {
  const regions = { '': regionsOf, '-wal': regionsOfLog, '-shm': regionsOfIndex };
  return files.map((file) => {
    const bytes = readFileSync(join(source, `store.db${file}`));
    return { file, bytes, regions: regions[file as keyof typeof regions](bytes) };
  });
}

/** How many mutants of each file. */
type Counts = Readonly<Record<string, number>>;

async function damage(sample: Sample, counts: Counts): Promise<readonly Examined[]> {
  const chance = random(seed);
  const mutants = sourcesOf(sample).flatMap((source) => {
    const some = mutantsOf(source, chance);
    return Array.from({ length: counts[source.file] ?? 0 }, () => some.next().value);
  });
  const { source, files, known } = sample;
  const twiceEvery = inForm({ usual: 5, endurance: 1 });
  return examine({ source, files, known, work: folder, program: await program, lanes: 2, twiceEvery }, mutants);
}

function report(what: string, examined: readonly Examined[]): void {
  const counts: Record<string, number> = {};
  for (const { fate } of examined) counts[fate] = (counts[fate] ?? 0) + 1;
  console.info(`${what}, seed ${seed}: ${examined.length} mutants, ${JSON.stringify(counts)}`);
  const wrong = examined.filter((each) => each.wrong.length > 0);
  const told = wrong.map(({ mutant, fate, wrong: what }) => [fate, JSON.stringify(mutant), ...what].join('\n  '));
  expect(told.slice(0, 20), `${wrong.length} of ${examined.length}, seed ${seed}`).toEqual([]);
  expect(Object.keys(counts).length).toBeGreaterThan(1);
}

describe('a damaged store', () => {
  it(
    proves('R04')('is detected or harmless after a clean close'),
    async () => {
      const examined = await damage(
        await makeSample('closed', ['']),
        inForm({ usual: { '': 450 }, endurance: { '': 4500 } }),
      );
      report('damaged after closing', examined);
    },
    hangMs,
  );

  it(
    proves('R04')('is detected or harmless after its process was killed'),
    async () => {
      const counts = inForm({
        usual: { '': 50, '-wal': 170, '-shm': 30 },
        endurance: { '': 500, '-wal': 1700, '-shm': 300 },
      });
      const examined = await damage(await makeSample('killed', ['', '-wal', '-shm']), counts);
      report('damaged after a kill', examined);
    },
    hangMs,
  );
});
