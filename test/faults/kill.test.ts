/** Processes that record at full speed are killed with -9 at random moments: what was acknowledged is there, once. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { openStore } from '../../src/store/open-store.ts';
import { proves } from '../contract/cite.ts';
import { Audit } from './audit.ts';
import { hangMs, inForm, seed } from './long-form.ts';
import { Recorder } from './recorder.ts';
import { random } from './random.ts';

/** How many children use the store at the same time. */
const lanes = 2;
const longestLifeMs = 120;

describe('a process killed with -9', () => {
  it(
    proves('R02')('has lost nothing that was acknowledged, doubled nothing, and run nothing without a decision'),
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'bridle-kill-'));
      const place = { at: join(folder, 'store.db'), keys: join(folder, 'keys') };
      const audit = new Audit();
      const chance = random(seed);
      let left = inForm({ short: 100, long: 1000 });
      let started = 0;
      const next = () => {
        const name = `child-${started++}`;
        return Recorder.start({ ...place, name, ledger: join(folder, name) });
      };
      // Reading and checking in turn: an audit is one book.
      let book = Promise.resolve();
      const lane = async () => {
        let ready = next();
        while (left-- > 0) {
          const child = ready;
          ready = next();
          await child.go();
          // Every fourth may be killed while it opens the store.
          if (chance() > 0.25) await child.opened();
          await sleep(chance() * longestLifeMs);
          const ledger = await child.kill();
          book = book.then(async () => {
            const store = await openStore(place);
            await audit.check(store, child.name, ledger);
            await store.close();
          });
          await book;
          rmSync(join(folder, child.name), { force: true });
        }
        await ready.kill();
      };
      await Promise.all(Array.from({ length: lanes }, lane));
      const store = await openStore(place);
      const counted = await audit.finish(store);
      await store.close();
      rmSync(folder, { recursive: true });
      console.info(`seed ${seed}: ${JSON.stringify(counted)}`);
      expect(counted).toMatchObject({ lost: 0, doubled: 0, unapproved: 0 });
      expect(counted.acknowledged).toBeGreaterThan(1000);
    },
    hangMs,
  );
});
