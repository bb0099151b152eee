/** Remembered answers in a store count again for exactly what was signed, and as long as was signed. */

import { rmSync } from 'node:fs';
import { expect, it } from 'vitest';
import {
  type ApprovalRig,
  openApprovalRig,
  draftOf,
  sampleCall,
  sampleRequest,
} from '../../../test/rigs/approval-rig.ts';
import { proves } from '../../../test/contract/cite.ts';
import { describeStores, type StoreRig } from '../../../test/rigs/store-rig.ts';
import type { ApprovalRequest, ReusableAnswer, RememberedRule } from '../../kernel/approval.ts';
import type { AnswerMemory, AnswerQuery } from '../../approvals/remember-answers.ts';
import type { ApproverAnswer } from '../../approvals/signing/approval-record.ts';
import { signAnswer } from '../../approvals/signing/signed-answer.ts';
import { createSealer } from '../namespace/sealed-row.ts';
import { openRememberedAnswers } from './open-remembered-answers.ts';

const forever = Number.POSITIVE_INFINITY;

/** The query that the guard makes for a call. */
function queryOf(change: Partial<ApprovalRequest> = {}, covering: AnswerQuery['covers'] = () => false): AnswerQuery {
  const request = sampleRequest(change);
  const { session, agent, tool, server, args, cwd, turn } = request.call;
  const group = JSON.stringify([session, agent, tool, server, cwd, request.policyVersion]);
  return { group, binding: JSON.stringify([group, args]), request, turn, covers: covering };
}

function covers({ text }: RememberedRule): boolean {
  return text === 'run_command: npm test …';
}

interface Book extends ApprovalRig {
  readonly answers: AnswerMemory;
  /** Asks, lets a person answer, and stores the answer like the guard. */
  readonly remember: (query: AnswerQuery, answer: ApproverAnswer, forMs?: number) => Promise<ReusableAnswer>;
  /** The same store, opened like in another process. */
  readonly elsewhere: () => Promise<AnswerMemory>;
}

async function openBook(rig: StoreRig): Promise<Book> {
  const approvalRig = await openApprovalRig(rig);
  const { parts, approvals, clock, ann } = approvalRig;
  const answers = openRememberedAnswers(parts);
  return {
    ...approvalRig,
    answers,
    remember: async (query, answer, forMs = forever) => {
      const record = await approvals.put(draftOf(query.request, { keys: parts.keys }));
      await approvals.answer(signAnswer(ann, record, answer));
      const kept = keptOf(query, answer, record.id);
      await answers.keep(query, kept, forMs);
      return kept;
    },
    elsewhere: async () => openRememberedAnswers(await rig.parts({ clock })),
  };
}

function keptOf({ request, turn }: AnswerQuery, answer: ApproverAnswer, approvalId: string): ReusableAnswer {
  const isYes = answer.type === 'approve';
  return {
    approvalId,
    approved: isYes,
    reason: isYes ? '' : (answer.reason ?? 'no'),
    by: 'ann',
    turn: answer.remember === 'turn' ? turn : undefined,
    rule: isYes && answer.rule === true ? request.proposal : undefined,
  };
}

