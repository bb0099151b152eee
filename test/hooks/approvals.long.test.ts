/** Questions of hook processes: they wait in the store, and an approval counts once for exactly the same call. */

import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { proves } from '../contract/cite.ts';
import { HookRig, letsRun, plainPolicy, testedHosts } from '../rigs/hook-rig.ts';

const rigs: HookRig[] = [];
function rig(policy = plainPolicy): HookRig {
  const made = new HookRig().policy(policy);
  rigs.push(made);
  return made;
}
afterEach(() => rigs.splice(0).forEach((each) => each.remove()));

/** The ids of the pending questions, once there are this many. */
async function pending(at: HookRig, count: number): Promise<readonly string[]> {
  for (;;) {
    const { stdout } = await at.bridle('approvals', 'list', '--json');
    const ids = [...stdout.matchAll(/"id":\s*"([^"]+)"/g)].map(([, id]) => id as string);
    if (ids.length >= count) return ids;
    await sleep(100);
  }
}

const storeHosts = testedHosts.filter(({ records }) => records[0]?.ask === 'store').map(({ name }) => name);
const promptHosts = testedHosts.filter(({ records }) => records[0]?.ask === 'prompt');

describe.each(storeHosts)('%s', (host) => {
  it(proves('C05')('lets the call run when it is approved while the hook waits'), async () => {
    const at = rig();
    const waiting = at.hookOfHost(host, at.payload(host, 'git push'));
    const [id = ''] = await pending(at, 1);
    at.addPerson('ann');
    expect(await at.bridle('approvals', 'approve', id, '--yes')).toMatchObject({ code: 0 });
    expect(letsRun(await waiting)).toBe(true);
    expect(await at.story()).toEqual(['decided asked', 'decided approved']);
  });

  it(proves('C05', 'Q01')('lets the same call run once if it is approved later'), async () => {
    const at = rig();
    const first = await at.hookOfHost(host, at.payload(host, 'git push'), ['--limit', '7']);
    expect(letsRun(first)).toBe(false);
    expect(first.stdout).toContain('bridle approvals approve');
    const [id = ''] = await pending(at, 1);
    at.addPerson('ann');
    expect(await at.bridle('approvals', 'approve', id, '--yes')).toMatchObject({ code: 0 });
    const other = await at.hookOfHost(host, at.payload(host, 'git push --all', { id: 'call-2' }), ['--limit', '7']);
    expect(letsRun(other)).toBe(false);
    expect(letsRun(await at.hookOfHost(host, at.payload(host, 'git push', { id: 'call-3' })))).toBe(true);
    const again = await at.hookOfHost(host, at.payload(host, 'git push', { id: 'call-4' }), ['--limit', '7']);
    expect(letsRun(again)).toBe(false);
  });

  it(proves('C05')('denies the call again in the same turn if a person refused it'), async () => {
    const at = rig();
    const waiting = at.hookOfHost(host, at.payload(host, 'git push'));
    const [id = ''] = await pending(at, 1);
    at.addPerson('ann');
    await at.bridle('approvals', 'deny', id, '--reason', 'not today', '--yes');
    expect((await waiting).stdout).toContain('not today');
    const again = await at.hookOfHost(host, at.payload(host, 'git push', { id: 'call-2' }));
    expect(again.stdout).toContain('not today');
  });
});

describe.each(promptHosts)('$name', ({ name: host, records }) => {
  const measured = ['--installed', records[0]?.versions.to ?? ''];

  it(proves('C03', 'C05')("uses the host's prompt, and records that its user approved"), async () => {
    const at = rig();
    const answer = await at.hookOfHost(host, at.payload(host, 'git push'), measured);
    expect(answer.stdout).toContain('"ask"');
    await at.hookOfHost(host, at.payload(host, 'git push', { after: true }), measured);
    expect(await at.story()).toEqual(['decided asked', 'decided approved', 'settled ok']);
  });

  it(proves('C03')('asks through the store if this version of the host was not measured'), async () => {
    const at = rig();
    const answer = await at.hookOfHost(host, at.payload(host, 'git push'), ['--installed', '0.0.1', '--limit', '7']);
    // The environment of a hook may reveal the version.
    if (answer.stdout.includes('"ask"')) return;
    expect(letsRun(answer)).toBe(false);
    expect(await pending(at, 1)).toHaveLength(1);
  });
});

it(proves('C05')('identical calls without side effects share one question'), async () => {
  const at = rig('version: 1\ndefault: ask\nrules: []\n');
  const read = { ...at.payload('gemini', ''), tool_name: 'read_file', tool_input: { file_path: 'notes.txt' } };
  const calls = Array.from({ length: 12 }, () => at.hookOfHost('gemini', read));
  await pending(at, 1);
  await sleep(3000);
  const [id = '', ...others] = await pending(at, 1);
  expect(others).toEqual([]);
  at.addPerson('ann');
  expect(await at.bridle('approvals', 'approve', id, '--yes')).toMatchObject({ code: 0 });
  expect((await Promise.all(calls)).map(letsRun)).toEqual(Array.from({ length: 12 }, () => true));
});

it(proves('C06', 'R06')('50 hook processes at the same time record everything, once'), async () => {
  const host = 'gemini';
  const at = rig();
  const commands = Array.from({ length: 50 }, (_, index) => (index % 5 === 0 ? `rm x${index}` : `echo ${index}`));
  const results = await Promise.all(
    commands.map((command, index) => at.hookOfHost(host, at.payload(host, command, { id: `call-${index}` }))),
  );
  const held = results.filter((result, index) => commands[index]?.startsWith('echo') === true && !letsRun(result));
  expect(held).toEqual([]);
  expect(results.filter(letsRun)).toHaveLength(40);
  const story = await at.story();
  expect(story.filter((each) => each === 'decided allowed')).toHaveLength(40);
  expect(story.filter((each) => each === 'decided denied')).toHaveLength(10);
  expect(await at.bridle('journal', 'verify')).toMatchObject({ code: 0 });
});
