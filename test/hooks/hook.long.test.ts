/** Hook processes decide calls of every host, and record what they decide and how it ended. */

import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { decideCalls } from '../../src/hosts/handler/decide-calls.ts';
import type { HostRecord } from '../../src/hosts/host.ts';
import { proves } from '../contract/cite.ts';
import { type HookResult, HookRig, letsRun, plainPolicy, testedHosts } from '../rigs/hook-rig.ts';

const rigs: HookRig[] = [];
function rig(policy?: string): HookRig {
  const made = new HookRig();
  rigs.push(made);
  return policy === undefined ? made : made.policy(policy);
}
afterEach(() => rigs.splice(0).forEach((each) => each.remove()));

describe.each(testedHosts.map(({ name }) => name))('%s', (host) => {
  it(proves('C02', 'C04', 'Q05')('lets allowed calls run, and records the decision and the outcome'), async () => {
    const at = rig(plainPolicy);
    const before = await at.hook(host, at.payload(host, 'echo hello'));
    expect(before).toMatchObject({ code: 0, stderr: '' });
    expect(letsRun(before)).toBe(true);
    // Never a grant: what the host itself forbids stays forbidden.
    expect(before.stdout).not.toContain('allow');
    await at.hook(host, at.payload(host, 'echo hello', { after: true }));
    expect(await at.story()).toEqual(['decided allowed', 'settled ok']);
  });

  it(proves('C02')('blocks denied calls, with the rule and its reason'), async () => {
    const at = rig(plainPolicy);
    const answer = await at.hook(host, at.payload(host, 'rm -rf build'));
    expect(letsRun(answer)).toBe(false);
    expect(answer.stdout).toContain('Move it to the trash instead.');
    expect(answer.stdout).toContain('bridle.yaml:');
    expect(await at.story()).toEqual(['decided denied']);
  });

  it(proves('C05')('asks a person, and does not let the call run meanwhile'), async () => {
    const at = rig(plainPolicy);
    const answer = await at.hook(host, at.payload(host, 'git push'), ['--limit', '7']);
    expect(letsRun(answer)).toBe(false);
    expect((await at.story())[0]).toBe('decided asked');
  });

  it(proves('C07')('only records with --observe'), async () => {
    const at = rig(plainPolicy);
    for (const command of ['rm -rf build', 'git push', 'echo hello']) {
      const answer = await at.hook(host, at.payload(host, command), ['--observe']);
      expect(letsRun(answer)).toBe(true);
    }
    const recorded = ['decided denied', 'noted not_enforced', 'decided asked', 'noted not_enforced', 'decided allowed'];
    expect(await at.story()).toEqual(recorded);
  });

  it(proves('C03', 'C04')('knows nothing about commands of an unmeasured version, and changes none'), async () => {
    const at = rig(plainPolicy);
    const version = '99.0.0';
    const env = { ...at.env(host), AI_AGENT: 'claude-code_99-0-0_x', COPILOT_CLI_BINARY_VERSION: version };
    const run = async (command: string): Promise<HookResult> => {
      const payload = at.payload(host, command);
      const given = host === 'opencode' ? { ...payload, version } : payload;
      return at.hook(host, given, ['--limit', '7', '--installed', version], { env });
    };
    expect(letsRun(await run('echo hello'))).toBe(false);
    const code = `export default { name: 'x', preToolCall: ({ call }) =>
      ({ type: 'transform', value: { ...call.args, command_line: 'echo bye' } }) };`;
    writeFileSync(join(at.project, 'hook.mjs'), code);
    at.policy('version: 1\ndefault: allow\nhooks: [./hook.mjs]\n');
    const changed = await at.hook(host, at.payload(host, 'echo hello'));
    expect(changed.stdout).toContain('echo bye');
    const denied = await run('echo hello');
    expect(letsRun(denied)).toBe(false);
    expect(denied.stdout).not.toContain('echo bye');
  });

  it(proves('C02', 'D02')('blocks every call without a policy, and says what to do'), async () => {
    const at = rig();
    const answer = await at.hook(host, at.payload(host, 'echo hello'));
    expect(letsRun(answer)).toBe(false);
    expect(readdirSync(at.project)).toEqual([]);
    expect(answer.stdout + answer.stderr).toContain('bridle init');
  });

  it(proves('C02', 'D01')('blocks every call with an invalid policy, and says where the problem is'), async () => {
    const at = rig(plainPolicy);
    writeFileSync(join(at.project, 'bridle.yaml'), 'version: 1\nrulez: []\n');
    const answer = await at.hook(host, at.payload(host, 'echo hello'));
    expect(letsRun(answer)).toBe(false);
    expect(answer.stdout + answer.stderr).toMatch(/bridle\.yaml:2/);
  });

  it(proves('D12')('asks about calls that only an untrusted policy allows'), async () => {
    const at = rig(plainPolicy);
    writeFileSync(join(at.project, 'bridle.yaml'), 'version: 1\ndefault: allow\nrules: []\n');
    const answer = await at.hook(host, at.payload(host, 'touch x'), ['--limit', '7']);
    expect(letsRun(answer)).toBe(false);
  });
});

describe('the policy of the user', () => {
  it(proves('C05', 'D05')('applies in folders without a policy, and has a store of its own'), async () => {
    const at = rig();
    writeFileSync(join(at.home, 'policy.yaml'), plainPolicy);
    expect(letsRun(await at.hook('gemini', at.payload('gemini', 'echo hello')))).toBe(true);
    expect(letsRun(await at.hook('gemini', at.payload('gemini', 'rm x')))).toBe(false);
    expect(letsRun(await at.hook('gemini', at.payload('gemini', 'git push'), ['--limit', '7']))).toBe(false);
    const { stdout } = await at.bridle('approvals', 'list', '--store', join(at.home, 'store.db'));
    expect(stdout).toContain('git push');
  });
});

it(proves('C02')('a call that is translated to nothing is denied'), async () => {
  const at = rig(plainPolicy);
  const record = testedHosts[0]?.records[0] as HostRecord;
  const event = { type: 'tool-call', calls: [], name: 'x', session: 's', agent: ['main'], version: undefined } as const;
  const options = { host: 'claude', home: at.home, observes: false, cache: undefined } as const;
  const deciding = decideCalls({ ...event, cwd: at.project, project: at.project }, record, {
    ...options,
    deadline: AbortSignal.timeout(10_000),
  });
  await expect(deciding).rejects.toThrow('nothing that can be decided');
});
