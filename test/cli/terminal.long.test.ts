/** `bridle chat` as a person has it: in a pseudo-terminal, with keys. */

import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { proves } from '../contract/cite.ts';
import { type PromptModel, promptModel, promptModelName } from '../rigs/prompt-model.ts';
import { root } from '../source.ts';
import { keys, noTerminals, Terminal, type TerminalOptions } from './terminal-rig.ts';

const title = noTerminals === undefined ? 'bridle chat in a terminal' : `no terminals here: ${noTerminals}`;
let folder: string;
let open: Terminal[];
let model: PromptModel;

/** `args` are options of `bridle chat`. */
function start({ args = [], env, ...options }: Omit<TerminalOptions, 'cwd'> = {}): Terminal {
  const chat = ['chat', '--model', promptModelName, ...args];
  const terminal = new Terminal({ cwd: folder, ...options, args: chat, env: { ...model.env, ...env } });
  open.push(terminal);
  return terminal;
}

/** What the last line of an open question says, once it accepts keys. */
const approvalIsOpen = 'Esc means no.';
/** What the model answers to "hello". */
const greeting = 'You said: hello';

/** Approves the open question, and waits until that has taken effect. */
async function approve(terminal: Terminal): Promise<void> {
  terminal.press('y');
  await terminal.see('Approve this call? Yes, once');
}

async function leave(terminal: Terminal): Promise<number> {
  await terminal.see('\n> ');
  terminal.press(keys.ctrlD);
  return terminal.ended;
}

async function isGone(pid: number): Promise<boolean> {
  for (let round = 0; round < 200; round++) {
    try {
      process.kill(pid, 0);
    } catch {
      return true;
    }
    await delay(50);
  }
  return false;
}

async function pidIn(file: string): Promise<number> {
  const path = join(folder, file);
  for (let round = 0; round < 300; round++) {
    const text = existsSync(path) ? readFileSync(path, 'utf8').trim() : '';
    if (text !== '') return Number(text);
    await delay(50);
  }
  throw new Error(`${file} was not written`);
}

beforeAll(async () => {
  model = await promptModel();
});
afterAll(() => model.close());

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bridle-chat-'));
  open = [];
});

afterEach(async () => {
  await Promise.all(open.map((terminal) => terminal.close()));
  rmSync(folder, { recursive: true, force: true });
});

