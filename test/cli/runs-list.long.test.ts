/** `bridle runs list | show | cancel` as a child process: text for people, JSON for programs, exit codes for scripts. */

import { expect, it } from 'vitest';
import type { Store } from '../../src/store/store.ts';
import { proves } from '../contract/cite.ts';
import { draftOf, mustClaim } from '../rigs/run-rig.ts';
import { describeStores, type StoreRig } from '../rigs/store-rig.ts';
import { bridle } from './store-command-rig.ts';

// oxlint-disable-next-line no-control-regex -- that is what must not be there
const obeyed = /[\u001B\u202E]/;

const inputOf = (text: string): object => ({ version: 1, prompt: { text, media: [] }, schema: null });

/** A run in each state. */
async function filled(rig: StoreRig): Promise<{ readonly store: Store; readonly approval: string }> {
  const store = await rig.open();
  const { runs, approvals } = store;
  for (const id of ['q', 'r', 'w', 'd', 'f', 'c']) {
    await runs.create({ id, agent: id === 'q' ? 'other' : 'main', input: inputOf(`ask \u001B[31m${id}`) as never });
  }
  const running = await mustClaim(runs, 'r', 600_000);
  await running.record({ kind: 'k', name: 'one', value: 1 });
  const { id } = await approvals.put(draftOf('w', Date.now(), 600_000));
  await (await mustClaim(runs, 'w')).wait([id]);
  await (await mustClaim(runs, 'd')).finish({ state: 'done', output: { text: 'it is \u202Edone' } });
  await (await mustClaim(runs, 'f')).finish({ state: 'failed', error: 'it\nbroke \u001B[2J' });
  await runs.cancel('c', 'ada');
  return { store, approval: id };
}

