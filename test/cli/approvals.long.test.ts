/** `bridle approvals` as a child process: text for people, JSON for programs, exit codes for scripts. */

import { once } from 'node:events';
import { chmodSync, existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it, test } from 'vitest';
import type { ApprovalRequest } from '../../src/kernel/approval.ts';
import type { ApprovalDraft, ApprovalRecord } from '../../src/approvals/signing/approval-record.ts';
import { processIdentity } from '../../src/approvals/signing/process-tree.ts';
import { createApproverKey } from '../../src/store/keys/approver-keys.ts';
import type { Store } from '../../src/store/store.ts';
import { draftOf, sampleCall, sampleRequest } from '../rigs/approval-rig.ts';
import { proves } from '../contract/cite.ts';
import { describeStores, type StoreRig } from '../rigs/store-rig.ts';
import type { Ran } from './policy-rig.ts';
import { bridle, startBridle } from './store-command-rig.ts';
import { keys, noTerminals, Terminal } from './terminal-rig.ts';

interface Asked {
  readonly store: Store;
  readonly record: ApprovalRecord;
  readonly run: (...args: readonly string[]) => Promise<Ran>;
  readonly state: () => Promise<string | undefined>;
}

/** A store with one question in it, and somebody who may answer. */
async function ask(
  rig: StoreRig,
  change: Partial<ApprovalDraft> = {},
  request: Partial<ApprovalRequest> = {},
): Promise<Asked> {
  const store = await rig.open();
  const draft = draftOf(sampleRequest(request), { keys: store.keys, createdAt: Date.now(), ...change });
  const record = await store.approvals.put(draft);
  if (!existsSync(join(rig.keys, 'approver-ann.key'))) createApproverKey({ folder: rig.keys, name: 'ann' });
  return {
    store,
    record,
    run: (...args) => bridle(rig, ['approvals', ...args]),
    state: async () => (await store.approvals.get(record.id))?.state,
  };
}

/** A person reads the call before a key counts. */
const pause = (): Promise<void> => delay(500);

const hidden = { command_line: `echo ${'x'.repeat(3000)}\u202E\u001B[31m; rm -rf /` };

describeStores('bridle approvals', (rig) => {
  it(proves('Q04', 'R01')('list is short, show is whole, and nothing in them is obeyed'), async () => {
    const call = sampleCall({ args: { ...hidden, note: 'y'.repeat(5000) } });
    const { record, run } = await ask(rig, {}, { call });
    const listed = await run('list');
    expect(listed).toMatchObject({ code: 0, stderr: '' });
    expect(listed.stdout.trimEnd().split('\n')).toHaveLength(1);
    expect(listed.stdout).toContain(`${record.id.slice(0, 8)}  pending    run_command command_line: echo xxx`);
    expect(listed.stdout.length).toBeLessThan(300);
    const shown = await run('show', record.id.slice(0, 6));
    expect(shown.stdout).toContain(`${'x'.repeat(3000)}⟨U+202E⟩⟨U+001B⟩[31m; rm -rf /`);
    expect(shown.stdout).toContain('y'.repeat(5000));
    expect(shown.stdout).toContain('Run this? — asked by rule commands (bridle.yaml:3)');
    expect(shown.stdout).toContain('run_command: npm test …');
    expect(shown.stdout).toContain(record.digest);
    for (const { stdout } of [listed, shown, await run('list', '--json')]) {
      for (const obeyed of ['\u001B', '\u202E']) expect(stdout).not.toContain(obeyed);
    }
    expect(JSON.parse((await run('show', record.id, '--json')).stdout)).toMatchObject({
      id: record.id,
      state: 'pending',
    });
    expect(await run('show', 'ffffffff')).toMatchObject({ code: 2, stdout: '' });
  });

  it(proves('Q02', 'Q06')('approve shows what it approves, and tells who won'), async () => {
    const { store, record, run } = await ask(rig);
    const { signal } = new AbortController();
    const waiting = store.approvals.settled(record.id, { signal });
    const said = await run('approve', record.id.slice(0, 8), '--yes', '--remember', '2h', '--rule');
    expect(said).toMatchObject({ code: 0, stderr: '' });
    expect(said.stdout).toContain('$ npm test');
    expect(said.stdout).toContain('remembered for 7200 s, for every call that matches: run_command: npm test …');
    expect(said.stdout.trimEnd().endsWith('approved by ann')).toBe(true);
    const settled = await waiting;
    const answer = { type: 'approve', remember: { ms: 7_200_000 }, rule: true };
    expect(settled).toMatchObject({ state: 'approved', answer: { by: 'ann', answer } });
    const late = await run('deny', record.id, '--yes');
    expect(late.code).toBe(1);
    expect(late.stdout).toContain('answer not accepted: the approval is already approved by ann');
    const json = JSON.parse((await run('deny', record.id, '--yes', '--json')).stdout) as object;
    expect(json).toMatchObject({ won: false, record: { state: 'approved' } });
  });
});

