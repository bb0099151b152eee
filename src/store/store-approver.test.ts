/** Questions that a guard puts into a store, and the effect of answers from other processes. */

import { setTimeout as delay } from 'node:timers/promises';
import { allowAll, ask, createGuard, type CallResult, type Turn } from 'bridle';
import { maskSecrets } from 'bridle/journal';
import { expect, it } from 'vitest';
import { draftOf, elsewhere, sampleCall, sampleRequest, signElsewhere } from '../../test/rigs/approval-rig.ts';
import { proves } from '../../test/contract/cite.ts';
import { describeStores, type StoreRig } from '../../test/rigs/store-rig.ts';
import type { Approver } from '../kernel/approval.ts';
import { type ApprovalId, newId } from '../kernel/ids.ts';
import type { JsonObject } from '../kernel/json.ts';
import { AnsweredElsewhere, type ApprovalRecord, type ApproverAnswer } from '../approvals/signing/approval-record.ts';
import { signAnswer } from '../approvals/signing/signed-answer.ts';
import { createApproverKey } from './keys/approver-keys.ts';
import type { SigningKey } from '../approvals/signing/key-ring.ts';
import { type SessionRun, storeApprover, type StoreApproverOptions } from './store-approver.ts';
import type { Store } from './store.ts';

interface Asking {
  readonly store: Store;
  readonly ann: SigningKey;
  readonly ran: JsonObject[];
  readonly call: (args?: JsonObject, id?: string) => Promise<CallResult>;
  /** The open question. */
  readonly asked: () => Promise<ApprovalRecord>;
  readonly say: (answer: ApproverAnswer) => Promise<ApprovalRecord>;
  readonly turn: Turn;
}

interface AskOptions extends StoreApproverOptions {
  readonly askTimeoutMs?: number;
  readonly approvalMs?: number;
}

async function openAsking(rig: StoreRig, asking: AskOptions = {}): Promise<Asking> {
  const { askTimeoutMs = 60_000, approvalMs = 3_600_000, ...options } = asking;
  const store = await rig.open();
  const ann = createApproverKey({ folder: rig.keys, name: 'ann' });
  const mask = maskSecrets({ key: store.keys.secret('masks'), env: {} });
  const guard = createGuard({
    tools: [{ name: 'act', tier: 'confirm' }],
    policy: [ask('act', { reason: 'Act?', grant: { approvalMs } }), allowAll()],
    approver: storeApprover(store, { mask, ...options }),
    mask,
    askTimeoutMs,
  });
  const ran: JsonObject[] = [];
  const turn = (await guard.start()).turn();
  const asked = async (): Promise<ApprovalRecord> => {
    for (;;) {
      const [record] = await store.approvals.list({ state: 'pending' });
      if (record !== undefined) return record;
      await delay(5);
    }
  };
  return {
    store,
    ann,
    ran,
    turn,
    asked,
    say: async (answer) => (await store.approvals.answer(signElsewhere(ann, await asked(), answer))).record,
    call: (args = { a: 1 }, id = 'c1') =>
      turn.guard({ id, tool: 'act', args }, { run: ({ args: given }) => `ran ${ran.push(given)}` }),
  };
}

