/** Runs whose process is killed with `kill -9` at any point, and resumed until they are done. */

import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { openApproverKey, createApproverKey, openStore, signAnswer, type Store } from 'bridle/store';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { proves } from '../contract/cite.ts';
import { inForm } from '../faults/endurance.ts';
import { seed } from '../property-runs.ts';
import { root } from '../source.ts';

interface Spawned {
  /** How many lines it printed before it ended. */
  readonly marks: number;
  readonly result:
    | { readonly state: string; readonly text?: string; readonly approvals?: readonly string[] }
    | undefined;
  readonly errors: string;
}

interface Order {
  readonly asks?: readonly string[];
  readonly hold?: 'release';
}

let folder = '';
let store: Store;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'bridle-runs-'));
  store = await openStore({ at: join(folder, 'store.db'), keys: join(folder, 'keys') });
  createApproverKey({ folder: join(folder, 'keys'), name: 'ann' });
});

afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Works on the run `r1` in its own process, which is killed after it has printed `lifetime` lines. */
function work(order: Order, lifetime = Number.POSITIVE_INFINITY): Promise<Spawned> {
  const given = {
    ...order,
    at: join(folder, 'store.db'),
    keys: join(folder, 'keys'),
    id: 'r1',
    ledger: join(folder, 'ledger'),
  };
  const child = spawn(process.execPath, ['test/runs/run-child.mjs', JSON.stringify(given)], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let marks = 0;
  let errors = '';
  let result: Spawned['result'];
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
  const lines = createInterface({ input: child.stdout });
  lines.on('line', (line) => {
    if (marks >= lifetime) return;
    if (line.startsWith('result ')) result = JSON.parse(line.slice(7)) as Spawned['result'];
    if (++marks === lifetime) child.kill('SIGKILL');
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', () => resolve({ marks, result, errors }));
  });
}

/** A person with a key approves every question. */
async function approveAll(): Promise<number> {
  const key = openApproverKey({ folder: join(folder, 'keys'), name: 'ann' });
  const pending = await store.approvals.list({ run: 'r1', state: 'pending' });
  for (const record of pending) await store.approvals.answer(signAnswer(key, record, { type: 'approve' }));
  return pending.length;
}

/** Kills the process at each of these points in turn, then lets the run finish. */
async function survive(kills: readonly number[], order: Order = {}): Promise<void> {
  for (const lifetime of [...kills, ...Array.from({ length: 20 }, () => Number.POSITIVE_INFINITY)]) {
    const { result, errors } = await work(order, lifetime);
    if (result === undefined && lifetime === Number.POSITIVE_INFINITY)
      throw new TypeError(`It printed nothing: ${errors}`);
    await approveAll();
    if (result?.state === 'waiting' || result === undefined) continue;
    expect(result, errors).toMatchObject({ state: 'done', text: 'all 5 steps done' });
    return;
  }
  throw new TypeError('The run did not finish.');
}

/** The real effects by call, with their idempotency keys. */
function deeds(): Map<string, readonly string[]> {
  const found = new Map<string, readonly string[]>();
  for (const line of readFileSync(join(folder, 'ledger'), 'utf8').trimEnd().split('\n')) {
    const [name, n, key] = line.split(' ') as [string, string, string];
    found.set(`${name} ${n}`, [...(found.get(`${name} ${n}`) ?? []), key]);
  }
  return found;
}

/** How each call with side effects ended, according to the journal. */
async function endings(): Promise<ReadonlyMap<string, readonly string[]>> {
  const found = new Map<string, readonly string[]>();
  for await (const { text } of store.journal.read()) {
    const { kind, status, call, tool } = JSON.parse(text) as Record<'kind' | 'status' | 'call' | 'tool', string>;
    if (kind === 'settled' && tool === 'act') found.set(call, [...(found.get(call) ?? []), status]);
  }
  return found;
}

/** If the process is killed before the run has recorded a result, the call is reported as interrupted. */
const fineEndings = ['ok', 'interrupted', 'ok interrupted'];

async function checkDeeds(): Promise<void> {
  const done = deeds();
  const ends = await endings();
  for (const n of [3, 5, 62, 63, 7]) {
    const times = done.get(`act ${n}`)?.length ?? 0;
    const end = ends.get(`c${n}`)?.join(' ') ?? 'never';
    expect(fineEndings, `act ${n}`).toContain(end);
    expect(times, `act ${n} ${end}`).toBeLessThanOrEqual(1);
    if (end.startsWith('ok')) expect(times, `act ${n}`).toBe(1);
  }
  for (const name of ['look 1', 'look 2', 'put 4', 'look 61']) {
    expect(new Set(done.get(name)).size, name).toBe(1);
  }
  expect(await store.journal.verify()).toMatchObject({ ok: true });
  expect(await store.runs.get('r1')).toMatchObject({ state: 'done' });
}

const places = 55;

describe('a run that is killed', () => {
  it(
    proves('R07', 'R02')('continues where it was, and does not repeat recorded steps'),
    { timeout: 600_000 },
    async () => {
      // Every few points; the seed decides which.
      const step = inForm({ usual: 6, endurance: 1 });
      for (let place = 1 + (seed % step); place <= places; place += step) {
        rmSync(join(folder, 'ledger'), { force: true });
        await store.close();
        rmSync(join(folder, 'store.db'), { force: true });
        for (const end of ['-wal', '-shm']) rmSync(join(folder, `store.db${end}`), { force: true });
        store = await openStore({ at: join(folder, 'store.db'), keys: join(folder, 'keys') });
        await survive([place]);
        await checkDeeds();
      }
    },
  );

  it(
    proves('R07', 'Q03', 'Q06')('repeatedly finishes while people approve its calls one by one'),
    { timeout: 600_000 },
    async () => {
      const kills = Array.from(
        { length: inForm({ usual: 8, endurance: 40 }) },
        (_, index) => 3 + ((seed + index * 7) % 12),
      );
      await survive(kills, { asks: ['act', 'start_subagent'], hold: 'release' });
      await checkDeeds();
      const approvals = await store.approvals.list({ run: 'r1', limit: 1000 });
      const used = approvals.filter(({ state }) => state === 'used');
      // Every executed call with side effects was approved once, and no approval was used twice.
      expect(used.length).toBeGreaterThanOrEqual(deeds().size - 4);
      for (const { answer } of used) expect(answer?.by).toBe('ann');
    },
  );
});
