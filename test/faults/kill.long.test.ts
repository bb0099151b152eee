/**
 * Processes that record at full speed are killed with `kill -9` at random moments: acknowledged writes are stored once.
 */

import { describe, expect, it } from 'vitest';
import { proves } from '../contract/cite.ts';
import { postgresMissing, startPostgres } from '../postgres/launch.mjs';
import type { Counted } from './audit.ts';
import { bundleChild } from './bundle-child.ts';
import { KillRounds } from './kill-rounds.ts';
import { seed } from '../property-runs.ts';
import { hangMs, inForm } from './endurance.ts';

const program = bundleChild('recorder-child.ts');
const missing = postgresMissing();
const skip = missing !== undefined && process.env['CI'] !== 'true';

function report(what: string, rounds: number, counted: Counted): void {
  console.info(`${what}, ${rounds} rounds, seed ${seed}: ${JSON.stringify(counted)}`);
  expect(counted).toMatchObject({ lost: 0, doubled: 0, unapproved: 0 });
  expect(counted.acknowledged).toBeGreaterThan(rounds * 5);
}

const title = 'has lost nothing that was acknowledged, doubled nothing, and run nothing without a decision';

describe('a process killed with -9', () => {
  it(
    proves('R02')(`${title} (sqlite)`),
    async () => {
      const rounds = inForm({ usual: 100, endurance: 1000 });
      const killing = new KillRounds(await program);
      await killing.killChildren(rounds);
      report('killed on SQLite', rounds, await killing.finish());
    },
    hangMs,
  );

  it.skipIf(skip)(
    proves('R02')(`${title} (postgres)`),
    async () => {
      const rounds = inForm({ usual: 20, endurance: 200 });
      const server = await startPostgres();
      try {
        const killing = new KillRounds(await program, server.url);
        await killing.killChildren(rounds);
        report('killed on Postgres', rounds, await killing.finish());
      } finally {
        await server.remove();
      }
    },
    hangMs,
  );
});

describe('a server killed with -9 and restarted under load', () => {
  it.skipIf(skip)(
    proves('R02')('loses nothing that was acknowledged, and writers continue'),
    async () => {
      const rounds = inForm({ usual: 5, endurance: 100 });
      const server = await startPostgres();
      try {
        const killing = new KillRounds(await program, server.url);
        for (let round = 0; round < rounds; round++) {
          const children = [killing.child(), killing.child()];
          await Promise.all(children.map((child) => killing.live(child)));
          await server.kill();
          await server.restart();
          await Promise.all(children.map((child) => child.tells('took')));
          for (const child of children) await killing.end(child);
        }
        report('server killed', rounds, await killing.finish());
      } finally {
        await server.remove();
      }
    },
    hangMs,
  );
});