describeStores('bridle approvals, on any store', (rig) => {
  // Nothing here depends on the kind of the store, and each command takes a while to start.
  const it = rig.kind === 'sqlite' ? test : test.skip;

  it(proves('Q02')('takes edited args, reasons and spans, and refuses what fits nothing'), async () => {
    const { record, run, state, store } = await ask(rig);
    const id = record.id.slice(0, 10);
    const wrong: readonly (readonly [readonly string[], string])[] = [
      [['approve', id, '--yes', '--args', '[1]'], '--args must be an object, not a list'],
      [['approve', id, '--yes', '--args', '{'], '--args is not JSON'],
      [['approve', id, '--yes', '--args', '{}', '--remember', 'turn'], 'an edited call is approved once'],
      [['approve', id, '--yes', '--rule'], '--rule needs --remember'],
      [['approve', id, '--yes', '--remember', 'always'], '--remember must be turn, session, or a duration'],
      [['approve', id], 'then add --yes'],
      [['approve', id, '--json'], 'then add --yes'],
      [['approve', id, '--yes', '--as', 'bob'], 'there is no key "bob"'],
      [['approve', id, '--yes', '--digest', 'abc'], '--digest must be'],
      [['list', '--state', 'open'], '--state must be'],
    ];
    for (const [args, problem] of wrong) {
      const { code, stderr } = await run(...args);
      expect({ args, code }).toEqual({ args, code: 2 });
      expect(stderr).toContain(problem);
    }
    const other = await run('approve', id, '--yes', '--digest', '0'.repeat(8));
    expect(other).toMatchObject({ code: 3 });
    expect(other.stderr).toContain('this is not the call you saw');
    expect(await state()).toBe('pending');
    const args = { command_line: 'npm test -- --bail' };
    const edited = await run(
      'approve',
      id,
      '--yes',
      '--digest',
      record.digest.slice(0, 8),
      '--args',
      JSON.stringify(args),
    );
    expect(edited.stdout).toContain('with these args instead:\n  {\n    "command_line": "npm test -- --bail"');
    expect(await store.approvals.get(record.id)).toMatchObject({ answer: { answer: { type: 'approve', args } } });
  });

  it(proves('R10')('shows no secret that was typed into an answer, and keeps what was signed'), async () => {
    const secret = `ghp_${'a1B2'.repeat(9)}`;
    const args = { command_line: `curl -H 'Authorization: Bearer ${secret}' https://example.com` };
    const { record, run, store } = await ask(rig);
    const denied = await ask(rig);
    const said = [
      await run('approve', record.id, '--yes', '--json', '--args', JSON.stringify(args)),
      await run('deny', denied.record.id, '--yes', '--json', '--reason', `not with ${secret}`),
      await run('deny', record.id, '--yes'),
      await run('show', record.id),
      await run('show', record.id, '--json'),
      await run('show', denied.record.id),
      await run('list', '--all'),
      await run('list', '--all', '--json'),
    ];
    for (const { stdout, stderr } of said) expect(stdout + stderr).not.toContain(secret);
    expect(said.filter(({ stdout }) => stdout.includes('[masked:40:'))).toHaveLength(7);
    const { answer } = JSON.parse(said[4]?.stdout ?? '') as ApprovalRecord;
    expect(answer?.answer).toMatchObject({ args: { command_line: expect.stringContaining('[masked:40:') as string } });
    expect(await store.approvals.get(record.id)).toMatchObject({ answer: { answer: { args } } });
  });

  it(proves('Q02')('deny gives a reason; what has expired says so'), async () => {
    const { record, run, store } = await ask(rig);
    // Without a terminal, a refusal needs no --yes: it lets nothing run.
    await run('deny', record.id, '--reason', 'Not on a Friday', '--remember', 'session');
    const denied = { type: 'deny', reason: 'Not on a Friday', remember: 'session' };
    expect(await store.approvals.get(record.id)).toMatchObject({ state: 'denied', answer: { answer: denied } });
    const late = await ask(rig, { expiresAt: Date.now() - 1 });
    const said = await run('approve', late.record.id, '--yes');
    expect(said.code).toBe(1);
    expect(said.stdout).toContain('answer not accepted: the approval is expired');
    expect((await run('list')).stdout).toBe('no pending approvals\n');
    expect((await run('list', '--all')).stdout.trimEnd().split('\n')).toHaveLength(2);
    await ask(rig, { expiresAt: Date.now() + 7 * 86_400_000 });
    expect((await run('list')).stdout).toContain('  7 days left  ');
  });

  it(proves('Q06')('is for those who may answer, with a key of their own'), async () => {
    const { record, run, state } = await ask(rig, { answerers: ['bob'] });
    const refused = await run('approve', record.id, '--yes');
    expect(refused.code).toBe(3);
    expect(refused.stderr).toContain('ann may not answer; allowed: bob');
    createApproverKey({ folder: rig.keys, name: 'bob' });
    expect((await run('approve', record.id, '--yes')).stderr).toContain('choose yours with --as (ann, bob)');
    chmodSync(join(rig.keys, 'approver-bob.key'), 0o644);
    const open = await run('approve', record.id, '--yes', '--as', 'bob');
    expect(open.code).toBe(2);
    expect(open.stderr).toContain('chmod 600');
    chmodSync(join(rig.keys, 'approver-bob.key'), 0o600);
    expect(await state()).toBe('pending');
    expect(await run('approve', record.id, '--yes', '--as', 'bob')).toMatchObject({ code: 0 });
  });

  it(proves('Q06')('refuses whatever is marked as started by an agent, and what the asker has started'), async () => {
    const { record, state } = await ask(rig);
    const approve = ['approvals', 'approve', record.id, '--yes'];
    for (const BRIDLE_AGENT of ['1', '']) {
      const marked = await bridle(rig, approve, { env: { BRIDLE_AGENT } });
      expect(marked.code).toBe(3);
      expect(marked.stderr).toContain('BRIDLE_AGENT is set');
      expect(
        await bridle(rig, ['approvals', 'key', 'eve', '--no-passphrase'], { env: { BRIDLE_AGENT } }),
      ).toMatchObject({ code: 3 });
    }
    const own = await ask(rig, { asker: processIdentity() });
    const below = await bridle(rig, ['approvals', 'approve', own.record.id, '--yes']);
    expect(below.code).toBe(3);
    expect(below.stderr).toContain('given by the asking process');
    const made = await bridle(rig, ['approvals', 'key', 'eve', '--no-passphrase']);
    expect(made.stderr).toContain('an agent may not make a key to answer itself');
    expect(made.code).toBe(3);
    expect(existsSync(join(rig.keys, 'approver-eve.key'))).toBe(false);
    expect([await state(), await own.state()]).toEqual(['pending', 'pending']);
  });

  it(proves('Q06')('makes keys that nobody else can read, and lists them'), async () => {
    await rig.open();
    const run = (...args: readonly string[]): Promise<Ran> => bridle(rig, ['approvals', 'key', ...args]);
    expect((await run()).stdout).toContain('no keys');
    expect(await run('ann')).toMatchObject({ code: 2 });
    const made = await run('ann', '--no-passphrase');
    expect(made).toMatchObject({ code: 0, stderr: '' });
    expect(made.stdout).toContain('any process of your user can answer with it');
    expect(statSync(join(rig.keys, 'approver-ann.key')).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(rig.keys, 'approvers', 'ann.pub'), 'utf8')).toContain('PUBLIC KEY');
    expect((await run('ann', '--no-passphrase')).code).toBe(2);
    expect((await run('../evil', '--no-passphrase')).code).toBe(2);
    expect((await run()).stdout).toBe('ann  without a passphrase\n');
    expect(JSON.parse((await run('--json')).stdout)).toEqual({ keys: [{ name: 'ann', passphrase: false }] });
  });

  it('watch tells what waits and what becomes of it, and ends with Ctrl-C', async () => {
    const { record, store, run } = await ask(rig);
    const child = startBridle(rig, ['approvals', 'watch', '--json']);
    const ended = once(child, 'close');
    if (child.stdout === null) throw new TypeError('no stdout');
    const told = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const next = async (): Promise<unknown> => {
      const { value } = (await told.next()) as { value: string };
      return JSON.parse(value);
    };
    expect(await next()).toMatchObject({ id: record.id, state: 'pending' });
    await run('deny', record.id, '--yes');
    expect(await next()).toMatchObject({ id: record.id, state: 'denied', answer: { by: 'ann' } });
    const second = await store.approvals.put(draftOf(sampleRequest(), { keys: store.keys }));
    expect(await next()).toMatchObject({ id: second.id, state: 'pending' });
    child.kill('SIGINT');
    expect((await ended)[0]).toBe(130);
  });
});

