/** A file with a size limit: writes fail midway, and acknowledged data stays intact. */

import { execFileSync, spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { proves } from '../contract/cite.ts';
import { bundleChild } from './bundle-child.ts';
import { KillRounds } from './kill-rounds.ts';
import { seed } from '../property-runs.ts';
import { hangMs, inForm } from './endurance.ts';

const program = bundleChild('recorder-child.ts');
/** In units of 1024 bytes: from too small for the tables to large enough for hundreds of calls. */
const least = 100;
const most = 900;
const canLift = spawnSync('prlimit', ['--version']).status === 0;

describe('a store with a file size limit', () => {
  it(
    proves('R03', 'G10')('keeps acknowledged data, and denies calls that cannot be recorded'),
    async () => {
      const rounds = inForm({ usual: 6, endurance: 60 });
      let denied = 0;
      let acknowledged = 0;
      for (let round = 0; round < rounds; round++) {
        const killing = new KillRounds(await program);
        const limit = Math.floor(least + killing.chance() * (most - least) * ((round + 1) / rounds));
        const child = killing.child({ limit, onFailure: 'end' });
        await child.go();
        const ledger = await child.ended();
        expect(ledger['failed']?.length ?? 0, `limit ${limit}`).toBeGreaterThan(0);
        denied += ledger['gave']?.filter((line) => /^denied .*(act|look)$/.test(line)).length ?? 0;
        await killing.check(child, ledger);
        // With free space the store works again.
        const next = killing.child();
        await killing.live(next);
        await killing.end(next);
        const counted = await killing.finish();
        expect(counted, `limit ${limit}, seed ${seed}`).toMatchObject({ lost: 0, doubled: 0, unapproved: 0 });
        acknowledged += counted.acknowledged;
      }
      console.info(`file-size limit, ${rounds} stores, seed ${seed}: ${acknowledged} acknowledged, ${denied} denied`);
      expect(denied).toBeGreaterThan(0);
    },
    hangMs,
  );

  it.skipIf(!canLift)(
    proves('R03')('records again in the same process once the limit is lifted'),
    async () => {
      const killing = new KillRounds(await program);
      const child = killing.child({ limit: 400, onFailure: 'go on' });
      await child.go();
      await child.tells('failed');
      execFileSync('prlimit', ['--pid', String(child.pid), '--fsize=unlimited']);
      for (const word of ['took', 'ran', 'counted', 'saved']) await child.tells(word);
      await killing.end(child);
      expect(await killing.finish()).toMatchObject({ lost: 0, doubled: 0, unapproved: 0 });
    },
    hangMs,
  );
});
