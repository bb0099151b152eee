/** Whatever goes wrong in a hook process, no host runs the call because of it (C02). */

import { spawn } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { HostName } from '../../src/hosts/host.ts';
import type { JsonObject, JsonValue } from '../../src/kernel/json.ts';
import { proves } from '../contract/cite.ts';
import { ended, hookArgs, type HookResult, HookRig, letsRun, plainPolicy, testedHosts } from '../rigs/hook-rig.ts';

const rigs: HookRig[] = [];
function rig(): HookRig {
  const made = new HookRig().policy(plainPolicy);
  rigs.push(made);
  return made;
}
afterEach(() => rigs.splice(0).forEach((each) => each.remove()));

/** Either a refusal in the host's own format, or the answer that every host with command hooks takes as one. */
function expectBlocked(result: HookResult): void {
  const { stdout, stderr, code } = result;
  if (code === 0) {
    expect(stderr).toBe('');
    expect(letsRun(result)).toBe(false);
    expect(stdout).toMatch(/Bridle/);
  } else {
    expect({ stdout, code }).toEqual({ stdout: '', code: 2 });
    expect(stderr).toMatch(/^Bridle: .+\n$/s);
  }
}

/** The payload with one field changed, wherever it is. */
function changed(payload: JsonObject, name: string, value: JsonValue | undefined): JsonObject {
  const text = JSON.stringify(payload, (key, each: JsonValue) => (key === name ? value : each));
  return JSON.parse(text) as JsonObject;
}

const fieldsOf: Readonly<Record<HostName, readonly string[]>> = {
  claude: ['hook_event_name', 'session_id', 'cwd', 'tool_name', 'tool_input', 'command'],
  codex: ['hook_event_name', 'session_id', 'cwd', 'tool_name', 'tool_input', 'command'],
  gemini: ['hook_event_name', 'session_id', 'cwd', 'tool_name', 'tool_input', 'command'],
  copilot: ['sessionId', 'cwd', 'toolName', 'toolArgs', 'command'],
  opencode: ['event', 'sessionID', 'directory', 'tool', 'args', 'command'],
};
const wrongValues: readonly (JsonValue | undefined)[] = [undefined, 7, {}, ''];