describe.skipIf(noTerminals !== undefined)(title, { timeout: 60_000 }, () => {
  it('greets, answers, shows the call and its cost, and ends at Ctrl-D', async () => {
    writeFileSync(join(folder, 'a.txt'), 'what stands in a\n');
    const terminal = start();
    await terminal.see(promptModelName);
    await terminal.say('read a.txt');
    await terminal.see('✓ view_file a.txt');
    await terminal.see('what stands in a');
    await terminal.see('turn 1 · 4 tokens · session cost $');
    expect(await leave(terminal)).toBe(0);
    expect(terminal.text).not.toContain('safe_observe');
  });

  it(proves('A23', 'Q04')('asks before a command, shows all of it, and runs it when it is approved'), async () => {
    const terminal = start();
    const long = `echo ${'x'.repeat(3000)}`;
    await terminal.say(`run \`echo yes > ran.txt; ${long}\``);
    const shown = await terminal.see('Confirm run_command?');
    expect(shown.replaceAll(/[\s│]/g, '')).toContain(`$echoyes>ran.txt;${long}`.replaceAll(/\s/g, ''));
    await terminal.see('Approve this call?');
    await terminal.see(approvalIsOpen);
    expect(existsSync(join(folder, 'ran.txt'))).toBe(false);
    await approve(terminal);
    await terminal.see('✓ $ ');
    expect(existsSync(join(folder, 'ran.txt'))).toBe(true);
    expect(await leave(terminal)).toBe(0);
  });

  it(proves('A23', 'P10')('takes words that are typed at a question for no yes'), async () => {
    const terminal = start();
    await terminal.say('run `echo yes > ran.txt`');
    await terminal.see('Approve this call?');
    await terminal.see(approvalIsOpen);
    terminal.press(...Array.from('no, just deny it'), keys.enter);
    await terminal.see('Denied run_command');
    expect(existsSync(join(folder, 'ran.txt'))).toBe(false);
    expect(await leave(terminal)).toBe(0);
  });

  it(proves('A23')('asks for confirmRunCommand() in a policy file'), async () => {
    writeFileSync(join(folder, 'policy.mjs'), 'export default ({ confirmRunCommand }) => confirmRunCommand();');
    const terminal = start({ args: ['--policy', 'policy.mjs'] });
    await terminal.say('run `echo hi`');
    await terminal.see('Run this command?');
    await terminal.see(approvalIsOpen);
    await approve(terminal);
    await terminal.see('✓ $ ');
    expect(await leave(terminal)).toBe(0);
  });

  it('lets nothing run when Enter alone is pressed, or Escape', async () => {
    const terminal = start();
    for (const key of [keys.enter, keys.escape]) {
      await terminal.say('run `touch ran.txt`');
      await terminal.see(approvalIsOpen);
      terminal.press(key);
      const denied = await terminal.see('Failed:');
      expect(denied.includes('The person dismissed the question.')).toBe(key === keys.escape);
    }
    expect(existsSync(join(folder, 'ran.txt'))).toBe(false);
    expect(await leave(terminal)).toBe(0);
  });

  it(proves('A23')('takes the end of input for a no'), async () => {
    const terminal = start();
    await terminal.say('run `touch ran.txt`');
    await terminal.see(approvalIsOpen);
    terminal.press(keys.ctrlD);
    await terminal.see('Denied run_command: The person dismissed the question.');
    expect(existsSync(join(folder, 'ran.txt'))).toBe(false);
    expect(await leave(terminal)).toBe(0);
  });

  it('tells the model why it was denied', async () => {
    const terminal = start();
    await terminal.say('run `touch ran.txt`');
    await terminal.see(approvalIsOpen);
    terminal.press('N');
    await terminal.see('Reason for the model:');
    terminal.press('use npm instead', keys.enter);
    await terminal.see('Denied run_command: use npm instead');
    await terminal.see('Failed:');
    await terminal.see('use npm instead');
    expect(await leave(terminal)).toBe(0);
  });

  it('runs what the args were edited to, and asks again while they are no JSON', async () => {
    const terminal = start();
    await terminal.say('run `touch first.txt`');
    await terminal.see(approvalIsOpen);
    terminal.press('e');
    await terminal.see('{"command_line":"touch first.txt"}');
    terminal.press(keys.ctrlU, '{"command_line":', keys.enter);
    await terminal.see('JSON');
    terminal.press(keys.ctrlU, '{"command_line":"touch second.txt"}', keys.enter);
    await terminal.see('run_command: runs with command_line="touch second.txt"');
    await terminal.see('✓ $ ');
    expect([existsSync(join(folder, 'first.txt')), existsSync(join(folder, 'second.txt'))]).toEqual([false, true]);
    expect(await leave(terminal)).toBe(0);
  });

  it(proves('R10')('shows secrets masked, also to be edited, and runs with those that were left alone'), async () => {
    const terminal = start();
    await terminal.say('run `echo --token=hunter2 > first.txt`');
    await terminal.see('echo --token=[masked:7:');
    await terminal.see(approvalIsOpen);
    terminal.press('e');
    await terminal.see('{"command_line":"echo --token=[masked:7:');
    terminal.press(keys.ctrlU, '{"command_line":"echo [masked:7:00000000]"}', keys.enter);
    await terminal.see('a masked value that this call did not have');
    terminal.press(keys.ctrlU, '{"command_line":"echo --token=x2 > second.txt"}', keys.enter);
    await terminal.see('run_command: runs with command_line="echo --token=[masked:2:');
    await terminal.see('✓ $ ');
    expect(readFileSync(join(folder, 'second.txt'), 'utf8')).toBe('--token=x2\n');
    expect(await leave(terminal)).toBe(0);
  });

  it('asks again while edited args do not fit the tool', async () => {
    const terminal = start();
    await terminal.say('run `touch first.txt`');
    await terminal.see(approvalIsOpen);
    terminal.press('e');
    await terminal.see('{"command_line":"touch first.txt"}');
    terminal.press(keys.ctrlU, '{"command_line":7}', keys.enter);
    await terminal.see('Invalid args for run_command: command_line: is of type number, not string');
    terminal.press(keys.ctrlU, '{}', keys.enter);
    await terminal.see('Invalid args for run_command');
    terminal.press(keys.ctrlU, '{"command_line":"touch second.txt"}', keys.enter);
    await terminal.see('✓ $ ');
    expect(terminal.text).not.toContain('denied');
    expect([existsSync(join(folder, 'first.txt')), existsSync(join(folder, 'second.txt'))]).toEqual([false, true]);
    expect(await leave(terminal)).toBe(0);
  });

  it('says nothing of changed args where a yes changed none', async () => {
    const terminal = start();
    await terminal.say('run `echo hi`');
    await terminal.see(approvalIsOpen);
    await approve(terminal);
    await terminal.see('✓ $ ');
    expect(await leave(terminal)).toBe(0);
    expect(terminal.text).not.toContain('runs with');
  });

  it('does not ask again for what was approved for the session', async () => {
    const terminal = start();
    await terminal.say('run `echo hi`');
    await terminal.see(approvalIsOpen);
    terminal.press('a');
    await terminal.see('Run this without asking for the rest of the session?');
    await terminal.see(approvalIsOpen);
    terminal.press('x');
    await terminal.see('✓ $ ');
    await terminal.say('run `echo hi`');
    const again = await terminal.see('approved by terminal, remembered');
    expect(again).not.toContain('Approve this call?');
    await terminal.say('run `echo ho`');
    await terminal.see('Approve this call?');
    await terminal.see(approvalIsOpen);
    terminal.press(keys.escape);
    expect(await leave(terminal)).toBe(0);
  });

  it(
    proves('Q02')('shows a rule before it is remembered, and then asks only about what it does not cover'),
    async () => {
      const terminal = start();
      await terminal.say('run `echo hi`');
      await terminal.see(approvalIsOpen);
      terminal.press('a');
      // Enter alone accepts nothing, and the question is put again.
      await terminal.see('runs only `echo`. Their arguments must not write files, start programs');
      await terminal.see('Run this without asking for the rest of the session?');
      await terminal.see(approvalIsOpen);
      terminal.press(keys.enter);
      await terminal.see('Approve this call?');
      await terminal.see(approvalIsOpen);
      terminal.press('a');
      await terminal.see('Run this without asking for the rest of the session?');
      await terminal.see(approvalIsOpen);
      terminal.press(keys.home, keys.enter);
      await terminal.see('✓ $ ');
      await terminal.say('run `echo ho`');
      const again = await terminal.see('approved by terminal, remembered');
      expect(again).not.toContain('Approve this call?');
      await terminal.say('run `echo ho > ran.txt`');
      await terminal.see('Approve this call?');
      await terminal.see(approvalIsOpen);
      terminal.press(keys.escape);
      expect(await leave(terminal)).toBe(0);
      expect(existsSync(join(folder, 'ran.txt'))).toBe(false);
    },
  );

  it(proves('A21')('puts a structured question as a selection'), async () => {
    const terminal = start();
    await terminal.say('ask me which colour: red, green or blue');
    await terminal.see('Which colour?');
    await terminal.see('Skip this question');
    terminal.press(keys.down, keys.enter);
    await terminal.see('"selected":["green"]');
    await terminal.say('ask me which colours, all that apply: red, green or blue');
    await terminal.see('Something else');
    terminal.press(' ', keys.down, keys.down, ' ', keys.enter);
    await terminal.see('red');
    await terminal.see('blue');
    await terminal.say('ask me what to call it');
    // Not the line that shows the call: what is typed before the field is open belongs to the next prompt.
    await terminal.see('What to call it?\r\n> ');
    terminal.press('Bridle', keys.enter);
    await terminal.see('"text":"Bridle"');
    expect(await leave(terminal)).toBe(0);
  });

  it(proves('A21')('takes an answer in own words, a skipped question, and Escape for a cancelled one'), async () => {
    const terminal = start();
    await terminal.say('ask me which colour: red or blue');
    await terminal.see('Skip this question');
    terminal.press(keys.down.repeat(2), keys.enter);
    await terminal.see('In your own words:');
    terminal.press('violet', keys.enter);
    await terminal.see('"text":"violet"');
    await terminal.say('ask me which colour: red or blue');
    await terminal.see('Skip this question');
    terminal.press(keys.down.repeat(3), keys.enter);
    await terminal.see('"skipped":true');
    await terminal.say('ask me which colour: red or blue');
    await terminal.see('Skip this question');
    terminal.press(keys.escape);
    await terminal.see('"outcome":"cancelled"');
    expect(await leave(terminal)).toBe(0);
  });

  it(proves('A07')('cancels a command that hangs at Ctrl-C, with everything it started, and goes on'), async () => {
    const terminal = start();
    await terminal.say('run `sleep 300 & echo $! > child.pid; echo $$ > shell.pid; sleep 300`');
    await terminal.see(approvalIsOpen);
    await approve(terminal);
    const pids = [await pidIn('shell.pid'), await pidIn('child.pid')];
    terminal.press(keys.ctrlC);
    await terminal.see('Cancelled: run_command was stopped.');
    expect(await Promise.all(pids.map(isGone))).toEqual([true, true]);
    await terminal.say('read child.pid');
    await terminal.see('✓ view_file');
    expect(await leave(terminal)).toBe(0);
  });

  it(proves('A07')('takes the question back when its turn is cancelled at it'), async () => {
    const terminal = start();
    await terminal.say('run `touch ran.txt`');
    await terminal.see(approvalIsOpen);
    terminal.press(keys.ctrlC);
    await terminal.see('Cancelled');
    expect(existsSync(join(folder, 'ran.txt'))).toBe(false);
    // The keyboard is the prompt line's again, and nobody else's.
    for (const _ of [1, 2]) {
      await terminal.say('/policy');
      await terminal.see('version');
    }
    expect(terminal.text).not.toContain('There is no');
    expect(await leave(terminal)).toBe(0);
  });

  it(proves('A07')('tells nothing more of a question whose turn is cancelled at it'), async () => {
    const terminal = start();
    await terminal.say('ask me which colour: red or blue');
    await terminal.see('Skip this question');
    terminal.press(keys.ctrlC);
    await terminal.see('Cancelled');
    await terminal.say('/cost');
    await terminal.see('budget none');
    await terminal.say('hello');
    await terminal.see(greeting);
    expect(await leave(terminal)).toBe(0);
    expect(terminal.text).not.toContain('nobody waited');
    expect(terminal.text).not.toContain('time limit');
  });

  it('takes questions back that have expired, and goes on', async () => {
    const terminal = start({ program: join(root, 'test/cli/short-patience.mjs') });
    await terminal.say('run `touch ran.txt`');
    await terminal.see('Approve this call?');
    await terminal.see('Denied run_command');
    await terminal.say('ask me which colour: red or blue');
    await terminal.see('Which colour?');
    await terminal.see('"outcome":"unanswered"');
    await terminal.say('/cost');
    await terminal.see('budget none');
    expect(existsSync(join(folder, 'ran.txt'))).toBe(false);
    expect(await leave(terminal)).toBe(0);
  });

  it('cancels with /cancel typed into a running turn', async () => {
    const terminal = start();
    await terminal.say('run `echo $$ > shell.pid; sleep 300`');
    await terminal.see(approvalIsOpen);
    await approve(terminal);
    const pid = await pidIn('shell.pid');
    terminal.press('/cancel', keys.enter);
    await terminal.see('Cancelled: run_command was stopped.');
    expect(await isGone(pid)).toBe(true);
    expect(await leave(terminal)).toBe(0);
  });

  it('drops what was typed ahead when the turn is cancelled with Ctrl-C', async () => {
    const terminal = start();
    await terminal.say('run `echo $$ > shell.pid; sleep 300`');
    await terminal.see(approvalIsOpen);
    await approve(terminal);
    await pidIn('shell.pid');
    terminal.press('/tools', keys.enter, 'half a line', keys.ctrlC);
    await terminal.see('Cancelled: run_command was stopped.');
    await terminal.say('/cost');
    const between = await terminal.see('budget none');
    expect(between).not.toContain('search_directory');
    expect(await leave(terminal)).toBe(0);
  });

  it('ends cleanly at a second Ctrl-C, at the prompt and in a turn', async () => {
    const atPrompt = start();
    await atPrompt.see('\n> ');
    atPrompt.press(keys.ctrlC);
    await atPrompt.see('Ctrl-C again');
    atPrompt.press(keys.ctrlC);
    expect(await atPrompt.ended).toBe(0);
    const inTurn = start();
    await inTurn.say('run `echo $$ > shell.pid; trap "" TERM; while true; do sleep 1; done`');
    await inTurn.see(approvalIsOpen);
    await approve(inTurn);
    const pid = await pidIn('shell.pid');
    inTurn.press(keys.ctrlC, keys.ctrlC);
    expect(await inTurn.ended).toBe(0);
    expect(await isGone(pid)).toBe(true);
  });

  it('keeps what is typed into a running turn for the next one, and away from the question', async () => {
    const terminal = start();
    await terminal.say('run `echo one > one.pid; read -t 1 -u 1 x; sleep 1` then run `touch two.txt`');
    await terminal.see(approvalIsOpen);
    await approve(terminal);
    await pidIn('one.pid');
    terminal.press('/tools', keys.enter);
    await terminal.see('Approve this call?');
    await terminal.see(approvalIsOpen);
    expect(existsSync(join(folder, 'two.txt'))).toBe(false);
    terminal.press(keys.escape);
    await terminal.see('> /tools');
    await terminal.see('search_directory');
    expect(await leave(terminal)).toBe(0);
  });

  it('asks one thing after another where calls run side by side', async () => {
    writeFileSync(join(folder, 'a.txt'), 'aaa\n');
    writeFileSync(join(folder, 'b.txt'), 'bbb\n');
    writeFileSync(join(folder, 'policy.mjs'), "export default ({ ask }) => [ask('*', { name: 'ask_all' })];");
    const terminal = start({ args: ['--policy', 'policy.mjs'] });
    await terminal.say('read a.txt and b.txt');
    // Whose paths are resolved first is asked about first.
    const shown = await terminal.see(approvalIsOpen);
    const [first, second] = shown.includes('file_path: a.txt') ? (['a', 'b'] as const) : (['b', 'a'] as const);
    expect(shown).toContain(`file_path: ${first}.txt`);
    expect(shown).not.toContain(`file_path: ${second}.txt`);
    await approve(terminal);
    await terminal.see(`file_path: ${second}.txt`);
    await terminal.see(approvalIsOpen);
    terminal.press('N');
    await terminal.see('Reason for the model:');
    terminal.press('one is enough', keys.enter);
    await terminal.see('Reason for the model: one is enough');
    const answer = await terminal.see('\n> ');
    expect(answer).toContain(first.repeat(3));
    expect(answer).toContain('Failed:');
    expect(answer).not.toContain(second.repeat(3));
    terminal.press(keys.ctrlD);
    expect(await terminal.ended).toBe(0);
  });

  it('remembers what was typed, and drops a line at Ctrl-C without counting it', async () => {
    const terminal = start();
    await terminal.say('/cost');
    await terminal.see('budget none');
    await terminal.see('\n> ');
    terminal.press(keys.up);
    await terminal.see('/cost');
    terminal.press(keys.ctrlC);
    await terminal.see('\n> ');
    terminal.press(keys.up, keys.enter);
    await terminal.see('budget none');
    await terminal.see('\n> ');
    terminal.press(keys.ctrlC);
    await terminal.see('Ctrl-C again');
    expect(await leave(terminal)).toBe(0);
  });

  it('takes pasted lines as one prompt', async () => {
    writeFileSync(join(folder, 'a.txt'), 'aaa\n');
    writeFileSync(join(folder, 'b.txt'), 'bbb\n');
    const terminal = start();
    await terminal.see('\n> ');
    terminal.press('read a.txt\rread b.txt\r');
    await terminal.see('aaa');
    await terminal.see('bbb');
    await terminal.say('/sessions');
    await terminal.see('1 turn  read a.txt read b.txt');
    expect(await leave(terminal)).toBe(0);
  });

  it(proves('Q04')('sends no escape sequence of a file, a command or an answer to the terminal'), async () => {
    const evil = '\u001B]52;c;ZXZpbA==\u0007\u001B[2J\u009B31m\u202Edlrow\u2066\rover\u0008';
    writeFileSync(join(folder, 'evil.txt'), `${evil}\nend of evil\n`);
    writeFileSync(join(folder, 'cat.sh'), `printf '%s' '${evil}'; exit 3\n`);
    const terminal = start();
    await terminal.say('read evil.txt');
    await terminal.see('end of evil');
    await terminal.say('run `sh cat.sh`');
    await terminal.see(approvalIsOpen);
    await approve(terminal);
    await terminal.see('exit code 3');
    await terminal.say('call view_file with {"file_path":"\\u001b]52;c;x\\u0007"}');
    await terminal.see(String.raw`✗ view_file "\u001b]52;c;x`);
    expect(await leave(terminal)).toBe(0);
    expect(terminal.text).toContain('⟨U+001B⟩');
    for (const sequence of ['\u001B]52', '\u001B[2J', '\u009B', '\u202E', '\u2066', '\u0007', 'over\u0008']) {
      expect(terminal.raw.includes(sequence), JSON.stringify(sequence)).toBe(false);
    }
  });

  it('understands its slash commands and guesses what was meant', async () => {
    const terminal = start({ args: ['--max-cost', '1.5', '--max-steps', '7'] });
    await terminal.say('/help');
    await terminal.see('/explain');
    await terminal.say('/explain view_file {"file_path":"/etc/passwd"}');
    await terminal.see('deny: decided by workspace_only (forbid *)');
    await terminal.say('/policy');
    await terminal.see('safe_confirm (ask *)');
    await terminal.say('/cost');
    await terminal.see('budget $1.50, 7 steps per turn');
    await terminal.say('/compct');
    await terminal.see('Did you mean /compact?');
    await terminal.say('/compact');
    await terminal.see('nothing to summarise');
    await terminal.say('/quit');
    expect(await terminal.ended).toBe(0);
  });

  it('shows no colours under NO_COLOR, dialogs included', async () => {
    const terminal = start({ env: { NO_COLOR: '1' } });
    await terminal.say('run `echo hi`');
    await terminal.see(approvalIsOpen);
    await approve(terminal);
    await terminal.see('✓ $ ');
    expect(await leave(terminal)).toBe(0);
    // oxlint-disable-next-line no-control-regex -- colours are control sequences
    expect(terminal.raw).not.toMatch(/\u001B\[[\d;]*m/);
  });

  it('does one turn for -p, with questions, and says how it went', async () => {
    const terminal = start({ args: ['-p', 'run `exit 0`'] });
    await terminal.see(approvalIsOpen);
    await approve(terminal);
    await terminal.see('✓ $ exit 0');
    expect(await terminal.ended).toBe(0);
    const refused = start({ args: ['-p', 'run `exit 0`'] });
    await refused.see(approvalIsOpen);
    refused.press(keys.enter);
    expect(await refused.ended).toBe(3);
    const cancelled = start({ args: ['-p', 'run `exit 0`'] });
    await cancelled.see(approvalIsOpen);
    cancelled.press(keys.ctrlC);
    expect(await cancelled.ended).toBe(130);
  });

  it('stops cleanly on SIGTERM, and when the terminal goes away', async () => {
    for (const [signal, code] of [
      ['SIGTERM', 143],
      ['SIGHUP', 129],
    ] as const) {
      const terminal = start();
      await terminal.say('run `echo $$ > shell.pid; sleep 300`');
      await terminal.see(approvalIsOpen);
      await approve(terminal);
      const pid = await pidIn('shell.pid');
      rmSync(join(folder, 'shell.pid'));
      terminal.signal(signal);
      expect(await terminal.ended).toBe(code);
      expect(await isGone(pid)).toBe(true);
    }
  });

  it('goes on with a kept session', async () => {
    const args = ['--session', 'work', '--sessions', 'kept'];
    const first = start({ args });
    await first.say('hello');
    await first.see(greeting);
    expect(await leave(first)).toBe(0);
    expect(first.text).not.toContain('resumed');
    const second = start({ args });
    await second.see('Ctrl-D to exit');
    await second.see('session work: resumed, 2 messages');
    await second.say('hello');
    await second.see(greeting);
    expect(await leave(second)).toBe(0);
  });

  it('keeps a line that is typed before the first prompt', async () => {
    const terminal = start();
    terminal.press('/quit', keys.enter);
    await terminal.see('> /quit');
    expect(await terminal.ended).toBe(0);
  });

  it('takes exit and quit for a farewell', async () => {
    for (const word of ['exit', ' quit ']) {
      const terminal = start();
      await terminal.say(word);
      expect(await terminal.ended).toBe(0);
      expect(terminal.text).not.toContain(greeting);
    }
  });
});
