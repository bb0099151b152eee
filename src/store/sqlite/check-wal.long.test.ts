/** Checks a write-ahead log with every byte damaged: all commits are intact, or the store is refused. */

import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { proves } from '../../../test/contract/cite.ts';
import { framesOf, logHeaderBytes } from '../../../test/faults/write-ahead-log.ts';
import { runs } from '../../../test/property-runs.ts';
import { checkWal } from './check-wal.ts';
import { openDatabase } from '../open-database.ts';

const migrations = { 1: ['CREATE TABLE bridle_t (namespace TEXT NOT NULL, text TEXT NOT NULL)'] };
const folder = mkdtempSync(join(tmpdir(), 'bridle-log-'));
const path = join(folder, 'copy.db');
let log = Buffer.alloc(0);
let index = Buffer.alloc(0);

beforeAll(async () => {
  const at = join(folder, 'store.db');
  const { database } = await openDatabase({ type: 'sqlite', path: at }, { migrations });
  for (let n = 1; n <= 8; n++) {
    await database.run('INSERT INTO bridle_t (namespace, text) VALUES (?, ?)', ['n', 'x'.repeat(n * 1500)]);
  }
  log = readFileSync(`${at}-wal`);
  index = readFileSync(`${at}-shm`);
  copyFileSync(at, path);
  await database.close();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The error code for these files. */
function check(files: { readonly log: Buffer; readonly index?: Buffer }): unknown {
  rmSync(`${path}-shm`, { force: true });
  writeFileSync(`${path}-wal`, files.log);
  if (files.index !== undefined) writeFileSync(`${path}-shm`, files.index);
  try {
    checkWal(path);
    return 'fits';
  } catch (error) {
    return (error as { code?: unknown }).code;
  }
}

function flipped(bytes: Buffer, at: number, bit: number): Buffer {
  const made = Buffer.from(bytes);
  made[at] = (made[at] as number) ^ (1 << bit);
  return made;
}

const bit = fc.nat({ max: 7 });
const place = (): fc.Arbitrary<number> => fc.nat({ max: log.length - 1 });

describe('a write-ahead log', () => {
  it(proves('R04')('is checked even if an open store has a path with the same ending'), async () => {
    const deeper = join(folder, 'deeper', path);
    const { database } = await openDatabase({ type: 'sqlite', path: deeper }, { migrations });
    await database.run('INSERT INTO bridle_t (namespace, text) VALUES (?, ?)', ['n', 'x']);
    expect(check({ log: flipped(log, logHeaderBytes + 100, 1), index })).toBe('STORE_DAMAGED');
    await database.close();
  });

  it(proves('R04')('that is intact is accepted with and without its index'), () => {
    expect(check({ log, index })).toBe('fits');
    expect(check({ log })).toBe('fits');
    expect(check({ log: Buffer.alloc(0) })).toBe('fits');
  });

  it(proves('R04')('with any bit flipped is refused'), () => {
    fc.assert(
      fc.property(place(), bit, (at, which) => {
        expect(check({ log: flipped(log, at, which), index }), `byte ${at}`).toBe('STORE_DAMAGED');
      }),
      { numRuns: runs(400) },
    );
  });

  it(
    proves('R04')('that is cut is refused where its index tells of more, and is a torn write where there is none'),
    () => {
      fc.assert(
        fc.property(place(), (at) => {
          expect(check({ log: log.subarray(0, at), index }), `cut at ${at}`).toBe('STORE_DAMAGED');
          expect(check({ log: log.subarray(0, at) }), `cut at ${at}`).toBe('fits');
        }),
        { numRuns: runs(200) },
      );
    },
  );

  it(proves('R04')('without an index is refused unless only its last commit is invalid'), () => {
    const commits = framesOf(log).filter(({ commit }) => commit > 0);
    const last = commits.at(-2)?.end ?? 0;
    fc.assert(
      fc.property(place(), bit, (at, which) => {
        const expected = at < last ? 'STORE_DAMAGED' : 'fits';
        expect(check({ log: flipped(log, at, which) }), `byte ${at} of ${log.length}`).toBe(expected);
      }),
      { numRuns: runs(400) },
    );
    expect(check({ log: log.subarray(0, logHeaderBytes) })).toBe('fits');
  });

  it(proves('R04')('is not refused for damage to its index'), () => {
    fc.assert(
      fc.property(fc.nat({ max: 135 }), bit, (at, which) => {
        expect(check({ log, index: flipped(index, at, which) }), `byte ${at}`).toBe('fits');
      }),
      { numRuns: runs(300) },
    );
    expect(check({ log, index: Buffer.alloc(32_768) })).toBe('fits');
  });
});