describeStores('bridle approvals at a terminal', (rig) => {
  const it = rig.kind === 'sqlite' && noTerminals === undefined ? test : test.skip;

  const open = (...args: readonly string[]): Terminal =>
    new Terminal({
      cwd: rig.folder,
      args: ['approvals', ...args],
      env: { BRIDLE_STORE: rig.at, BRIDLE_HOME: rig.folder },
    });

  it(proves('Q04', 'Q06')('shows the whole call and wants a typed yes'), async () => {
    const { record, state } = await ask(rig);
    for (const [typed, code, after] of [
      [keys.enter, 1, 'pending'],
      [`no${keys.enter}`, 1, 'pending'],
      [keys.ctrlD, 1, 'pending'],
      [`y${keys.enter}`, 0, 'approved'],
    ] as const) {
      const terminal = open('approve', record.id.slice(0, 8));
      const shown = await terminal.see('Approve this call? [y/N]');
      expect(shown).toContain('$ npm test');
      terminal.press(typed);
      expect(await terminal.ended, terminal.text).toBe(code);
      expect(await state()).toBe(after);
    }
  });

  it(proves('Q06')('makes a key with a passphrase, which is not shown, and needs it to answer'), async () => {
    await rig.open();
    const making = open('key', 'kim');
    await making.see('(empty for none): ');
    making.press(`open sesame${keys.enter}`);
    await making.see('Repeat it: ');
    making.press(`open sesamx\u007Fe${keys.enter}`);
    expect(await making.ended, making.text).toBe(0);
    expect(making.text).not.toContain('sesam');
    expect(readFileSync(join(rig.keys, 'approver-kim.key'), 'utf8')).toMatch(
      /^scrypt:[0-9a-f]{32}\n-----BEGIN ENCRYPTED/,
    );
    const { record, state } = await ask(rig);
    for (const [word, code, after] of [
      ['open barley', 2, 'pending'],
      ['open sesame', 0, 'denied'],
    ] as const) {
      const terminal = open('deny', record.id, '--as', 'kim', '--yes');
      await terminal.see('Passphrase for kim: ');
      terminal.press(word, keys.enter);
      expect(await terminal.ended, terminal.text).toBe(code);
      expect(await state()).toBe(after);
      if (code === 2) expect(terminal.text).toContain('Wrong passphrase for the key kim.');
    }
  });

  it(proves('Q01', 'Q04', 'Q06')('answers from the list of watch, one key for the selected call'), async () => {
    const first = await ask(rig);
    const second = await ask(rig, {}, { call: sampleCall({ args: { command_line: 'npm run deploy' } }) });
    const terminal = open('watch', '--notify', 'bell');
    await terminal.see('2 calls wait for approval');
    // Pasted text and a held key answer nothing.
    terminal.press('yyyy');
    terminal.press(keys.down);
    await terminal.see('command_line: npm run deploy');
    await pause();
    terminal.press('y');
    await terminal.see('approved');
    expect(await second.state()).toBe('approved');
    expect(await first.state()).toBe('pending');
    await terminal.see('1 call waits for approval');
    await pause();
    terminal.press('N');
    await terminal.see('Reason for the model:');
    await pause();
    terminal.press('Not today', keys.enter);
    await terminal.see('denied');
    expect(await first.store.approvals.get(first.record.id)).toMatchObject({
      state: 'denied',
      answer: { by: 'ann', answer: { reason: 'Not today' } },
    });
    const late = await ask(rig);
    await terminal.see('1 call waits for approval');
    expect(terminal.raw).toContain('\u0007');
    await late.run('approve', late.record.id, '--yes');
    await terminal.see('No call waits for approval');
    terminal.press('q');
    expect(await terminal.ended, terminal.text).toBe(0);
  });

  it(proves('Q06')('asks for the passphrase once in watch, and again if it is wrong'), async () => {
    await rig.open();
    createApproverKey({ folder: rig.keys, name: 'kim', passphrase: 'open sesame' });
    const [one, two] = [await ask(rig), await ask(rig)];
    const terminal = open('watch', '--as', 'kim');
    await terminal.see('2 calls wait for approval');
    for (const [word, then] of [
      ['open barley', 'Wrong passphrase for the key kim.'],
      ['open sesame', '1 call waits for approval'],
    ] as const) {
      await pause();
      terminal.press('n');
      await terminal.see('Passphrase for kim: ');
      terminal.press(word, keys.enter);
      await terminal.see(then);
    }
    await pause();
    terminal.press('n');
    await terminal.see('No call waits for approval');
    expect([await one.state(), await two.state()]).toEqual(['denied', 'denied']);
    terminal.press(keys.ctrlD);
    expect(await terminal.ended, terminal.text).toBe(0);
  });

  it('makes no key if the second passphrase is another one, or none is wanted any more', async () => {
    await rig.open();
    const other = open('key', 'kim');
    await other.see('(empty for none): ');
    other.press(`one${keys.enter}`);
    await other.see('Repeat it: ');
    other.press(`two${keys.enter}`);
    expect(await other.ended).toBe(2);
    const given = open('key', 'kim');
    await given.see('(empty for none): ');
    given.press(keys.ctrlC);
    expect(await given.ended).toBe(2);
    expect(existsSync(join(rig.keys, 'approver-kim.key'))).toBe(false);
  });
});
