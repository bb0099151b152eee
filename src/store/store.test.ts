/** The store as a whole: one interface on both databases, and isolated namespaces. */

import { randomBytes } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { draftOf, sampleRequest } from '../../test/rigs/approval-rig.ts';
import { proves } from '../../test/contract/cite.ts';
import { detailsIn, noteOf } from '../../test/rigs/journal-rig.ts';
import { mustClaim } from '../../test/rigs/run-rig.ts';
import { describeStores } from '../../test/rigs/store-rig.ts';
import type { AnswerQuery } from '../approvals/remember-answers.ts';
import { openRememberedAnswers } from './approvals/open-remembered-answers.ts';
import { openApprovals } from './approvals/open-approvals.ts';
import { signAnswer } from '../approvals/signing/signed-answer.ts';
import { openCounters } from './counters/open-counters.ts';
import type { Database } from './database/database.ts';
import { readStoreAddress, urlWithoutCredentials } from './database/store-address.ts';
import { openJournal } from './journal/open-journal.ts';
import { createApproverKey } from './keys/approver-keys.ts';
import type { SigningKey } from '../approvals/signing/key-ring.ts';
import { openStore } from './open-store.ts';
import type { NamespaceContext } from './namespace/namespace.ts';
import { openRuns } from './runs/open-runs.ts';
import { openSessions } from './sessions/open-sessions.ts';
import type { Store } from './store.ts';

type Parts = Pick<Store, 'journal' | 'approvals' | 'answers' | 'counters' | 'sessions' | 'runs' | 'keys'>;

const request = sampleRequest();

function question(): AnswerQuery {
  return { binding: 'b', group: 'g', request, turn: 1, covers: () => true };
}

/** Uses every part of a store and marks its contents with a name. */
async function fill(store: Parts, who: string, ann: SigningKey): Promise<void> {
  await Promise.all([1, 2, 3].map((n) => store.journal.append(noteOf(`${who} ${n}`))));
  await store.journal.checkpoint();
  const asked = await store.approvals.put(draftOf(request, { keys: store.keys, run: 'run' }));
  await store.approvals.answer(signAnswer(ann, asked, { type: 'approve', remember: 'session' }));
  const answer = { approvalId: asked.id, approved: true, reason: who, by: 'ann', turn: undefined, rule: undefined };
  await store.answers.keep(question(), answer, 1_000_000);
  await store.approvals.move(asked.id, { from: 'approved', to: 'used', by: who });
  await store.counters.take({ account: 'a', amounts: { calls: 1 }, rates: { calls: { max: 5, perMs: 1e9 } } });
  await store.counters.take({
    account: 'a',
    amounts: {},
    hold: { id: 'h', most: { tokens: 5 }, presumed: { tokens: 1 }, ms: 1e9 },
  });
  await store.counters.renew('a', ['h'], 1e9);
  await store.counters.settle('a', 'h', { tokens: who.length });
  await store.sessions.save('session', { who }, 0);
  for (const id of ['run', 'ended']) await store.runs.create({ id, agent: 'main', input: who });
  const claim = await mustClaim(store.runs, 'run');
  await claim.record({ kind: 'k', name: 'n', value: who }, { who });
  await (await mustClaim(store.runs, 'ended')).finish({ state: 'done', output: who });
}

/** Everything that can be read from a store, without timestamps. */
async function view(store: Parts): Promise<unknown> {
  const runs = await store.runs.list();
  const approval = await store.approvals.get(request.id);
  return {
    journal: await detailsIn(store.journal.read()),
    head: (await store.journal.head()).count,
    checkpoints: (await store.journal.checkpoints()).map(({ count }) => count),
    approvals: (await store.approvals.list()).map(({ id, state }) => [id, state]),
    approval: approval?.changes.map(({ state, by }) => [state, by]),
    found: (await store.approvals.find(request.id.slice(0, 8)))?.id,
    ofCall: (await store.approvals.ofCall({ run: 'run', agent: ['main'], call: 'call-1' }))?.id,
    answer: (await store.answers.find(question()))?.reason,
    used: await store.counters.used('a'),
    sessions: (await store.sessions.list()).map(({ id }) => id),
    session: await store.sessions.load('session'),
    runs: runs.map(({ id, state, input, output, steps }) => ({ id, state, input, output, steps })),
    run: (await store.runs.get('run'))?.input,
    queued: await store.runs.queued({ agents: ['main'], limit: 10 }),
  };
}

const nothing = {
  journal: [],
  head: 0,
  checkpoints: [],
  approvals: [],
  approval: undefined,
  found: undefined,
  ofCall: undefined,
  answer: undefined,
  used: {},
  sessions: [],
  session: undefined,
  runs: [],
  run: undefined,
  queued: [],
};

