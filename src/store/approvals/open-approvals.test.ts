/** Approvals in a store: what is stored, who is notified, and that only sealed and signed records count. */

import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { openApprovalRig, sampleCall } from '../../../test/rigs/approval-rig.ts';
import { proves } from '../../../test/contract/cite.ts';
import { mustClaim } from '../../../test/rigs/run-rig.ts';
import { describeStores } from '../../../test/rigs/store-rig.ts';
import type { ApprovalId, SessionId } from '../../kernel/ids.ts';
import { createApproverKey } from '../keys/approver-keys.ts';
import { openRuns } from '../runs/open-runs.ts';
import { createSealer } from '../namespace/sealed-row.ts';
import type { ApprovalRecord } from '../../approvals/signing/approval-record.ts';
import type { Approvals } from './approvals.ts';
import { openApprovals } from './open-approvals.ts';
import { signAnswer } from '../../approvals/signing/signed-answer.ts';

const damaged = { code: 'STORE_DAMAGED' };
const refused = { code: 'APPROVAL_REFUSED' };

describeStores('approvals', (rig) => {
  it(proves('Q01', 'Q04', 'R01')('are stored completely, as they were shown'), async () => {
    const { approvals, put, clock } = await openApprovalRig(rig);
    const record = await put({ run: 'r1', answerers: ['ann'] });
    expect(record).toMatchObject({ state: 'pending', changes: [{ state: 'pending', at: clock(), by: 'bridle' }] });
    expect(await approvals.get(record.id)).toEqual(record);
    expect(await approvals.get('0000' as ApprovalId)).toBeUndefined();
    await expect(approvals.put(record)).rejects.toMatchObject({ code: 'STORE_CONFLICT' });
    await expect(put({ id: 'NO ID' as ApprovalId })).rejects.toMatchObject({ code: 'OPTION_INVALID' });
  });

  it('are found by a unique start of their id', async () => {
    const { approvals, put } = await openApprovalRig(rig);
    const [a, b] = [await put({ id: 'abc00001-1' as ApprovalId }), await put({ id: 'abd00002-2' as ApprovalId })];
    expect(await approvals.find('abc')).toEqual(a);
    expect(await approvals.find(b.id)).toEqual(b);
    expect(await approvals.find('abe')).toBeUndefined();
    expect(await approvals.find('')).toBeUndefined();
    expect(await approvals.find('%')).toBeUndefined();
    await expect(approvals.find('ab')).rejects.toThrow('abc00001-1 and abd00002-2');
  });

  it('are listed, the newest first, by state, session and run', async () => {
    const { approvals, put, clock } = await openApprovalRig(rig);
    const made: ApprovalRecord[] = [];
    for (const [at, session] of ['s1', 's2', 's1'].entries()) {
      clock.move(1);
      const call = sampleCall({ session: session as SessionId });
      made.push(await put({ run: `r${at}` }, { call }));
    }
    const [a, b, c] = made.map(({ id }) => id);
    await approvals.move(c as ApprovalId, { from: 'pending', to: 'cancelled', by: 'bridle' });
    const ids = async (filter: Parameters<Approvals['list']>[0]): Promise<readonly string[]> =>
      (await approvals.list(filter)).map(({ id }) => id);
    expect(await ids({})).toEqual([c, b, a]);
    expect(await ids({ limit: 2 })).toEqual([c, b]);
    expect(await ids({ state: 'pending' })).toEqual([b, a]);
    expect(await ids({ session: 's1' })).toEqual([c, a]);
    expect(await ids({ run: 'r1', state: 'pending' })).toEqual([b]);
  });

  it('are found by call, with the last question about it', async () => {
    const { approvals, put } = await openApprovalRig(rig);
    const about = { run: 'r1', agent: ['main'], call: 'call-1' };
    expect(await approvals.ofCall(about)).toBeUndefined();
    // All at the same time, so that no clock gives their order.
    const made: ApprovalRecord[] = [];
    for (let i = 0; i < 5; i++) made.push(await put({ run: 'r1' }));
    expect((await approvals.ofCall(about))?.id).toBe(made[4]?.id);
    expect(await approvals.ofCall({ ...about, run: 'r2' })).toBeUndefined();
    expect(await approvals.ofCall({ ...about, agent: ['main', 'helper'] })).toBeUndefined();
  });

  it(proves('Q06', 'R05')('are answered once: the first answer wins'), async () => {
    const { approvals, ann, put, clock } = await openApprovalRig(rig);
    const record = await put();
    const [yes, no] = [signAnswer(ann, record, { type: 'approve' }), signAnswer(ann, record, { type: 'deny' })];
    clock.move(5);
    const first = await approvals.answer(yes);
    expect(first).toMatchObject({ won: true, record: { state: 'approved', answer: { by: 'ann' } } });
    expect(first.record.changes.at(-1)).toEqual({ state: 'approved', at: clock(), by: 'ann' });
    expect(await approvals.answer(no)).toEqual({ won: false, record: first.record });
    expect(await approvals.get(record.id)).toEqual(first.record);
    const use = { from: 'approved', to: 'used', by: 'bridle' } as const;
    expect(await approvals.move(record.id, use)).toBe(true);
    expect(await approvals.move(record.id, use)).toBe(false);
  });

  it(proves('Q02', 'R05')('expire by the clock of the store, and no late answer counts'), async () => {
    const { approvals, ann, put, clock } = await openApprovalRig(rig);
    const [late, lost, fine] = [await put(), await put(), await put({ expiresAt: clock() + 120_000 })];
    const signed = signAnswer(ann, late, { type: 'approve' });
    clock.move(60_000);
    expect(await approvals.answer(signed)).toMatchObject({
      won: false,
      record: { state: 'expired', answer: undefined },
    });
    const approve = { from: 'pending', to: 'approved', by: 'terminal' } as const;
    expect(await approvals.move(lost.id, approve)).toBe(false);
    expect((await approvals.get(lost.id))?.state).toBe('expired');
    expect(await approvals.expire()).toBe(0);
    expect(await approvals.expire(clock() + 60_000)).toBe(1);
    expect((await approvals.get(fine.id))?.changes.at(-1)).toMatchObject({ state: 'expired', by: 'bridle' });
  });

  it(proves('R05')('change state only by allowed transitions'), async () => {
    const { approvals, put } = await openApprovalRig(rig);
    const { id } = await put();
    for (const [from, to] of [
      ['pending', 'used'],
      ['denied', 'approved'],
      ['used', 'approved'],
      ['approved', 'pending'],
      ['constructor', 'used'],
    ] as const) {
      await expect(approvals.move(id, { from: from as 'pending', to, by: 'x' })).rejects.toMatchObject(refused);
    }
    expect(await approvals.move(id, { from: 'approved', to: 'used', by: 'x' })).toBe(false);
    const gone = approvals.move('0000' as ApprovalId, { from: 'pending', to: 'void', by: 'x' });
    await expect(gone).rejects.toMatchObject(refused);
  });

  it(proves('Q06')('refuse answers that cannot count'), async () => {
    const { approvals, ann, put, parts } = await openApprovalRig(rig);
    const [record, other] = [await put(), await put()];
    const signed = signAnswer(ann, record, { type: 'deny' });
    const mallory = createApproverKey({ folder: `${parts.keys.folder}-other`, name: 'ann' });
    const bad = [
      signAnswer(mallory, record, { type: 'approve' }),
      { ...signed, answer: { type: 'approve' } as const },
      { ...signed, approval: other.id, digest: other.digest },
      { ...signed, by: 'bob' },
      { ...signed, signature: '' },
      { ...signed, approval: '00000000' as ApprovalId },
    ];
    for (const each of bad) await expect(approvals.answer(each)).rejects.toMatchObject(refused);
    expect((await approvals.get(record.id))?.state).toBe('pending');
    expect((await approvals.get(other.id))?.state).toBe('pending');
  });

  it('wake waiting processes and watchers immediately', async () => {
    const { approvals, ann, put, clock } = await openApprovalRig(rig);
    const record = await put();
    const seen: number[] = [];
    const stop = await approvals.watch(() => seen.push(1));
    const { signal } = new AbortController();
    const waiting = approvals.settled(record.id, { signal });
    // A second connection, like another process.
    const there = openApprovals(await rig.parts({ clock }));
    await delay(20);
    await there.answer(signAnswer(ann, record, { type: 'deny', reason: 'no' }));
    expect(await waiting).toMatchObject({ state: 'denied', answer: { answer: { reason: 'no' } } });
    // An answer that was recorded before.
    expect(await approvals.settled(record.id, { signal })).toMatchObject({ state: 'denied' });
    for (let i = 0; seen.length === 0 && i < 100; i++) await delay(20);
    expect(seen).not.toEqual([]);
    stop();
  });

  it('stop waiting on abort and on expiry', async () => {
    const { approvals, put } = await openApprovalRig(rig, { clock: Date.now });
    const long = await put({ expiresAt: Date.now() + 3_600_000 });
    const controller = new AbortController();
    const waiting = approvals.settled(long.id, { signal: controller.signal });
    controller.abort();
    expect(await waiting).toMatchObject({ state: 'pending' });
    const short = await put({ expiresAt: Date.now() + 50 });
    const { signal } = new AbortController();
    expect(await approvals.settled(short.id, { signal })).toMatchObject({ state: 'expired' });
    await expect(approvals.settled('0000' as ApprovalId, { signal })).rejects.toMatchObject(refused);
  });

  it(proves('R07')('wake the waiting run when they are answered, expire or are cancelled'), async () => {
    const { approvals, ann, put, parts, clock } = await openApprovalRig(rig);
    const runs = openRuns(parts);
    const ends: Readonly<Record<string, (record: ApprovalRecord) => Promise<unknown>>> = {
      answered: (record) => approvals.answer(signAnswer(ann, record, { type: 'deny' })),
      cancelled: ({ id }) => approvals.move(id, { from: 'pending', to: 'cancelled', by: 'bridle' }),
      expired: async () => {
        clock.move(60_000);
        await approvals.expire();
      },
    };
    for (const [run, end] of Object.entries(ends)) {
      await runs.create({ id: run, agent: 'main', input: 1 });
      const record = await put({ run });
      await (await mustClaim(runs, run)).wait([record.id]);
      expect((await runs.get(run))?.state).toBe('waiting');
      await end(record);
      expect((await runs.get(run))?.state, run).toBe('queued');
    }
  });

  it('are isolated by namespace', async () => {
    const { approvals, put, ann } = await openApprovalRig(rig);
    const record = await put();
    const parts = await rig.parts({ namespace: 'other' });
    const others = openApprovals(parts);
    expect(await others.get(record.id)).toBeUndefined();
    expect(await others.find(record.id)).toBeUndefined();
    expect(await others.list()).toEqual([]);
    await expect(others.answer(signAnswer(ann, record, { type: 'approve' }))).rejects.toMatchObject(refused);
    await parts.database.run(`UPDATE bridle_approvals SET namespace = 'other'`);
    await expect(others.get(record.id)).rejects.toMatchObject(damaged);
    expect(await approvals.list()).toEqual([]);
  });

  it(proves('Q06', 'R04', 'R05')('that were forged in the table are refused'), async () => {
    const { approvals, ann, put, parts } = await openApprovalRig(rig);
    const record = await put();
    const [row] = await parts.database.all('SELECT * FROM bridle_approvals');
    const set = (column: string, value: string | number): Promise<number> | number =>
      parts.database.run(`UPDATE bridle_approvals SET ${column} = ?`, [value]);
    const body = String(row?.['body']);
    const approved = body.replace('"state":"pending"', '"state":"approved"');
    expect(approved).not.toBe(body);
    const forgeries: readonly (readonly [string, string | number])[] = [
      ['body', approved],
      ['state', 'approved'],
      ['session', 'other'],
      ['call', 'other'],
      ['expires_at', 9_000_000_000_000],
      ['created_at', 1],
      ['mac', '0'.repeat(32)],
      ['body', '{'],
    ];
    for (const [column, value] of forgeries) {
      await set(column, value);
      await expect(approvals.get(record.id), column).rejects.toMatchObject(damaged);
      await expect(approvals.list(), column).rejects.toMatchObject(damaged);
      await expect(approvals.answer(signAnswer(ann, record, { type: 'approve' }))).rejects.toMatchObject(damaged);
      await set(column, row?.[column] as string);
    }
    expect(await approvals.get(record.id)).toEqual(record);
  });

  it(proves('R04')('that are damaged do not keep others from expiring'), async () => {
    const { approvals, put, parts, clock } = await openApprovalRig(rig);
    const records = [await put(), await put(), await put()].toSorted((a, b) => (a.id < b.id ? -1 : 1));
    await parts.database.run('UPDATE bridle_approvals SET body = ? WHERE id = ?', ['{}', records[1]?.id ?? '']);
    clock.move(60_000);
    await expect(approvals.expire()).rejects.toMatchObject(damaged);
    expect((await approvals.get(records[2]?.id as ApprovalId))?.state).toBe('expired');
  });

  it(proves('Q06', 'R05')('with a seal but no signature do not count as answered'), async () => {
    const { approvals, put, parts } = await openApprovalRig(rig);
    const record = await put();
    // With the secret of the store one can write a row that opens, but not the signature of an approver.
    const sealer = createSealer({ keys: parts.keys, namespace: parts.namespace, encrypt: false });
    const body = JSON.stringify({ ...record, state: 'approved', version: 2, nth: 0 });
    const row = sealer.seal({ table: 'bridle_approvals', key: [record.id] }, body);
    await parts.database.run(`UPDATE bridle_approvals SET state = 'approved', body = ?, mac = ?`, [row.body, row.mac]);
    const found = await approvals.get(record.id);
    expect(found?.state).toBe('approved');
    expect(found?.answer).toBeUndefined();
  });
});
