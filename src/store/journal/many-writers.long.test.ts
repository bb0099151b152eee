/** Several journals in one process, and several processes, write one chain at the same time. */

import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { proves } from '../../../test/contract/cite.ts';
import { detailsIn, journalOn, noteOf } from '../../../test/rigs/journal-rig.ts';
import { runs } from '../../../test/property-runs.ts';
import { root } from '../../../test/source.ts';
import { describeStores, type StoreRig } from '../../../test/rigs/store-rig.ts';
import { openJournal } from './open-journal.ts';

type Said = readonly [writer: number, count: number];

/** The entries of each writer must be stored once and in its order. */
function expectEach(details: readonly unknown[], counts: readonly number[]): void {
  const said = details as readonly Said[];
  for (const [writer, count] of counts.entries()) {
    const own = said.filter(([who]) => who === writer).map(([, at]) => at);
    expect(own).toEqual(Array.from({ length: count }, (_, at) => at));
  }
  expect(details).toHaveLength(counts.reduce((sum, count) => sum + count, 0));
}

const step = fc.record({
  writer: fc.nat(3),
  /** How many it appends together. */
  burst: fc.integer({ min: 1, max: 40 }),
  /** What happens before the next step. */
  pause: fc.constantFrom('none' as const, 'microtask' as const, 'round' as const, 'written' as const),
  large: fc.boolean(),
});

describeStores('several journals', (rig) => {
  it(
    proves('R01', 'Q05')('make one whole chain, with each entry once and each writer in its own order'),
    async () => {
      const parts = await rig.parts();
      // Two share a connection, two have their own.
      const first = await journalOn(rig);
      const makers = [first.database, first.database, (await journalOn(rig)).database, (await journalOn(rig)).database];
      let round = 0;
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
          const namespace = `round ${round++}`;
          const journals = makers.map((database) => openJournal({ ...parts, database, namespace }));
          const counts = makers.map(() => 0);
          const appended: Promise<void>[] = [];
          for (const { writer, burst, pause, large } of steps) {
            for (let each = 0; each < burst; each++) {
              const said = [writer, (counts[writer] as number)++, large ? 'x'.repeat(20_000) : ''];
              appended.push((journals[writer] as (typeof journals)[0]).append(noteOf(said)));
            }
            if (pause === 'microtask') await Promise.resolve();
            if (pause === 'round') await new Promise(setImmediate);
            if (pause === 'written') await appended.at(-1);
          }
          await Promise.all(appended);
          const [journal] = journals as [(typeof journals)[0]];
          expectEach(await detailsIn(journal.read()), counts);
          for (const each of journals) await each.close();
          const count = appended.length;
          expect(await journal.verify()).toMatchObject({ ok: true, count, signed: count });
        }),
        { numRuns: runs(15) },
      );
    },
    60_000,
  );

  it(
    proves('R01', 'Q05')('in processes of their own do so too'),
    async () => {
      const [processes, entries] = [4, 150];
      const { journal } = await rig.open();
      const writers = Array.from({ length: processes }, (_, writer) => appendElsewhere(rig, { writer, entries }));
      for (const ended of await Promise.all(writers)) expect(ended).toEqual({ code: 0, said: `${entries}\n` });
      expectEach(await detailsIn(journal.read()), Array<number>(processes).fill(entries));
      const count = processes * entries;
      expect(await journal.verify()).toMatchObject({ ok: true, count, signed: count });
    },
    60_000,
  );
});

/** A process that appends `count` entries, some of them together, and reports how many were stored. */
async function appendElsewhere(
  { at, keys }: StoreRig,
  { writer, entries }: { readonly writer: number; readonly entries: number },
): Promise<{ readonly code: number | null; readonly said: string }> {
  const program = join(root, 'test/store/append-entries.mjs');
  const child = spawn(process.execPath, [program, at, keys, String(writer), String(entries)], {
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: 60_000,
  });
  const [said, [code]] = await Promise.all([text(child.stdout), once(child, 'close')]);
  return { code: code as number | null, said };
}