describeStores('a store', (rig) => {
  it(proves('R01')('keeps its contents for the next process that opens it'), async () => {
    const store = await rig.open();
    expect(store).toMatchObject({ type: 'bridle-store', dialect: rig.kind, namespace: 'default' });
    expect(await view(store)).toEqual(nothing);
    await fill(store, 'one', createApproverKey({ folder: rig.keys, name: 'ann' }));
    const filled = await view(store);
    expect(filled).toMatchObject({
      journal: ['one 1', 'one 2', 'one 3'],
      approvals: [[request.id, 'used']],
      answer: 'one',
      used: { calls: 1, tokens: 3 },
      session: { body: { who: 'one' } },
    });
    await store.close();
    const again = await rig.open();
    expect(await view(again)).toEqual(filled);
    expect(await again.journal.verify()).toMatchObject({ ok: true });
  });

  it(proves('R01')('isolates namespaces for reading and writing'), async () => {
    const [one, other] = [await rig.open({ namespace: 'one' }), await rig.open({ namespace: 'other' })];
    const ann = createApproverKey({ folder: rig.keys, name: 'ann' });
    await fill(one, 'one', ann);
    const before = await view(one);
    expect(await view(other)).toEqual(nothing);
    // An id of the other namespace is useless here.
    const asked = await one.approvals.get(request.id);
    if (asked === undefined) throw new TypeError('It was put there.');
    const there = other.approvals;
    await expect(there.answer(signAnswer(ann, asked, { type: 'deny' }))).rejects.toMatchObject({
      code: 'APPROVAL_REFUSED',
    });
    expect(await there.move(request.id, { from: 'used', to: 'approved', by: 'x' }).catch(() => false)).toBe(false);
    expect(await there.expire(Number.MAX_SAFE_INTEGER)).toBe(0);
    await other.counters.add('a', { tokens: -100 });
    await other.sessions.delete('session');
    await expect(other.sessions.save('session', {}, 1)).rejects.toMatchObject({ code: 'STORE_CONFLICT' });
    expect(await other.runs.claim('run', { leaseMs: 1 })).toBeTypeOf('string');
    expect(await other.runs.reap(Number.MAX_SAFE_INTEGER)).toEqual([]);
    expect(await other.runs.cancel('run', 'x').catch(() => false)).toBe(false);
    expect(await view(one)).toEqual(before);
    // The same ids mean other rows there.
    await fill(other, 'other', ann);
    expect(await view(one)).toEqual(before);
    expect(await view(other)).not.toEqual(before);
    expect(await one.journal.verify()).toMatchObject({ ok: true });
    expect(await other.journal.verify()).toMatchObject({ ok: true });
  });

  it(proves('R01')('names its namespace in every statement'), async () => {
    const statements = new Set<string>();
    const options = await rig.parts();
    const parts: NamespaceContext = { ...options, database: listening(options.database, (sql) => statements.add(sql)) };
    const journal = openJournal(parts);
    const store = {
      keys: parts.keys,
      journal,
      approvals: openApprovals(parts),
      answers: openRememberedAnswers(parts),
      counters: openCounters(parts),
      sessions: openSessions(parts),
      runs: openRuns(parts),
    };
    await fill(store, 'one', createApproverKey({ folder: rig.keys, name: 'ann' }));
    await view(store);
    await store.runs.reap();
    await store.runs.cancel('run', 'x');
    await store.approvals.expire(Date.now());
    await store.sessions.delete('session');
    await journal.close();
    const about = [...statements].filter((sql) => sql.includes('bridle_'));
    expect(about.length).toBeGreaterThan(20);
    const scoped = /\bnamespace = \?|^\s*INSERT INTO bridle_\w+\s+\([^)]*\bnamespace\b/;
    expect(about.filter((sql) => !scoped.test(sql))).toEqual([]);
  });

  it('opens only with the keys it was created with', async () => {
    await (await rig.open()).close();
    const keys = join(rig.folder, 'others');
    const refused = { code: 'STORE_KEYS', message: expect.stringContaining('store.secret') as string };
    await expect(rig.open({ keys })).rejects.toMatchObject(refused);
    // Another namespace may have another owner.
    const own = await rig.open({ keys, namespace: 'theirs' });
    await expect(rig.open({ namespace: 'theirs' })).rejects.toMatchObject(refused);
    await own.close();
    // A copy of the secret is enough, as the message says.
    mkdirSync(join(rig.folder, 'copied'), { mode: 0o700 });
    copyFileSync(join(rig.keys, 'store.secret'), join(rig.folder, 'copied', 'store.secret'));
    await rig.open({ keys: join(rig.folder, 'copied') });
  });

  it('creates nothing with `create: false`', async () => {
    const missing = { code: 'STORE_FAILED', message: expect.stringContaining('There is no store at') as string };
    await expect(rig.open({ create: false })).rejects.toMatchObject(missing);
    if (rig.kind === 'sqlite') expect(existsSync(rig.at)).toBe(false);
    await (await rig.open()).close();
    const keys = join(rig.folder, 'others');
    await expect(rig.open({ create: false, keys })).rejects.toMatchObject({ code: 'STORE_KEYS' });
    expect(existsSync(keys)).toBe(false);
    await (await rig.open({ namespace: 'tenant-of-somebody' })).close();
    await expect(rig.open({ create: false, namespace: 'typo' })).rejects.toMatchObject({
      code: 'STORE_FAILED',
      // The error does not list other namespaces.
      message: expect.not.stringMatching(/tenant-of|default/) as string,
    });
    expect(await view(await rig.open({ create: false }))).toEqual(nothing);
  });

  it(proves('R10')('encrypts the contents of runs and sessions'), async () => {
    const store = await rig.open({ encrypt: true });
    await store.sessions.save('session', { word: 'hunter2' }, 0);
    await store.runs.create({ id: 'run', agent: 'main', input: 'hunter2' });
    const claim = await mustClaim(store.runs, 'run');
    await claim.record({ kind: 'k', name: 'n', value: 'hunter2' }, 'hunter2');
    expect(await store.sessions.load('session')).toMatchObject({ body: { word: 'hunter2' } });
    await store.close();
    if (rig.kind === 'sqlite') expect(readFileSync(rig.at).includes('hunter2')).toBe(false);
    // With the same keys it can be read, together with rows that are not encrypted.
    const plain = await rig.open();
    expect(await plain.sessions.load('session')).toMatchObject({ body: { word: 'hunter2' } });
  });

  it('closes once, and refuses everything afterwards', async () => {
    const store = await rig.open();
    const appended = store.journal.append(noteOf('last'));
    await Promise.all([store.close(), store.close(), appended]);
    await expect(store.sessions.save('s', {}, 0)).rejects.toMatchObject({ code: 'STORE_FAILED' });
    await expect(store.journal.append(noteOf('late'))).rejects.toMatchObject({ code: 'STORE_FAILED' });
    expect(await detailsIn((await rig.open()).journal.read())).toEqual(['last']);
  });
});

