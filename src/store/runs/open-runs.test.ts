/** Runs in a store: one owner at a time, atomic recording, and no leftovers after the end. */

import { expect, it } from 'vitest';
import { proves } from '../../../test/contract/cite.ts';
import { handClock, mustClaim, runRig } from '../../../test/rigs/run-rig.ts';
import { describeStores } from '../../../test/rigs/store-rig.ts';
import type { BridleError } from '../../kernel/errors.ts';
import type { RunState } from './run-record.ts';

const fenced = { code: 'RUN_FENCED' };
const damaged = { code: 'STORE_DAMAGED' };

describeStores('runs', (rig) => {
  it(proves('R07')('are stored once, with their input, until they are done'), async () => {
    const clock = handClock();
    const { runs } = await runRig(rig, clock);
    const { record, created } = await runs.create({ id: 'r1', agent: 'main', input: { prompt: 'go' } });
    expect({ record, created }).toMatchObject({
      created: true,
      record: { id: 'r1', agent: 'main', state: 'queued', segment: 0, steps: 0, input: { prompt: 'go' } },
    });
    expect(record).toMatchObject({ owner: undefined, output: undefined, error: undefined, waitingFor: [] });
    expect(await runs.create({ id: 'r1', agent: 'other', input: 2 })).toEqual({ record, created: false });
    const claim = await mustClaim(runs, 'r1');
    expect(claim.run).toMatchObject({ state: 'running', segment: 1, owner: { pid: process.pid } });
    await claim.record({ kind: 'model', name: 'a1', value: { text: 'hi' } }, { at: 1 });
    await claim.record({ kind: 'tool', name: 'c1', value: null });
    expect(await claim.steps()).toEqual([
      { seq: 0, kind: 'model', name: 'a1', value: { text: 'hi' } },
      { seq: 1, kind: 'tool', name: 'c1', value: null },
    ]);
    expect(await claim.state()).toEqual({ at: 1 });
    clock.move(5);
    await claim.finish({ state: 'done', output: { text: 'fine' } });
    const done = { state: 'done', output: { text: 'fine' }, steps: 2, segment: 1, input: { prompt: 'go' } };
    expect(await runs.get('r1')).toMatchObject({ ...done, owner: undefined, leaseUntil: 0, updatedAt: clock() });
    expect(await runs.get('r2')).toBeUndefined();
  });

  it(proves('R10')('leave no step and no state behind after any kind of end'), async () => {
    const { runs, parts } = await runRig(rig, handClock());
    const ends = {
      done: (id: string) => mustClaim(runs, id).then((claim) => claim.finish({ state: 'done', output: 1 })),
      failed: (id: string) => mustClaim(runs, id).then((claim) => claim.finish({ state: 'failed', error: 'why' })),
      cancelled: (id: string) => runs.cancel(id, 'ada'),
    };
    for (const [id, end] of Object.entries(ends)) {
      await runs.create({ id, agent: 'main', input: 'SECRET-input' });
      const claim = await mustClaim(runs, id);
      await claim.record({ kind: 'tool', name: 'x', value: 'SECRET-step' }, 'SECRET-state');
      await claim.release();
      await end(id);
      expect(await runs.get(id)).toMatchObject({ state: id });
    }
    expect(await parts.database.all('SELECT * FROM bridle_run_steps')).toEqual([]);
    expect(JSON.stringify(await parts.database.all('SELECT * FROM bridle_run_values'))).not.toMatch(/SECRET-st/);
    expect((await runs.get('cancelled'))?.error).toBe('cancelled by ada');
    expect((await runs.get('failed'))?.error).toBe('why');
  });

  it(proves('R07')('have one owner, and others see who it is until its lease expires'), async () => {
    const clock = handClock();
    const [here, there] = [await runRig(rig, clock), await runRig(rig, clock)];
    await here.runs.create({ id: 'r1', agent: 'main', input: 1 });
    const old = await mustClaim(here.runs, 'r1', 1000);
    await old.record({ kind: 'k', name: 'one', value: 1 }, 'state one');
    clock.move(999);
    expect(await there.runs.claim('r1', { leaseMs: 1000 })).toMatch(/is claimed by process \d+ on .+ until 2026/);
    await old.renew();
    clock.move(999);
    expect(await there.runs.claim('r1', { leaseMs: 1000 })).toMatch(/is claimed by/);
    clock.move(1);
    const fresh = await mustClaim(there.runs, 'r1', 1000);
    expect(fresh.run).toMatchObject({ segment: 2, state: 'running' });
    expect(await fresh.steps()).toHaveLength(1);
    expect(await fresh.state()).toBe('state one');
    // From here on the old owner cannot write or read.
    await expect(old.record({ kind: 'k', name: 'late', value: 1 }, 'late')).rejects.toMatchObject(fenced);
    await expect(old.renew()).rejects.toMatchObject(fenced);
    await expect(old.steps()).rejects.toMatchObject(fenced);
    await expect(old.state()).rejects.toMatchObject(fenced);
    await expect(old.wait([await here.ask('r1')])).rejects.toMatchObject(fenced);
    await expect(old.release()).rejects.toMatchObject(fenced);
    await expect(old.finish({ state: 'done', output: 0 })).rejects.toMatchObject(fenced);
    await fresh.record({ kind: 'k', name: 'two', value: 2 });
    expect((await fresh.steps()).map(({ name }) => name)).toEqual(['one', 'two']);
    expect(await fresh.state()).toBe('state one');
  });

  it(proves('R07')('extend their lease with each recorded step'), async () => {
    const clock = handClock();
    const { runs } = await runRig(rig, clock);
    await runs.create({ id: 'r1', agent: 'main', input: 1 });
    const claim = await mustClaim(runs, 'r1', 1000);
    for (let i = 0; i < 5; i++) {
      clock.move(900);
      await claim.record({ kind: 'k', name: String(i), value: i });
    }
    expect(await runs.claim('r1', { leaseMs: 1 })).toMatch(/is claimed by/);
  });

  it(proves('R07')('can be claimed by any process after a release or an expired lease'), async () => {
    const clock = handClock();
    const { runs } = await runRig(rig, clock);
    for (const id of ['r1', 'r2', 'r3']) await runs.create({ id, agent: 'main', input: id });
    const [one, two] = [await mustClaim(runs, 'r1', 100), await mustClaim(runs, 'r2', 200)];
    expect(await runs.reap()).toEqual([]);
    clock.move(100);
    expect(await runs.reap()).toEqual(['r1']);
    expect(await runs.reap()).toEqual([]);
    expect(await runs.get('r1')).toMatchObject({ state: 'queued', owner: undefined, segment: 1 });
    await expect(one.record({ kind: 'k', name: 'x', value: 1 })).rejects.toMatchObject(fenced);
    await two.release();
    expect(await runs.get('r2')).toMatchObject({ state: 'queued', owner: undefined });
    await expect(two.renew()).rejects.toMatchObject(fenced);
    expect(await runs.reap(clock() + 1_000_000)).toEqual([]);
    expect((await mustClaim(runs, 'r2')).run.segment).toBe(2);
  });

  it(proves('R07')('that are cancelled fence their owner, and end once'), async () => {
    const { runs } = await runRig(rig, handClock());
    await runs.create({ id: 'r1', agent: 'main', input: 1 });
    const claim = await mustClaim(runs, 'r1');
    expect(await runs.cancel('r1', 'ada')).toBe(true);
    expect(await runs.cancel('r1', 'bob')).toBe(false);
    expect(await runs.cancel('nothing', 'bob')).toBe(false);
    const late = claim.record({ kind: 'k', name: 'x', value: 1 });
    await expect(late).rejects.toMatchObject({ ...fenced, message: expect.stringContaining('cancelled by ada') });
    await expect(claim.finish({ state: 'done', output: 1 })).rejects.toMatchObject(fenced);
    expect(await runs.claim('r1', { leaseMs: 1 })).toBe('the run "r1" is cancelled: cancelled by ada');
    expect(await runs.claim('nothing', { leaseMs: 1 })).toBe('there is no run "nothing"');
  });

  it(proves('R07')('have no owner while waiting, and can be claimed once an answer arrives'), async () => {
    const clock = handClock();
    const [here, there] = [await runRig(rig, clock), await runRig(rig, clock)];
    await here.runs.create({ id: 'r1', agent: 'main', input: 1 });
    const claim = await mustClaim(here.runs, 'r1');
    const [a, b] = [await here.ask('r1'), await here.ask('r1')];
    await claim.wait([a, b]);
    expect(await here.runs.get('r1')).toMatchObject({ state: 'waiting', owner: undefined, waitingFor: [a, b] });
    await expect(claim.renew()).rejects.toMatchObject(fenced);
    clock.move(10_000);
    expect(await there.runs.reap()).toEqual([]);
    expect(await there.runs.claim('r1', { leaseMs: 1 })).toBe(
      `the run "r1" is waiting for an answer to one of the approvals ${a}, ${b}`,
    );
    expect(await there.settle(b)).toBe(true);
    expect(await here.runs.get('r1')).toMatchObject({ state: 'queued', waitingFor: [] });
    expect((await mustClaim(there.runs, 'r1')).run.segment).toBe(2);
  });

  it(proves('R07')('are queued immediately if the approval is already answered or expired'), async () => {
    const clock = handClock();
    const { runs, ask, settle } = await runRig(rig, clock);
    await runs.create({ id: 'r1', agent: 'main', input: 1 });
    const [a, b] = [await ask('r1'), await ask('r1')];
    await settle(a);
    await (await mustClaim(runs, 'r1')).wait([b, a]);
    expect(await runs.get('r1')).toMatchObject({ state: 'queued', waitingFor: [] });
    const short = await ask('r1', 50);
    await (await mustClaim(runs, 'r1')).wait([short]);
    expect(await runs.claim('r1', { leaseMs: 1 })).toMatch(/is waiting for an answer to the approval/);
    clock.move(50);
    const late = await mustClaim(runs, 'r1');
    await late.wait([short]);
    expect(await runs.get('r1')).toMatchObject({ state: 'queued' });
    await expect((await mustClaim(runs, 'r1')).wait([])).rejects.toMatchObject({ code: 'RUN_STATE' });
  });

  it(proves('R07')('miss no answer, whether the wait or the answer comes first'), async () => {
    const clock = handClock();
    const [here, there] = [await runRig(rig, clock), await runRig(rig, clock)];
    for (let i = 0; i < 40; i++) {
      const id = `r${i}`;
      await here.runs.create({ id, agent: 'main', input: 1 });
      const claim = await mustClaim(here.runs, id);
      const approval = await here.ask(id);
      const both = [() => claim.wait([approval]), () => there.settle(approval)];
      await Promise.all((i % 2 === 0 ? both : both.toReversed()).map((work) => work()));
      expect(await here.runs.get(id)).toMatchObject({ state: 'queued' });
    }
  });

  it('are listed newest first by state and agent; queued ones, longest waiting first', async () => {
    const clock = handClock();
    const { runs } = await runRig(rig, clock);
    for (const [id, agent] of [
      ['a', 'x'],
      ['b', 'y'],
      ['c', 'x'],
      ['d', 'x'],
    ] as const) {
      await runs.create({ id, agent, input: id });
      clock.move(1);
    }
    await (await mustClaim(runs, 'c')).finish({ state: 'done', output: 'out' });
    const ids = async (...filter: Parameters<typeof runs.list>): Promise<string> =>
      (await runs.list(...filter)).map(({ id }) => id).join('');
    expect(await ids()).toBe('dcba');
    expect(await ids({ limit: 2 })).toBe('dc');
    expect(await ids({ agent: 'x' })).toBe('dca');
    expect(await ids({ agent: 'x', state: 'queued' })).toBe('da');
    expect(await ids({ state: 'waiting' })).toBe('');
    expect((await runs.list({ state: 'done' }))[0]).toMatchObject({ input: 'c', output: 'out' });
    await (await mustClaim(runs, 'a')).release();
    const queued = async (agents: readonly string[], limit = 9): Promise<string> =>
      (await runs.queued({ agents, limit })).map(({ id }) => id).join('');
    expect(await queued(['x', 'y'])).toBe('bda');
    expect(await queued(['x'], 1)).toBe('d');
    expect(await queued([])).toBe('');
    expect(await runs.queued({ agents: ['x'], limit: 1 })).toEqual([{ id: 'd', agent: 'x', segment: 0 }]);
  });

  it('notify watchers in all processes when one is queued or ends', async () => {
    const clock = handClock();
    const [here, there] = [await runRig(rig, clock), await runRig(rig, clock)];
    let woken = 0;
    const forget = await there.runs.watch(() => void woken++);
    const after = async (work: () => Promise<unknown>): Promise<void> => {
      const before = woken;
      await work();
      await expect.poll(() => woken, { timeout: 10_000, interval: 5 }).toBeGreaterThan(before);
    };
    await after(() => here.runs.create({ id: 'r1', agent: 'main', input: 1 }));
    const claim = await mustClaim(here.runs, 'r1');
    const approval = await here.ask('r1');
    await claim.wait([approval]);
    await after(() => here.settle(approval));
    const again = await mustClaim(here.runs, 'r1', 10);
    clock.move(10);
    await after(() => here.runs.reap());
    await expect(again.renew()).rejects.toMatchObject(fenced);
    await after(async () => (await mustClaim(here.runs, 'r1')).release());
    await after(() => here.runs.cancel('r1', 'ada'));
    forget();
  });

  it(proves('R01')('are isolated by namespace'), async () => {
    const clock = handClock();
    const [mine, theirs] = [await runRig(rig, clock, { namespace: 'a' }), await runRig(rig, clock, { namespace: 'b' })];
    await mine.runs.create({ id: 'r1', agent: 'main', input: 'mine' });
    await theirs.runs.create({ id: 'r1', agent: 'main', input: 'theirs' });
    const claim = await mustClaim(mine.runs, 'r1', 10);
    await claim.record({ kind: 'k', name: 'x', value: 1 }, 's');
    clock.move(10);
    expect(await theirs.runs.reap()).toEqual([]);
    expect(await theirs.runs.cancel('r1', 'x')).toBe(true);
    expect(await claim.steps()).toHaveLength(1);
    expect(await mine.runs.list()).toMatchObject([{ id: 'r1', input: 'mine', state: 'running' }]);
    // A row copied from another namespace does not open.
    const { database } = mine.parts;
    await database.run(`DELETE FROM bridle_runs WHERE namespace = 'b'`);
    await database.run(`UPDATE bridle_runs SET namespace = 'b' WHERE namespace = 'a'`);
    await expect(theirs.runs.get('r1')).rejects.toMatchObject(damaged);
  });

  it(proves('R10')('can be read only with the key if the store encrypts'), async () => {
    const clock = handClock();
    const { runs, parts } = await runRig(rig, clock, { encrypt: true });
    await runs.create({ id: 'r1', agent: 'main', input: 'SECRET in' });
    const claim = await mustClaim(runs, 'r1');
    await claim.record({ kind: 'tool', name: 'SECRET name', value: 'SECRET value' }, 'SECRET state');
    await runs.create({ id: 'r2', agent: 'main', input: 'SECRET in' });
    await (await mustClaim(runs, 'r2')).finish({ state: 'done', output: 'SECRET out' });
    await runs.create({ id: 'r3', agent: 'main', input: 'SECRET in' });
    await (await mustClaim(runs, 'r3')).finish({ state: 'failed', error: 'SECRET error' });
    for (const table of ['bridle_runs', 'bridle_run_values', 'bridle_run_steps']) {
      expect(JSON.stringify(await parts.database.all(`SELECT * FROM ${table}`))).not.toMatch(/SECRET/);
    }
    expect(await claim.steps()).toMatchObject([{ name: 'SECRET name', value: 'SECRET value' }]);
    expect(await claim.state()).toBe('SECRET state');
    const plain = await runRig(rig, clock);
    expect(await plain.runs.get('r2')).toMatchObject({ input: 'SECRET in', output: 'SECRET out' });
    expect(await plain.runs.get('r3')).toMatchObject({ error: 'SECRET error' });
  });

  it(proves('R04')('whose rows were modified, lost, swapped or rolled back do not continue'), async () => {
    const clock = handClock();
    const { runs, parts } = await runRig(rig, clock);
    const { database } = parts;
    const broken: Readonly<Record<string, string>> = {
      'state changed': `UPDATE bridle_runs SET state = 'done'`,
      'lease changed': 'UPDATE bridle_runs SET lease_until = 0',
      'body changed': `UPDATE bridle_runs SET body = REPLACE(body, '"running"', '"queued"')`,
      'step changed': `UPDATE bridle_run_steps SET body = REPLACE(body, 'one', 'two') WHERE seq = 0`,
      'last step lost': 'DELETE FROM bridle_run_steps WHERE seq = 1',
      'first step lost': 'DELETE FROM bridle_run_steps WHERE seq = 0',
      'steps swapped': 'UPDATE bridle_run_steps SET seq = 1 - seq + 10',
      'state lost': `DELETE FROM bridle_run_values WHERE name = 'state'`,
      'input lost': `DELETE FROM bridle_run_values WHERE name = 'input'`,
      'run lost': 'DELETE FROM bridle_runs',
    };
    const attempt = async (id: string): Promise<string> => {
      try {
        await runs.create({ id, agent: 'main', input: 'again' });
        const claim = await mustClaim(runs, id);
        await claim.steps();
        await claim.state();
        return 'fine';
      } catch (error) {
        return (error as BridleError).code;
      }
    };
    let count = 0;
    for (const [what, sql] of Object.entries(broken)) {
      const id = `r${count++}`;
      await runs.create({ id, agent: 'main', input: 'first' });
      const claim = await mustClaim(runs, id, 10);
      await claim.record({ kind: 'k', name: 'one', value: 1 }, 'old');
      await claim.record({ kind: 'k', name: 'two', value: 2 }, 'new');
      clock.move(10);
      const where = / WHERE /.test(sql) ? ' AND ' : ' WHERE ';
      await database.run(`${sql}${where}${sql.includes('bridle_runs') ? 'id' : 'run'} = ?`, [id]);
      expect(await attempt(id), what).toBe('STORE_DAMAGED');
    }
  });

  it(proves('R04')('with a rolled-back state do not continue'), async () => {
    const { runs, parts } = await runRig(rig, handClock());
    await runs.create({ id: 'r1', agent: 'main', input: 1 });
    const claim = await mustClaim(runs, 'r1');
    await claim.record({ kind: 'k', name: 'one', value: 1 }, 'old');
    const [before] = await parts.database.all(`SELECT body, mac FROM bridle_run_values WHERE name = 'state'`);
    await claim.record({ kind: 'k', name: 'two', value: 2 }, 'new');
    await parts.database.run(`UPDATE bridle_run_values SET body = ?, mac = ? WHERE name = 'state'`, [
      before?.['body'] ?? null,
      before?.['mac'] ?? null,
    ]);
    await expect(claim.state()).rejects.toMatchObject(damaged);
  });

  it(proves('R04')('that are damaged do not keep others from being reaped'), async () => {
    const clock = handClock();
    const { runs, parts } = await runRig(rig, clock);
    for (const id of ['r1', 'r2', 'r3']) {
      await runs.create({ id, agent: 'main', input: 1 });
      await mustClaim(runs, id, 10);
    }
    await parts.database.run(`UPDATE bridle_runs SET body = '{}' WHERE id = 'r2'`);
    clock.move(10);
    expect(await runs.reap()).toEqual(['r1', 'r3']);
  });

  it('are refused with invalid ids, leases and values', async () => {
    const { runs } = await runRig(rig, handClock());
    for (const id of ['', '../x', 'a b', 'x'.repeat(129), '-x', 'a..b']) {
      await expect(runs.create({ id, agent: 'main', input: 1 })).rejects.toMatchObject({ code: 'OPTION_INVALID' });
    }
    await runs.create({ id: 'r1', agent: 'main', input: 1 });
    for (const leaseMs of [0, -1, Number.NaN, Number.POSITIVE_INFINITY]) {
      await expect(runs.claim('r1', { leaseMs })).rejects.toMatchObject({ code: 'OPTION_INVALID' });
    }
    const claim = await mustClaim(runs, 'r1');
    const nothing = undefined as unknown as null;
    await expect(claim.record({ kind: 'k', name: 'x', value: nothing })).rejects.toMatchObject({ code: 'NOT_JSON' });
    await expect(claim.finish({ state: 'done', output: nothing })).rejects.toMatchObject({ code: 'NOT_JSON' });
    // Nothing of it was committed, and the claim continues.
    await claim.record({ kind: 'k', name: 'y', value: '\u0000 \ud800 ✓' });
    expect(await claim.steps()).toEqual([{ seq: 0, kind: 'k', name: 'y', value: '\u0000 \ud800 ✓' }]);
    expect(await runs.get('r1')).toMatchObject({ state: 'running' satisfies RunState, steps: 1 });
  });

  it(proves('R07')('record concurrent steps one after another, each once'), async () => {
    const { runs } = await runRig(rig, handClock());
    await runs.create({ id: 'r1', agent: 'main', input: 1 });
    const claim = await mustClaim(runs, 'r1');
    const names = Array.from({ length: 30 }, (_, at) => `s${at}`);
    await Promise.all(
      names.map(
        (name, at) => (at % 7 === 3 ? claim.renew() : undefined, claim.record({ kind: 'k', name, value: at }, at)),
      ),
    );
    expect((await claim.steps()).map(({ name }) => name)).toEqual(names);
    expect(await claim.state()).toBe(29);
  });
});
