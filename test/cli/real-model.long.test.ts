/** `bridle chat` with a real provider's client, and a model that means no good, or does not answer. */

import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { proves } from '../contract/cite.ts';
import { frames } from '../wire/frames.ts';
import { type Answer, fail, hang, rawServer, type RawServer, whole } from '../wire/raw-server.ts';
import { keys, noTerminals, Terminal } from './terminal-rig.ts';

const title = noTerminals === undefined ? 'a model behind a wire' : `no terminals here: ${noTerminals}`;
const { open, text, toolCall, end } = frames.anthropic;
let folder: string;
let server: RawServer | undefined;
let terminal: Terminal | undefined;

async function start(args: readonly string[], ...answers: readonly Answer[]): Promise<Terminal> {
  server = await rawServer(...answers);
  const env = { ANTHROPIC_API_KEY: 'none', ANTHROPIC_BASE_URL: `${server.url}/v1` };
  terminal = new Terminal({ cwd: folder, args: ['chat', '--model', 'anthropic/claude-opus-5', ...args], env });
  return terminal;
}

const says = (words: string): Answer => whole(...open, ...text(words), ...end());

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bridle-wire-'));
});

afterEach(async () => {
  await terminal?.close();
  await server?.close();
  rmSync(folder, { recursive: true, force: true });
});

describe.skipIf(noTerminals !== undefined)(title, { timeout: 60_000 }, () => {
  it(proves('Q04')('cannot make the terminal obey, with words, tool names or arguments'), async () => {
    const evil = '\u001B]52;c;ZXZpbA==\u0007\u001B[2J\u009B31m\u202E';
    const command = { id: 'call_1', name: 'run_command', args: JSON.stringify({ command_line: `touch ran ${evil}` }) };
    const unknown = { id: 'call_2', name: `run${evil}`, args: '{}' };
    const chat = await start(
      [],
      whole(...open, ...toolCall(command), ...end(command)),
      whole(...open, ...toolCall(unknown), ...end(unknown)),
      whole(...open, ...text('so \u001B'), ...text(']0;title\u0007 long'), ...end()),
    );
    await chat.say('do your worst');
    await chat.see('touch ran ⟨U+001B⟩]52;c;ZXZpbA==⟨U+0007⟩⟨U+001B⟩[2J⟨U+009B⟩31m⟨U+202E⟩');
    await chat.see('Esc means no.');
    chat.press('e');
    await chat.see(String.raw`\u001b]52;c;`);
    chat.press(keys.escape);
    await chat.see('Esc means no.');
    chat.press(keys.enter);
    await chat.see('so ⟨U+001B⟩]0;title⟨U+0007⟩ long');
    await chat.see(' tokens · session cost $0.0');
    await chat.see('\n> ');
    chat.press(keys.ctrlD);
    expect(await chat.ended).toBe(0);
    expect(existsSync(join(folder, 'ran'))).toBe(false);
    for (const sequence of ['\u001B]', '\u001B[2J', '\u009B', '\u202E', '\u0007']) {
      expect(chat.raw.includes(sequence), JSON.stringify(sequence)).toBe(false);
    }
  });

  it(proves('A07')('is cancelled in the middle of an answer, and asked again'), async () => {
    const chat = await start([], hang(...open, ...text('half an ans')), says('a whole answer'));
    await chat.say('first');
    await chat.see('half an ans');
    chat.press(keys.ctrlC);
    await chat.see('Cancelled: the answer is not complete.');
    await chat.say('second');
    await chat.see('a whole answer');
    await chat.see('\n> ');
    chat.press(keys.ctrlD);
    expect(await chat.ended).toBe(0);
  });

  it('that refuses fails the turn, not the session', async () => {
    const chat = await start([], fail(401, { message: 'that key \u001B[2J is wrong' }), says('now it works'));
    await chat.say('first');
    await chat.see('the turn failed: ');
    await chat.say('second');
    await chat.see('now it works');
    await chat.see('\n> ');
    chat.press(keys.ctrlD);
    expect(await chat.ended).toBe(0);
    expect(chat.raw).not.toContain('\u001B[2J');
  });

  it('that refuses makes -p end with 1', async () => {
    const chat = await start(['-p', 'hello'], fail(401));
    expect(await chat.ended).toBe(1);
  });

  it('costs what it costs, up to what it may', async () => {
    const chat = await start(['--max-cost', '0.000001'], says('dear'), says('never asked for'));
    await chat.say('first');
    await chat.see('budget $0.0000');
    await chat.say('second');
    await chat.see('the turn stopped: budget:');
    await chat.see('\n> ');
    chat.press(keys.ctrlD);
    expect(await chat.ended).toBe(0);
  });
});