describeStores('remembered answers', (rig) => {
  it(proves('Q02', 'R01')('count again in every process for exactly the same call'), async () => {
    const { answers, remember, elsewhere } = await openBook(rig);
    const query = queryOf();
    expect(await answers.find(query)).toBeUndefined();
    const kept = await remember(query, { type: 'approve', remember: 'session' });
    for (const book of [answers, await elsewhere()]) {
      expect(await book.find(queryOf())).toEqual({ ...kept, leftMs: forever });
      const others: readonly Partial<ApprovalRequest>[] = [
        { call: sampleCall({ args: { command_line: 'npm publish' } }) },
        { call: sampleCall({ session: 'other' as never }) },
        { call: sampleCall({ agent: ['main', 'helper'] }) },
        { policyVersion: 'policy-2' },
      ];
      for (const other of others) expect(await book.find(queryOf(other))).toBeUndefined();
      // The same binding, but a person would see something else.
      const asked = {
        ...query,
        request: sampleRequest({ questions: [{ text: 'Really?', rule: undefined, hook: 'h' }] }),
      };
      expect(await book.find(asked)).toBeUndefined();
    }
  });

  it(proves('Q02', 'R05')('expire by the clock, or end with their turn'), async () => {
    const { answers, remember, clock, elsewhere } = await openBook(rig);
    clock.move(Date.now() - clock());
    const [timed, turned] = [queryOf(), queryOf({ call: sampleCall({ args: { command_line: 'ls' } }) })];
    await remember(timed, { type: 'approve', remember: { ms: 5000 } }, 5000);
    await remember(turned, { type: 'deny', reason: 'not now', remember: 'turn' });
    clock.move(4000);
    expect((await answers.find(timed))?.leftMs).toBe(1000);
    expect(await answers.find(turned)).toMatchObject({ approved: false, reason: 'not now', turn: 1 });
    expect(await answers.find({ ...turned, turn: 2 })).toBeUndefined();
    // In another process the same number is another turn.
    expect(await (await elsewhere()).find(turned)).toBeUndefined();
    clock.move(1000);
    expect(await answers.find(timed)).toBeUndefined();
    await answers.keep(timed, keptOf(timed, { type: 'approve' }, 'none'), 0);
    expect(await answers.find(timed)).toBeUndefined();
  });

  it(proves('Q02')('for an accepted rule count for every call the rule covers'), async () => {
    const { answers, remember } = await openBook(rig);
    const other = queryOf({ call: sampleCall({ args: { command_line: 'npm test -- a' } }) }, covers);
    await remember(queryOf(), { type: 'approve', remember: 'session' });
    expect(await answers.find(other)).toBeUndefined();
    const kept = await remember(queryOf(), { type: 'approve', remember: 'session', rule: true });
    expect(await answers.find(other)).toMatchObject({ approvalId: kept.approvalId, rule: kept.rule });
    expect(await answers.find({ ...other, covers: () => false })).toBeUndefined();
    const elsewhere = queryOf({ call: sampleCall({ cwd: '/elsewhere' }) }, covers);
    expect(await answers.find(elsewhere)).toBeUndefined();
    expect(await answers.find(queryOf({ policyVersion: 'policy-2' }, covers))).toBeUndefined();
  });

  it(proves('Q02')('that deny take precedence over wider approvals'), async () => {
    const { answers, remember } = await openBook(rig);
    await remember(queryOf(), { type: 'approve', remember: 'session', rule: true });
    const no = queryOf({ call: sampleCall({ args: { command_line: 'npm test -- --all' } }) }, () => true);
    expect(await answers.find(no)).toMatchObject({ approved: true });
    await remember(no, { type: 'deny', remember: 'session' });
    expect(await answers.find(no)).toMatchObject({ approved: false });
  });

  it(proves('Q06')('without a signature count in this process only'), async () => {
    const { answers, elsewhere, approvals, parts } = await openBook(rig);
    const query = queryOf();
    const record = await approvals.put(draftOf(query.request, { keys: parts.keys }));
    await approvals.move(record.id, { from: 'pending', to: 'approved', by: 'terminal' });
    const kept = { ...keptOf(query, { type: 'approve' }, record.id), by: 'terminal' };
    await answers.keep(query, kept, 60_000);
    expect(await answers.find(query)).toMatchObject(kept);
    expect(await (await elsewhere()).find(query)).toBeUndefined();
    expect(await parts.database.all('SELECT * FROM bridle_answers')).toEqual([]);
  });

  it(proves('Q06', 'R04', 'R05')('that were modified in the database are refused'), async () => {
    const { answers, remember, parts } = await openBook(rig);
    const query = queryOf();
    await remember(query, { type: 'deny', remember: 'session' });
    const [row] = await parts.database.all('SELECT * FROM bridle_answers');
    const body = String(row?.['body']).replace('"approved":false', '"approved":true');
    expect(body).not.toBe(row?.['body']);
    for (const [column, value] of [
      ['body', body],
      ['mac', '0'.repeat(32)],
    ] as const) {
      await parts.database.run(`UPDATE bridle_answers SET ${column} = ?`, [value]);
      await expect(answers.find(query)).rejects.toMatchObject({ code: 'STORE_DAMAGED' });
      await parts.database.run(`UPDATE bridle_answers SET ${column} = ?`, [row?.[column] as string]);
    }
    expect(await answers.find(query)).toMatchObject({ approved: false });
  });

  it(proves('Q06', 'R05')('with a valid seal but without a matching signature do not count'), async () => {
    const { answers, remember, parts, clock } = await openBook(rig);
    clock.move(Date.now() - clock());
    const query = queryOf({}, () => true);
    await remember(query, { type: 'approve', remember: { ms: 1000 } }, 1000);
    const [row] = await parts.database.all('SELECT * FROM bridle_answers');
    const id = String(row?.['id']);
    const sealer = createSealer({ keys: parts.keys, namespace: parts.namespace, encrypt: false });
    const write = async (change: (body: Body) => object): Promise<void> => {
      const made = JSON.stringify(change(JSON.parse(String(row?.['body'])) as Body));
      const { body, mac } = sealer.seal({ table: 'bridle_answers', key: [id] }, made);
      await parts.database.run('UPDATE bridle_answers SET body = ?, mac = ?', [body, mac]);
    };
    await write((body) => body);
    expect(await answers.find(query)).toMatchObject({ approved: true });
    const forged: readonly ((body: Body) => object)[] = [
      // Another call in place of the first.
      (body) => body,
      (body) => ({ ...body, kept: { ...body.kept, by: 'bob' } }),
      (body) => ({ ...body, kept: { ...body.kept, approvalId: 'other' } }),
      (body) => ({ ...body, kept: { ...body.kept, rule: { text: 'all', data: {} } } }),
      (body) => ({ ...body, signed: { ...body.signed, answer: { type: 'approve', remember: 'session' } } }),
      (body) => ({ ...body, signed: { ...body.signed, signature: '' } }),
      (body) => ({ ...body, keptAt: clock() + 10 * 60_000 }),
    ];
    for (const [at, change] of forged.entries()) {
      await write(change);
      const about = at === 0 ? { ...query, request: sampleRequest({ policyVersion: 'other' }) } : query;
      expect(await answers.find(about), String(at)).toBeUndefined();
    }
    // The row says it lasts forever, but one second was signed.
    await write((body) => ({ ...body, until: null }));
    expect((await answers.find(query))?.leftMs).toBeLessThan(120_000);
    clock.move(120_000);
    expect(await answers.find(query)).toBeUndefined();
  });

  it(proves('Q06')('stop counting when their key is no longer trusted'), async () => {
    const { answers, remember, parts } = await openBook(rig);
    await remember(queryOf(), { type: 'approve', remember: 'session' });
    expect(await answers.find(queryOf())).toBeDefined();
    rmSync(`${parts.keys.folder}/approvers/ann.pub`);
    expect(await answers.find(queryOf())).toBeUndefined();
  });

  it('are limited in number: expired ones are dropped first, then the oldest', async () => {
    const { answers, remember, parts, clock } = await openBook(rig);
    clock.move(Date.now() - clock());
    const other = (): AnswerQuery => queryOf({ call: sampleCall({ args: { command_line: 'ls' } }) });
    const count = async (): Promise<unknown> =>
      (await parts.database.all('SELECT COUNT(*) AS n FROM bridle_answers'))[0];
    await remember(queryOf(), { type: 'approve', remember: { ms: 1000 } }, 1000);
    clock.move(2000);
    await remember(other(), { type: 'approve', remember: 'session' });
    expect(await count()).toMatchObject({ n: 1 });
    expect(await answers.find(other())).toMatchObject({ approved: true });
    // The same answer again replaces itself.
    await remember(other(), { type: 'deny', remember: 'session' });
    expect(await count()).toMatchObject({ n: 1 });
    await parts.database.run(
      `INSERT INTO bridle_answers (namespace, id, kept_at, until_at, body, mac)
       WITH RECURSIVE many(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM many WHERE n < 10000)
       SELECT 'default', 'old-' || n, n, 8000000000000000, '', '' FROM many`,
    );
    await remember(queryOf(), { type: 'approve', remember: 'session' });
    expect(await count()).toMatchObject({ n: 10_000 });
    expect(await parts.database.all(`SELECT id FROM bridle_answers WHERE kept_at <= 2`)).toEqual([]);
    expect(await answers.find(other())).toMatchObject({ approved: false });
    expect(await answers.find(queryOf())).toMatchObject({ approved: true });
  });

  it('are isolated by namespace', async () => {
    const { remember, clock } = await openBook(rig);
    await remember(queryOf(), { type: 'approve', remember: 'session' });
    const others = openRememberedAnswers(await rig.parts({ clock, namespace: 'other' }));
    expect(await others.find(queryOf())).toBeUndefined();
  });
});

interface Body {
  readonly kept: ReusableAnswer;
  readonly signed: { readonly signature: string; readonly answer: ApproverAnswer };
}
