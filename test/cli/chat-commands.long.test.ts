/** Sessions, modes and an own agent of `bridle chat`, in a pseudo-terminal. */

import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { proves } from '../contract/cite.ts';
import { type PromptModel, promptModel, promptModelName } from '../rigs/prompt-model.ts';
import { keys, noTerminals, Terminal } from './terminal-rig.ts';

const title = noTerminals === undefined ? 'bridle chat' : `no terminals here: ${noTerminals}`;
let folder: string;
let open: Terminal[];
let model: PromptModel;

function start(...args: readonly string[]): Terminal {
  const terminal = new Terminal({ cwd: folder, args: ['chat', ...args], env: model.env });
  open.push(terminal);
  return terminal;
}

/** Waits for the prompt line, which can show a mode, and sends a line. */
async function say(terminal: Terminal, line: string, prompt = '\n> '): Promise<void> {
  await terminal.see(prompt);
  terminal.press(line, keys.enter);
}

beforeAll(async () => {
  model = await promptModel();
});
afterAll(() => model.close());

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bridle-commands-'));
  open = [];
});
afterEach(async () => {
  await Promise.all(open.map((terminal) => terminal.close()));
  rmSync(folder, { recursive: true, force: true });
});

describe.skipIf(noTerminals !== undefined)(title, { timeout: 60_000 }, () => {
  it('shows the mode, accepts edits, and continues a session', async () => {
    const first = start('--model', promptModelName, '--accept', 'edits');
    await say(first, 'create a.txt with `hello`', '\nedits > ');
    await first.see('✓ create_file');
    expect(existsSync(join(folder, 'a.txt'))).toBe(true);
    await say(first, '/approve read-only', '\nedits > ');
    await say(first, 'create b.txt with `hello`', '\nread-only > ');
    await first.see('read-only mode');
    await first.see('\nread-only > ');
    first.press(keys.ctrlC);
    await first.see('Ctrl-C again');
    first.press(keys.ctrlD);
    await first.see(
      `To continue this chat: npx bridle chat --model ${promptModelName} --continue, or with --session chat-`,
    );
    expect(await first.ended).toBe(0);
    expect(existsSync(join(folder, 'b.txt'))).toBe(false);

    const second = start('--model', promptModelName, '--continue');
    await second.see('resumed, 8 messages');
    await say(second, '/sessions');
    await second.see('create a.txt with `hello`');
    await say(second, '/clear');
    await second.see('This is a new conversation.');
    await say(second, '/quit');
    expect(await second.ended).toBe(0);
  });

  it('says how to start if there is no session to continue', async () => {
    const terminal = start('--model', promptModelName, '--continue');
    await terminal.see('there is no saved session in');
    expect(await terminal.ended).toBe(2);
  });

  it(proves('A26')('runs an own agent with its tools and hooks, and asks about its calls'), async () => {
    writeFileSync(
      join(folder, 'agent.mjs'),
      `const deploy = { name: 'deploy', description: 'Deploys.', schema: { type: 'object' }, run: () => 'it is deployed' };
      const guard = { name: 'mine', preToolCall: ({ call }) => call.args.to === 'moon' ? { type: 'reject', reason: 'not to the moon' } : undefined };
      export default { model: '${promptModelName}', tools: [deploy], hooks: [guard] };`,
    );
    const terminal = start('--agent', './agent.mjs');
    await say(terminal, 'call deploy with {"to": "moon"}');
    await terminal.see('not to the moon');
    await say(terminal, 'call deploy with {}');
    await terminal.see('Esc means no.');
    terminal.press(keys.escape);
    await say(terminal, '/hooks');
    await terminal.see('mine (--agent)');
    await terminal.see('preToolCall: 2 calls, 1 × reject');
    await say(terminal, '/quit');
    expect(await terminal.ended).toBe(0);
    expect(terminal.text).not.toContain('it is deployed');
  });
});
