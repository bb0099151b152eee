/** Copies of a store with a truncated log, cut at and inside every frame, as after a crash. */

import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStore } from '../../src/store/open-store.ts';
import { proves } from '../contract/cite.ts';
import { dump } from './dump.ts';
import { seed } from '../property-runs.ts';
import { hangMs, inForm } from './endurance.ts';
import { random } from './random.ts';
import { SampleStore } from './sample-store.ts';
import { framesOf, logHeaderBytes, withLog } from './write-ahead-log.ts';

/** What was acknowledged at each length of the log. */
interface Acknowledged {
  readonly bytes: number;
  readonly records: number;
}

let folder = '';
let keys = '';
let database: Buffer;
let log: Buffer;
const acknowledged: Acknowledged[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'bridle-cut-'));
  keys = join(folder, 'keys');
  const at = join(folder, 'store.db');
  const now = Date.now();
  const store = await openStore({ at, keys, clock: () => now });
  const sample = new SampleStore(store, now);
  for (const step of sample.steps) {
    await step();
    acknowledged.push({ bytes: statSync(`${at}-wal`).size, records: (await store.journal.head()).count });
  }
  database = readFileSync(at);
  log = readFileSync(`${at}-wal`);
  await store.close();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What a store with a truncated log must contain, according to an independent reader of the log. */
function expectedAt(cut: number): string {
  const path = join(folder, 'expected.db');
  writeFileSync(path, withLog(database, log, cut));
  return dump(path);
}

async function openCut(cut: number): Promise<{ readonly records: number; readonly rows: string }> {
  const at = join(folder, 'cut.db');
  for (const end of ['', '-wal', '-shm']) rmSync(at + end, { force: true });
  writeFileSync(at, database);
  writeFileSync(`${at}-wal`, log.subarray(0, cut));
  const store = await openStore({ at, keys });
  expect(await store.journal.verify(), `cut at ${cut}`).toMatchObject({ ok: true });
  const { count: records } = await store.journal.head();
  await store.close();
  return { records, rows: dump(at) };
}

describe('a store with a truncated log', () => {
  it(
    proves('R03')('opens with exactly what was acknowledged before the cut'),
    async () => {
      const chance = random(seed);
      const frames = framesOf(log);
      const cuts = [0, 1, logHeaderBytes - 1, logHeaderBytes];
      for (const { start, end } of frames) {
        const inside = Math.floor(start + 1 + chance() * (end - start - 1));
        cuts.push(...inForm({ usual: [end, inside], endurance: [start + 1, start + 24, inside, end - 1, end] }));
      }
      let last = { commit: Number.NaN, rows: '' };
      for (const cut of cuts.toSorted((a, b) => a - b)) {
        const commit = frames.findLastIndex((frame) => frame.end <= cut && frame.commit > 0);
        if (commit !== last.commit) last = { commit, rows: expectedAt(cut) };
        const { records, rows } = await openCut(cut);
        expect(rows === last.rows, `cut at ${cut} of ${log.length}`).toBe(true);
        const told = acknowledged.findLast(({ bytes }) => bytes <= cut)?.records ?? 0;
        expect(records, `cut at ${cut} of ${log.length}`).toBeGreaterThanOrEqual(told);
      }
      console.info(`${cuts.length} cuts of a log with ${frames.length} frames, seed ${seed}`);
    },
    hangMs,
  );
});
