/** Workers are killed at random, the server restarts, an owner comes back too late: every run finishes. */

import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { proves } from '../../contract/cite.ts';
import { type PostgresServer, startPostgres } from '../../postgres/launch.mjs';
import { askPostgres } from '../../rigs/store-rig.ts';
import { Fleet, type FleetOptions } from './fleet.ts';
import { readLedger } from './fleet-audit.ts';
import { seed } from '../../property-runs.ts';
import { hangMs, inForm } from '../endurance.ts';
import { random } from '../random.ts';

const exact = { undone: [], doubled: [], lost: [], untold: [], odd: [] };
const leaseMs = 2000;

let server: PostgresServer;
let fleet: Fleet | undefined;
let schema = '';
const folder = mkdtempSync(join(tmpdir(), 'bridle-fleet-store-'));

beforeAll(async () => {
  server = await startPostgres({ sync: false });
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await server.remove();
});
afterEach(async () => {
  await fleet?.close();
  fleet = undefined;
});

async function open(options: Partial<FleetOptions> = {}): Promise<Fleet> {
  schema = `f_${randomBytes(6).toString('hex')}`;
  fleet = await Fleet.open({ at: `${server.url}?schema=${schema}`, leaseMs, ...options });
  return fleet;
}

function idsOf(count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `run-${index}`);
}

/** Deliveries that are queued or with a worker. */
async function deliveries(): Promise<number> {
  const [row] = await askPostgres(
    server.url,
    `SELECT count(*)::int AS count FROM ${schema}_dbos.workflow_status WHERE status IN ('ENQUEUED', 'PENDING')`,
  );
  return Number(row?.['count']);
}

describe('a fleet', () => {
  it.each([
    ['on Postgres', inForm({ usual: { count: 200, kills: 6 }, endurance: { count: 2000, kills: 100 } })],
    ['on SQLite', inForm({ usual: { count: 60, kills: 3 }, endurance: { count: 500, kills: 50 } })],
  ])(
    proves('R07')('finishes every run while workers are killed with -9, with every effect accounted for: %s'),
    async (where, { count, kills }) => {
      const chance = random(seed);
      const all = await open(where === 'on SQLite' ? { at: join(folder, 'store.db') } : {});
      const hands = await Promise.all([all.hire(), all.hire(), all.hire()]);
      await all.queue(idsOf(count));
      all.answerAll();
      const over = new AbortController();
      const killing = (async () => {
        let killed = 0;
        for (; killed < kills && !over.signal.aborted; killed++) {
          await sleep(100 + chance() * 500);
          const at = Math.floor(chance() * hands.length);
          await hands[at]?.kill();
          hands[at] = await all.hire();
        }
        return killed;
      })();
      await all.ended(count);
      over.abort();
      const killed = await killing;
      const audit = await all.audit();
      console.info(`seed ${seed}: ${killed} workers killed, ${all.answered} answers, ${JSON.stringify(audit)}`);
      expect(audit).toMatchObject({ ...exact, done: count });
      expect(killed).toBeGreaterThan(0);
      expect(all.answered).toBeGreaterThanOrEqual(count);
    },
    hangMs,
  );

  it(
    proves('R07')('occupies no worker with runs that wait for an answer'),
    async () => {
      // A long lease: in this test no run may change its owner.
      const all = await open({ leaseMs: 20_000 });
      const hand = await all.hire();
      await all.queue(idsOf(50));
      await all.until(50, 'waiting');
      while ((await deliveries()) > 0) await sleep(50);
      expect(hand.events.filter(({ type }) => type === 'segment_ended')).toHaveLength(50);
      expect(await hand.stop()).toBe(0);
      await all.hire();
      all.answerAll();
      await all.ended(50);
      expect(await all.audit()).toMatchObject({ ...exact, done: 50, interrupted: 0, repeated: 0, unrecorded: 0 });
    },
    hangMs,
  );

  it(
    proves('R07')('takes over from a stalled worker, and fences it when it comes back'),
    async () => {
      const all = await open({ slowMs: 3000, leaseMs: 1000 });
      const first = await all.hire();
      await all.queue(['run-0']);
      all.answerAll();
      const begins = () => readLedger(all.ledger).some(({ tool }) => tool === 'charge');
      while (!begins()) await sleep(20);
      first.child.kill('SIGSTOP');
      const second = await all.hire();
      await second.tells((event) => event.type === 'segment_started');
      first.child.kill('SIGCONT');
      const end = await first.tells((event) => event.type === 'segment_ended');
      expect(end).toMatchObject({ run: 'run-0', state: 'fenced' });
      await all.ended(1);
      const audit = await all.audit();
      expect(audit).toMatchObject({ ...exact, done: 1 });
      expect(audit.interrupted).toBeGreaterThanOrEqual(1);
    },
    hangMs,
  );

  it(
    proves('R07')('releases runs when a worker is stopped'),
    async () => {
      const all = await open({ slowMs: 400, leaseMs: 30_000 });
      const first = await all.hire();
      await all.queue(idsOf(10));
      await first.tells((event) => event.type === 'segment_started');
      expect(await first.stop()).toBe(0);
      // No waiting for a lease: released runs can be claimed.
      expect(await all.count()).not.toHaveProperty('running');
      all.answerAll();
      await all.hire();
      await all.ended(10);
      expect(await all.audit()).toMatchObject({ ...exact, done: 10, interrupted: 0, repeated: 0, unrecorded: 0 });
    },
    hangMs,
  );

  it(
    proves('R07')('continues after the server was killed and restarted'),
    async () => {
      const [count, deaths] = inForm({ usual: [60, 2], endurance: [500, 20] });
      const chance = random(seed);
      const all = await open();
      const hands = await Promise.all([all.hire(), all.hire()]);
      await all.queue(idsOf(count));
      all.answerAll();
      for (let death = 0; death < deaths; death++) {
        await sleep(500 + chance() * 1000);
        await server.kill();
        await sleep(chance() * 1000);
        await server.restart();
      }
      await all.ended(count);
      const audit = await all.audit();
      console.info(`seed ${seed}: the server died ${deaths} times, ${JSON.stringify(audit)}`);
      expect(audit).toMatchObject({ ...exact, done: count });
      expect(hands.map(({ child }) => child.exitCode)).toEqual([null, null]);
    },
    hangMs,
  );
});