describe.each(testedHosts.map(({ name }) => name))('%s', (host) => {
  it(proves('C02')('blocks input that is empty, truncated, duplicated, too long or foreign'), async () => {
    const at = rig();
    const payload = JSON.stringify(at.payload(host, 'echo hello'));
    const long = JSON.stringify(at.payload(host, `echo ${'x'.repeat(5_000_000)}`));
    const half = payload.slice(0, payload.length / 2);
    const foreign = ['null', '[]', '"x"', '7', '{}', '{"tool":"bash"}', '\u0000', 'not JSON', `${payload}x`];
    const inputs = ['', ' \n', half, payload + payload, `${payload}\n${payload}`, long, ...foreign];
    for (const result of await Promise.all(inputs.map((input) => at.hook(host, input)))) expectBlocked(result);
  });

  it(proves('C02')('blocks payloads whose fields are missing or have wrong types'), async () => {
    const at = rig();
    const allowed = at.payload(host, 'echo hello');
    for (const field of fieldsOf[host]) {
      const results = await Promise.all(
        wrongValues.map(async (value) => ({ value, result: await at.hook(host, changed(allowed, field, value)) })),
      );
      for (const { value, result } of results) {
        if (!letsRunOrFails(result)) continue;
        expect.fail(`${field} = ${JSON.stringify(value)} runs: ${result.stdout}`);
      }
    }
  });

  it(proves('C02', 'G10')('blocks calls if the store is damaged, or cannot be created or written'), async () => {
    const at = rig();
    const store = join(at.project, '.bridle');
    const payload = at.payload(host, 'echo hello');
    writeFileSync(store, 'not a folder');
    expectBlocked(await at.hook(host, payload));
    rmSync(store);
    expect(letsRun(await at.hook(host, payload))).toBe(true);
    writeFileSync(join(store, 'store.db'), 'not a database'.repeat(100));
    expectBlocked(await at.hook(host, payload));
    rmSync(store, { recursive: true });
    expectBlocked(await withFileLimit(at, host, payload));
    expect(letsRun(await at.hook(host, payload))).toBe(true);
  });

  it(proves('C02', 'D02')('blocks calls if the policy cannot be read'), async () => {
    const at = rig();
    const file = join(at.project, 'bridle.yaml');
    const payload = at.payload(host, 'echo hello');
    for (const content of ['', 'version: 2', '\u0000', 'version: 1\nrules: [{ allow: 7 }]', 'a: &a [*a, *a]']) {
      writeFileSync(file, content);
      expectBlocked(await at.hook(host, payload));
    }
    rmSync(file);
    mkdirSync(file);
    expectBlocked(await at.hook(host, payload));
  });

  it(proves('C02')('blocks calls if its keys or its trust cannot be used'), async () => {
    const at = rig();
    const payload = at.payload(host, 'echo hello');
    writeFileSync(join(at.home, 'trust.json'), '{');
    expectBlocked(await at.hook(host, payload));
    rmSync(join(at.home, 'trust.json'));
    at.policy(plainPolicy);
    rmSync(join(at.home, 'keys'), { recursive: true, force: true });
    writeFileSync(join(at.home, 'keys'), 'not a folder');
    expectBlocked(await at.hook(host, payload));
  });

  it.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(proves('C02')('blocks the call on %s'), async (signal) => {
    const at = rig();
    const ready = join(at.folder, 'ready');
    // It says that it runs, and then decides nothing.
    writeFileSync(
      join(at.project, 'hook.mjs'),
      `import { writeFileSync } from 'node:fs';
      const preToolCall = () => new Promise(() => writeFileSync(${JSON.stringify(ready)}, ''));
      export default { name: 'slow', timeoutMs: 30_000, preToolCall };`,
    );
    at.policy(`${plainPolicy}hooks: [./hook.mjs]\n`);
    const child = at.start(host);
    child.stdin?.end(JSON.stringify(at.payload(host, 'echo hello')));
    await vi.waitUntil(() => existsSync(ready), { timeout: 30_000 });
    child.kill(signal);
    const { code, stdout, stderr } = await ended(child);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/Bridle/);
  });

  it(proves('C02')('blocks the call if its own code is missing, cut or broken'), async () => {
    const at = rig();
    const copy = join(at.folder, 'handler');
    cpSync(join(import.meta.dirname, '../../dist/cli'), copy, { recursive: true });
    const code = join(copy, 'hook-code.cjs');
    const run = (): Promise<HookResult> => {
      const argv = [join(copy, 'hook.cjs'), ...hookArgs(host), '--home', at.home];
      const child = spawn(process.execPath, argv, { cwd: at.project, env: at.env(host) });
      child.stdin.on('error', () => undefined);
      child.stdin.end(JSON.stringify(at.payload(host, 'echo hello')));
      return ended(child);
    };
    truncateSync(code, 100_000);
    expectBlocked(await run());
    writeFileSync(code, '(function () {})');
    expectBlocked(await run());
    writeFileSync(code, 'throw new Error("broken")');
    expectBlocked(await run());
    rmSync(code);
    expectBlocked(await run());
  });

  it(
    proves('C02', 'G10')('reports faults after a call, and withholds the result if hooks should have seen it'),
    async () => {
      const at = rig();
      const file = join(at.project, 'bridle.yaml');
      const result = at.payload(host, 'echo hello', { after: true });
      writeFileSync(file, 'version: 1\nrules: [broken');
      const passed = await at.hook(host, result);
      expect(passed).toMatchObject({ code: 0, stderr: expect.stringMatching(/^Bridle: .*bridle\.yaml/) as string });
      expect(passed.stdout).not.toContain('withheld');
      writeFileSync(file, 'version: 1\nhooks: [./mask.mjs]\nrules: [broken');
      const withheld = await at.hook(host, result);
      expect(withheld).toMatchObject({ code: 0, stderr: expect.stringMatching(/^Bridle: /) as string });
      expect(withheld.stdout).toContain('Bridle withheld the result');
      for (const failOpen of [true, false]) {
        const code = `export default { name: 'mask', failOpen: ${failOpen}, postToolCall: () => undefined };`;
        writeFileSync(join(at.project, 'mask.mjs'), code);
        at.policy(`${plainPolicy}hooks: [./mask.mjs]\n`);
        rmSync(join(at.project, '.bridle'), { recursive: true, force: true });
        writeFileSync(join(at.project, '.bridle'), 'not a folder');
        expect((await at.hook(host, result)).stdout.includes('withheld')).toBe(!failOpen);
      }
    },
  );

  it(proves('C02')('does not answer into a closed pipe'), async () => {
    const at = rig();
    const child = at.start(host);
    child.stdout?.destroy();
    child.stdin?.end(JSON.stringify(at.payload(host, 'echo hello')));
    const code = await new Promise((resolve) => child.on('exit', resolve));
    expect(code).toBe(2);
  });
});

/** True if the host would run the call. Any exit code but 0 and 2 is a failure of the test. */
function letsRunOrFails(result: HookResult): boolean {
  expect([0, 2]).toContain(result.code);
  return letsRun(result);
}

/** With a file size limit, as on a full disk. */
function withFileLimit(at: HookRig, host: HostName, payload: JsonObject): Promise<HookResult> {
  const script = join(at.folder, 'limited');
  writeFileSync(script, '#!/bin/sh\nulimit -f 40\ntrap "" XFSZ\nexec "$@"\n');
  chmodSync(script, 0o755);
  const argv = [
    process.execPath,
    join(import.meta.dirname, '../../dist/cli/hook.cjs'),
    ...hookArgs(host),
    '--home',
    at.home,
  ];
  const child = spawn(script, argv, { cwd: at.project, env: at.env(host) });
  child.stdin.end(JSON.stringify(payload));
  return ended(child);
}