describeStores('an approver on a store', (rig) => {
  it(proves('Q01', 'Q02', 'Q06')('runs a call once after a signed approval, and records who approved'), async () => {
    const { call, say, ran, store } = await openAsking(rig);
    const [result] = await Promise.all([call(), say({ type: 'approve' })]);
    expect(result).toMatchObject({ type: 'ok', text: 'ran 1' });
    const [record] = await store.approvals.list();
    expect(record?.changes.map(({ state, by }) => [state, by])).toEqual([
      ['pending', 'bridle'],
      ['approved', 'ann'],
      ['used', 'bridle'],
    ]);
    // The same call again is another question.
    const [second] = await Promise.all([call(), say({ type: 'deny', reason: 'Once is enough' })]);
    expect(second).toMatchObject({ type: 'denied', text: 'Once is enough' });
    expect(ran).toEqual([{ a: 1 }]);
  });

  it(proves('Q02')('reports an expired question, and leaves none open'), async () => {
    const { call, store, ran } = await openAsking(rig, { askTimeoutMs: 60 });
    expect(await call()).toMatchObject({ type: 'denied', status: 'expired' });
    for (let i = 0; i < 100 && (await store.approvals.list({ state: 'pending' })).length > 0; i++) await delay(10);
    const [record] = await store.approvals.list();
    expect(['expired', 'cancelled']).toContain(record?.state);
    expect(ran).toEqual([]);
  });

  it(proves('Q02', 'G02')('takes edited args, with masks put back where they were left'), async () => {
    const { call, asked, say, ran, ann, store } = await openAsking(rig);
    const args = { url: 'https://host', password: 'hunter2-hunter2' };
    const first = call(args);
    const record = await asked();
    expect(JSON.stringify(record)).not.toContain('hunter2');
    const edited = { ...record.args, url: 'https://other' };
    const [result] = await Promise.all([first, say({ type: 'approve', args: edited })]);
    expect(result.type).toBe('ok');
    expect(ran).toEqual([{ ...args, url: 'https://other' }]);
    const second = call(args);
    const strange = { ...edited, password: '[masked:3:00000000]' };
    const open = await asked();
    await store.approvals.answer(signElsewhere(ann, open, { type: 'approve', args: strange }));
    expect(await second).toMatchObject({ type: 'denied' });
    expect((await second).text).toContain('masked value');
    expect((await store.approvals.get(open.id))?.state).toBe('void');
  });

  it(proves('Q02')('remembers what was signed to be remembered, in every process'), async () => {
    const { call, say, ran } = await openAsking(rig);
    await Promise.all([call(), say({ type: 'approve', remember: 'session' })]);
    expect(await call()).toMatchObject({ type: 'ok' });
    expect(ran.length).toBe(2);
  });

  it(proves('Q06', 'R05')('does not trust an approved record without a valid answer'), async () => {
    const asking = await openAsking(rig, { answerers: ['ann'] });
    const { ann, store } = asking;
    const bob = createApproverKey({ folder: rig.keys, name: 'bob' });
    const eve = createApproverKey({ folder: `${rig.keys}-of-eve`, name: 'ann' });
    const yes: ApproverAnswer = { type: 'approve' };
    const other = await store.approvals.put(draftOf(sampleRequest(), { keys: store.keys }));
    await store.approvals.move(other.id, { from: 'pending', to: 'cancelled', by: 'x' });
    const forgeries: Readonly<Record<string, (record: ApprovalRecord) => Partial<ApprovalRecord>>> = {
      'nobody signed': () => ({ answer: undefined }),
      'somebody else signed': (record) => ({ answer: signElsewhere(bob, record, yes), answerers: undefined }),
      'an unknown key signed': (record) => ({ answer: signElsewhere(eve, record, yes) }),
      'another approval was signed': () => ({ answer: signElsewhere(ann, other, yes) }),
      'another call was signed': (record) => {
        const changed = { ...record, digest: other.digest, shown: other.shown };
        return { digest: other.digest, shown: other.shown, answer: signElsewhere(ann, changed, yes) };
      },
      'a no was signed': (record) => ({ answer: signElsewhere(ann, record, { type: 'deny' }) }),
      'it was signed here': (record) => ({ answer: signAnswer(ann, { ...record, asker: elsewhere() }, yes) }),
    };
    for (const [what, forge] of Object.entries(forgeries)) {
      const waiting = asking.call();
      const record = await asking.asked();
      await overwrite(rig, { ...record, state: 'approved', ...forge(record) });
      const result = await waiting;
      expect(result.type, what).toBe('denied');
      expect(result.text, what).toContain('does not count');
      expect((await store.approvals.get(record.id))?.state, what).toBe('void');
    }
    expect(asking.ran).toEqual([]);
  });

  it(proves('Q01')('counts an approval from when it was given, not from when it is taken'), async () => {
    const { call, asked, ann, ran } = await openAsking(rig, { approvalMs: 60_000 });
    const late = call();
    const record = await asked();
    const at = Date.now() - 61_000;
    const changes = [...record.changes, { state: 'approved', at, by: 'ann' } as const];
    const answer = signElsewhere(ann, record, { type: 'approve' });
    await overwrite(rig, { ...record, state: 'approved', answer, changes });
    expect(await late).toMatchObject({ type: 'denied' });
    expect(ran).toEqual([]);
  });

  it(proves('Q06')('also asks the local approver, and the first answer wins'), async () => {
    const choices: ((answer: boolean) => void)[] = [];
    const signals: AbortSignal[] = [];
    const beside: Approver = (_request, { signal }) => {
      signals.push(signal);
      return new Promise<boolean>((resolve) => void choices.push(resolve));
    };
    const { call, say, asked, store, ran } = await openAsking(rig, { alsoAsk: beside });
    const [first] = await Promise.all([call(), say({ type: 'deny', reason: 'From afar' })]);
    expect(first.text).toBe('From afar');
    // The local approver can show who answered.
    expect(signals[0]?.reason).toEqual(new AnsweredElsewhere('ann', false));
    choices.shift()?.(true);
    const second = call();
    const { id } = await asked();
    choices.shift()?.(true);
    expect(await second).toMatchObject({ type: 'ok' });
    expect(await store.approvals.get(id)).toMatchObject({ state: 'used', changes: [{}, { by: 'approver' }, {}] });
    expect(ran.length).toBe(1);
  });
});

