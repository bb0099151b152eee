/** A sample of the hook in this process, without the handler's own processes: what it answers to every host. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { answerPayload } from '../../src/hosts/handler/hook-process.ts';
import type { Host } from '../../src/hosts/host.ts';
import { proves } from '../contract/cite.ts';
import { HookRig, type HookResult, letsRun, plainPolicy, testedHosts } from '../rigs/hook-rig.ts';

const rigs: HookRig[] = [];
function rig(policy?: string): HookRig {
  const made = new HookRig();
  rigs.push(made);
  return policy === undefined ? made : made.policy(policy);
}
afterEach(() => rigs.splice(0).forEach((each) => each.remove()));

async function answer(at: HookRig, { name, records }: Host, payload: string | object): Promise<HookResult> {
  const flags = { host: name, limit: 10, observes: false, installed: records[0]?.versions.to, home: at.home };
  const text = typeof payload === 'string' ? payload : JSON.stringify(payload);
  // Nobody waits for a person.
  const deadline = AbortSignal.abort();
  try {
    const given = await answerPayload(text, flags, {
      env: at.env(name),
      hosts: testedHosts,
      folder: at.project,
      deadline,
    });
    return { stdout: given.stdout, stderr: given.stderr, code: given.exitCode, signal: null };
  } catch (error) {
    // As runHook does: exit code 2, and the reason on stderr.
    return { stdout: '', stderr: String(error), code: 2, signal: null };
  }
}

describe.each(testedHosts.map((host) => [host.name, host] as const))('%s', (name, host) => {
  it(proves('C02', 'C04', 'Q05')('lets allowed calls run, refuses the others, and records each of them'), async () => {
    const at = rig(plainPolicy);
    expect(letsRun(await answer(at, host, at.payload(name, 'echo hello')))).toBe(true);
    const denied = await answer(at, host, at.payload(name, 'rm -rf build', { id: 'call-2' }));
    expect(letsRun(denied)).toBe(false);
    expect(denied.stdout).toContain('Move it to the trash instead.');
    const asked = await answer(at, host, at.payload(name, 'git push', { id: 'call-3' }));
    expect(letsRun(asked)).toBe(false);
    expect((await at.story()).slice(0, 3)).toEqual(['decided allowed', 'decided denied', 'decided asked']);
  });

  it(
    proves('C02', 'D01', 'D02', 'D12')('blocks without a policy, and with one that is broken or untrusted'),
    async () => {
      const at = rig();
      const call = at.payload(name, 'echo hello');
      expect(letsRun(await answer(at, host, call))).toBe(false);
      writeFileSync(join(at.project, 'bridle.yaml'), 'version: 1\nrulez: []\n');
      expect(letsRun(await answer(at, host, call))).toBe(false);
      writeFileSync(join(at.project, 'bridle.yaml'), 'version: 1\ndefault: allow\n');
      expect(letsRun(await answer(at, host, at.payload(name, 'touch x')))).toBe(false);
    },
  );

  it(proves('C02')('blocks input that is empty, torn, duplicated or foreign'), async () => {
    const at = rig('version: 1\ndefault: allow\n');
    const payload = JSON.stringify(at.payload(name, 'echo hello'));
    const damaged = [
      '',
      ' \n',
      payload.slice(0, payload.length / 2),
      payload + payload,
      'null',
      '[]',
      '{}',
      '7',
      `${payload}x`,
    ];
    for (const text of damaged) expect(letsRun(await answer(at, host, text)), text).toBe(false);
  });
});