describeStores('bridle runs', (rig) => {
  it(proves('R07')('list gives the newest first, by state and agent, with nothing a terminal obeys'), async () => {
    const { approval } = await filled(rig);
    const { code, stdout } = await bridle(rig, ['runs', 'list']);
    expect(code).toBe(0);
    const lines = stdout.trimEnd().split('\n');
    expect(lines).toHaveLength(6);
    expect(lines.find((line) => line.startsWith('w'))).toMatch(new RegExp(`waiting .* main  for ${approval}$`));
    expect(lines.find((line) => line.startsWith('r'))).toMatch(/running .* main {2}1 step, process \d+ on /);
    expect(lines.find((line) => line.startsWith('f'))).toMatch(/failed .* main {2}it broke ⟨U\+001B⟩\[2J$/);
    expect(stdout).not.toMatch(obeyed);
    const json = async (...args: string[]): Promise<string> => {
      const { stdout: text } = await bridle(rig, ['runs', 'list', '--json', ...args]);
      const found = JSON.parse(text) as readonly { readonly id: string }[];
      return found
        .map(({ id }) => id)
        .toSorted()
        .join('');
    };
    expect(await json()).toBe('cdfqrw');
    expect(await json('--state', 'waiting')).toBe('w');
    expect(await json('--agent', 'other')).toBe('q');
    expect(await json('--limit', '2')).toHaveLength(2);
    expect(await bridle(rig, ['runs', 'list', '--state', 'ready'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('queued, running, waiting, done, failed, cancelled'),
    });
    expect(await bridle(rig, ['runs', 'list', '--agent', 'nobody'])).toMatchObject({
      code: 0,
      stdout: 'no runs\n',
    });
    expect((await bridle(rig, ['runs', 'list', '--namespace', 'else'])).code).toBe(2);
  });

  it(proves('R07')('show gives one run whole, or says that there is none'), async () => {
    const { approval } = await filled(rig);
    const waiting = await bridle(rig, ['runs', 'show', 'w']);
    expect(waiting.code).toBe(0);
    expect(waiting.stdout).toMatch(/^w {2}waiting\n {2}agent {5}main\n {2}prompt {4}ask ⟨U\+001B⟩\[31mw\n/);
    expect(waiting.stdout).toContain(`bridle approvals show ${approval}`);
    const done = await bridle(rig, ['runs', 'show', 'd']);
    expect(done.stdout).toMatch(/\n {2}steps {5}0, claimed once\n {2}answer {4}it is ⟨U\+202E⟩done\n$/);
    expect((await bridle(rig, ['runs', 'show', 'f'])).stdout).toContain('error     it\n    │ broke ⟨U+001B⟩[2J');
    expect((await bridle(rig, ['runs', 'show', 'r'])).stdout).toMatch(/owner {5}process \d+ on .+, until \d{4}-/);
    const { stdout } = await bridle(rig, ['runs', 'show', 'd', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ id: 'd', state: 'done', output: { text: 'it is \u202Edone' } });
    expect(stdout).not.toMatch(obeyed);
    expect(await bridle(rig, ['runs', 'show', 'x\u001B'])).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining(String.raw`there is no run "x\u001b" in the store`),
    });
  });

  it(proves('R10')('list and show mask what was asked, answered and went wrong'), async () => {
    const { runs } = await rig.open();
    const secret = `ghp_${'a1B2'.repeat(9)}`;
    for (const id of ['d', 'f']) {
      await runs.create({ id, agent: 'main', input: inputOf(`push with ${secret}, password: s3same-0pen`) as never });
    }
    await (await mustClaim(runs, 'd')).finish({ state: 'done', output: { text: `pushed with ${secret} s3same-0pen` } });
    await (await mustClaim(runs, 'f')).finish({ state: 'failed', error: `refused: ${secret} s3same-0pen` });
    for (const args of [
      ['list'],
      ['list', '--json'],
      ['show', 'd'],
      ['show', 'd', '--json'],
      ['show', 'f'],
      ['show', 'f', '--json'],
    ]) {
      const { code, stdout } = await bridle(rig, ['runs', ...args]);
      expect(code).toBe(0);
      expect(stdout).toContain('[masked:40:');
      for (const each of [secret, 's3same-0pen']) expect(stdout).not.toContain(each);
    }
  });

  it(proves('Q06')('start, resume and cancel are not for what an agent has started; looking is'), async () => {
    const { store } = await filled(rig);
    const marked = { env: { BRIDLE_AGENT: '1' } };
    const refused = [
      ['runs', 'start', '--queue', '--prompt', 'go', '--id', 'mine'],
      ['runs', 'resume', 'q', '--agent', './agent.mjs'],
      ['runs', 'cancel', 'q'],
      ['worker', '--agent', './agent.mjs'],
    ];
    for (const args of refused) {
      const { code, stdout, stderr } = await bridle(rig, args, marked);
      expect({ args, code, stdout }).toEqual({ args, code: 2, stdout: '' });
      expect(stderr).toContain('BRIDLE_AGENT is set');
    }
    expect(await store.runs.get('mine')).toBeUndefined();
    expect(await store.runs.get('q')).toMatchObject({ state: 'queued' });
    expect((await bridle(rig, ['runs', 'list'], marked)).code).toBe(0);
  });

  it(proves('R07')('cancel ends runs for good, with what they have asked'), async () => {
    const { store, approval } = await filled(rig);
    const { code, stdout } = await bridle(rig, ['runs', 'cancel', 'w', 'q', 'd', 'nothing']);
    expect(stdout.trimEnd().split('\n')).toEqual([
      'w  cancelled',
      'q  cancelled',
      'd  had already ended: done',
      'nothing  no such run',
    ]);
    expect(code).toBe(1);
    expect(await store.runs.get('w')).toMatchObject({
      state: 'cancelled',
      error: expect.stringMatching(/^cancelled by ./),
    });
    expect(await store.approvals.get(approval as never)).toMatchObject({ state: 'cancelled' });
    const json = await bridle(rig, ['runs', 'cancel', 'r', '--json']);
    expect(json.code).toBe(0);
    expect(JSON.parse(json.stdout)).toEqual([{ id: 'r', cancelled: true, state: 'cancelled' }]);
  });
});
