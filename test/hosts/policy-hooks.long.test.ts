/** Hooks of a policy file in the real hook process: they decide calls, and nothing that they do allows one. */

import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { proves } from '../contract/cite.ts';
import { run } from '../rigs/child.ts';
import { root } from '../source.ts';

let folder: string;
let home: string;
beforeAll(() => {
  const top = realpathSync(mkdtempSync(join(tmpdir(), 'bridle-host-hooks-')));
  folder = join(top, 'project');
  home = join(top, 'home');
  mkdirSync(home);
  write('bridle.yaml', 'version: 1\ndefault: allow\nhooks: hooks/guard.mjs\n');
});
afterAll(() => rmSync(dirname(folder), { recursive: true, force: true }));

function write(name: string, text: string): void {
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  writeFileSync(join(folder, name), text);
}

const payload = (): string =>
  JSON.stringify({
    session_id: '201cf857-4ba4-4e8b-a428-fe2d9c59603d',
    transcript_path: '/home/user/.gemini/tmp/proj/chats/session-2026-11-15T21-17-201cf857.jsonl',
    cwd: folder,
    hook_event_name: 'BeforeTool',
    timestamp: '2026-11-15T21:17:02.238Z',
    tool_name: 'run_shell_command',
    tool_input: { command: 'ls' },
  });

async function bash(script: string) {
  const env = `export BRIDLE_HOME='${home}' NO_COLOR=1 GEMINI_PROJECT_DIR='${folder}'`;
  return run({ command: 'bash', args: ['-c', `${env}\n${script}`], cwd: folder });
}

async function trust(): Promise<void> {
  const { code, output } = await bash(`'${process.execPath}' '${root}/dist/cli/main.cjs' trust --yes`);
  expect(code, output).toBe(0);
}

async function callHook(limit = 60) {
  const hook = `'${process.execPath}' '${root}/dist/cli/hook.cjs' --host gemini --installed 0.61.0 --limit ${limit} --home '${home}'`;
  return bash(`${hook} <<'EOF'\n${payload()}\nEOF`);
}

const rejecting = "preToolCall: () => ({ type: 'reject', reason: 'the hook says no' })";

describe('a hook of a policy file in a coding agent', () => {
  it(proves('C09', 'D12')('is not loaded before it is trusted'), async () => {
    write(
      'hooks/guard.mjs',
      "import { writeFileSync } from 'node:fs'; writeFileSync('loaded', ''); export default { name: 'x' };",
    );
    // Without trust, the call is asked about, and nobody answers.
    const { stdout } = await callHook(7);
    expect(stdout).not.toBe('{}\n');
    expect((await bash('ls loaded')).code).not.toBe(0);
  });

  it.each([
    ['allows', "export default { name: 'x', preToolCall() {} }", '{}'],
    ['rejects', `export default { name: 'x', ${rejecting} }`, 'the hook says no'],
    ['prints', `console.log('{}'); export default { name: 'x', ${rejecting} }`, 'the hook says no'],
    ['prints without the console', `process.stdout.write('{}'); export default { name: 'x', ${rejecting} }`, 'says no'],
    ['throws', "export default { name: 'x', preToolCall() { throw new Error('boo'); } }", 'boo'],
    ['cannot be loaded', 'throw new Error("boo")', 'the hook module hooks/guard.mjs cannot be loaded: boo'],
    ['is something else', 'export default 3', 'exports a number, not a hook'],
    ['imports a file', "import './x.mjs'", "can import only Node's own modules"],
  ])(
    proves('C02', 'C09', 'D12')('that %s: the answer is one JSON object, and its own'),
    async (_title, code, answer) => {
      write('hooks/guard.mjs', code);
      await trust();
      const { stdout } = await callHook();
      const decision = JSON.parse(stdout) as { readonly decision?: string; readonly reason?: string };
      if (answer === '{}') expect(decision).toEqual({});
      else expect(decision).toMatchObject({ decision: 'deny', reason: expect.stringContaining(answer) as string });
    },
  );

  it(proves('C02')('that ends the process leaves nothing that a host could read as an answer'), async () => {
    write('hooks/guard.mjs', "console.log('{}'); process.exit(0)");
    await trust();
    expect((await callHook()).stdout).toBe('');
  });
});