/** Overwrites a record with a valid seal, which requires the secret of the store. */
async function overwrite(rig: StoreRig, record: ApprovalRecord): Promise<void> {
  const { database, sealer } = await rig.parts();
  const text = JSON.stringify({ ...record, version: 2, nth: 0 });
  const { body, mac } = sealer.seal({ table: 'bridle_approvals', key: [record.id] }, text);
  await database.write(async (transaction) => {
    const update = 'UPDATE bridle_approvals SET state = ?, body = ?, mac = ? WHERE id = ?';
    await transaction.run(update, [record.state, body, mac, record.id]);
    await transaction.notify(`approval:default:${record.id}`);
  });
}

describeStores('an approver on a store, in a run that is resumed', (rig) => {
  const request = sampleRequest({ expiresAt: Date.now() + 600_000 });
  const changed = { ...request, call: sampleCall({ args: { command_line: 'rm -rf /' } }) };
  const { signal } = new AbortController();

  async function openRun(goesOn = false): Promise<{ store: Store; ann: SigningKey; approver: Approver }> {
    const store = await rig.open();
    const ann = createApproverKey({ folder: rig.keys, name: 'ann' });
    const run: SessionRun = { id: 'r1', stopWaiting: AbortSignal.abort(), isResumed: () => goesOn };
    return { store, ann, approver: storeApprover(store, { runOf: () => run }) };
  }

  it(proves('Q03')('suspends while there is no answer, and uses the answer later'), async () => {
    const { store, ann, approver } = await openRun();
    expect(await approver.earlier?.(request)).toBeUndefined();
    expect(await approver(request, { signal })).toEqual({ type: 'suspend' });
    const record = await store.approvals.get(request.id);
    expect(record).toMatchObject({ state: 'pending', run: 'r1' });
    // The same call, asked by another process under another id.
    const again = { ...request, id: newId<ApprovalId>() };
    expect(await approver.earlier?.(again)).toEqual({ id: request.id });
    await store.approvals.answer(signElsewhere(ann, record as ApprovalRecord, { type: 'approve' }));
    expect(await approver(request, { signal })).toMatchObject({ type: 'approve', by: 'ann' });
    await expect(approver(request, { signal })).rejects.toMatchObject({ code: 'APPROVAL_REFUSED' });
  });

  it(proves('Q03')('is void if the call has changed, and the call is refused'), async () => {
    const { store, ann, approver } = await openRun();
    await approver(request, { signal });
    const record = await store.approvals.get(request.id);
    await store.approvals.answer(signElsewhere(ann, record as ApprovalRecord, { type: 'approve' }));
    expect(await approver.earlier?.(changed)).toMatchObject({ refused: expect.stringContaining('is void') as string });
    expect((await store.approvals.get(request.id))?.state).toBe('void');
    expect(await approver.earlier?.(request)).toBeUndefined();
  });

  it(proves('Q01', 'Q03')('asks again under another policy'), async () => {
    const { store, approver } = await openRun();
    await approver(request, { signal });
    expect(await approver.earlier?.({ ...request, policyVersion: 'policy-2' })).toBeUndefined();
    expect((await store.approvals.get(request.id))?.state).toBe('void');
  });

  it(proves('Q03', 'R07')('counts again for the execution that was under way, and for no other'), async () => {
    const { store, ann, approver } = await openRun(true);
    await approver(request, { signal });
    const record = await store.approvals.get(request.id);
    await store.approvals.answer(signElsewhere(ann, record as ApprovalRecord, { type: 'approve' }));
    await approver(request, { signal });
    expect(await approver.earlier?.(request)).toEqual({ id: request.id });
    expect(await approver(request, { signal })).toMatchObject({ type: 'approve' });
    const gone = storeApprover(store, { runOf: () => ({ id: 'r1', stopWaiting: signal, isResumed: () => false }) });
    expect(await gone.earlier?.(request)).toBeUndefined();
  });
});