/** The same database with a listener for every statement. */
function listening(database: Database, heard: (sql: string) => void): Database {
  return {
    dialect: database.dialect,
    all: (sql, params) => {
      heard(sql);
      return database.all(sql, params);
    },
    run: (sql, params) => {
      heard(sql);
      return database.run(sql, params);
    },
    write: (work) =>
      database.write((transaction) =>
        work({
          all: (sql, params) => {
            heard(sql);
            return transaction.all(sql, params);
          },
          run: (sql, params) => {
            heard(sql);
            return transaction.run(sql, params);
          },
          lock: (name) => transaction.lock(name),
          notify: (topic) => transaction.notify(topic),
        }),
      ),
    listen: (topic, wake) => database.listen(topic, wake),
    close: () => database.close(),
  };
}

describe('the options of a store', () => {
  it('are checked before anything is created', async () => {
    const wrong = [
      { namespace: '' },
      { namespace: 'a\nb' },
      { namespace: 'x'.repeat(201) },
      { durability: 'fast' as never },
      { at: '' },
      { at: 'sqlite:' },
      { at: ':memory:' },
      { at: 'mysql://localhost/x' },
      { at: 'postgres://user:hunter2@host:port/x' },
      { at: 'postgres://host/x?schema=Robert;' },
      { at: 'postgres://user:%zzhunter2@host/x' },
    ];
    for (const options of wrong) {
      const keys = join(tmpdir(), `bridle-keys-${randomBytes(8).toString('hex')}`);
      const error: unknown = await openStore({ keys, ...options }).catch((thrown: unknown) => thrown);
      expect(error, JSON.stringify(options)).toMatchObject({ code: 'OPTION_INVALID' });
      expect(String(error)).not.toContain('hunter2');
      expect(existsSync(keys)).toBe(false);
    }
  });

  it('distinguish a path from a server', () => {
    expect(readStoreAddress('a/b.db')).toEqual({ type: 'sqlite', path: join(process.cwd(), 'a/b.db') });
    expect(readStoreAddress('sqlite:/a/b.db')).toEqual({ type: 'sqlite', path: '/a/b.db' });
    expect(readStoreAddress()).toEqual({ type: 'sqlite', path: join(process.cwd(), '.bridle/store.db') });
    const address = readStoreAddress('postgresql://ann:hunter2@db.example:5433/work?sslmode=require');
    expect(address.type === 'postgres' ? urlWithoutCredentials(address.url) : '').toBe(
      'postgres://db.example:5433/work',
    );
  });
});
