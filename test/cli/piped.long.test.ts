/** `bridle` where no person sits at it: pipes, files, signals. */

import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { proves } from '../contract/cite.ts';
import { type PromptModel, promptModel, promptModelName } from '../rigs/prompt-model.ts';
import { main } from './terminal-rig.ts';

let folder: string;
let model: PromptModel;
let children: ChildProcessWithoutNullStreams[];
let storeNamed: string | undefined;
/** Where the command runs, if not in the folder. */
let startedIn: string | undefined;

interface Started {
  readonly child: ChildProcessWithoutNullStreams;
  readonly ended: Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }>;
}

function start(...args: readonly string[]): Started {
  const env = { PATH: process.env['PATH'], HOME: folder, BRIDLE_STORE: storeNamed, ...model.env };
  const child = spawn(process.execPath, [main, ...args], { cwd: startedIn ?? folder, env });
  children.push(child);
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  child.stdin.on('error', () => undefined);
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, stdout, stderr }));
  return { child, ended };
}

/** Starts a chat with a model. */
function startChat(...options: readonly string[]): Started {
  return start('chat', '--model', promptModelName, ...options);
}

/** Runs it to its end, with `input` on stdin. */
function run(args: readonly string[], input = ''): Started['ended'] {
  const { child, ended } = start(...args);
  child.stdin.end(input);
  return ended;
}

function runChat(options: readonly string[], input = ''): Started['ended'] {
  return run(['chat', '--model', promptModelName, ...options], input);
}

function write(name: string, text: string): void {
  writeFileSync(join(folder, name), text);
}

async function appears(name: string): Promise<string> {
  for (let round = 0; round < 300; round++) {
    const text = existsSync(join(folder, name)) ? readFileSync(join(folder, name), 'utf8').trim() : '';
    if (text !== '') return text;
    await delay(50);
  }
  throw new Error(`${name} was not written`);
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

/** What JSON output says, line by line. */
/** Why a module that the option names cannot be used. */
async function loadProblem(option: string, file: string): Promise<string> {
  const { code, stdout, stderr } = await runChat([option, `./${file}`, '-p', 'hello']);
  expect([code, stdout]).toEqual([2, '']);
  return stderr;
}

function eventsIn(stdout: string): Record<string, unknown>[] {
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

const allowAll = 'export default ({ allowAll }) => [allowAll()];';

beforeAll(async () => {
  model = await promptModel();
});
afterAll(() => model.close());

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bridle-pipe-'));
  storeNamed = undefined;
  startedIn = undefined;
  children = [];
});

afterEach(() => {
  for (const child of children) if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

describe('the command line', { timeout: 60_000 }, () => {
  it('tells its version and its help', async () => {
    expect(await run(['--version'])).toEqual({ code: 0, stdout: `${manifest.version}\n`, stderr: '' });
    const help = await run(['chat', '--help']);
    expect(help.code).toBe(0);
    for (const option of ['--model', '--policy', '--yes-to', '--json', '-p,', 'Exit codes']) {
      expect(help.stdout).toContain(option);
    }
    expect((await run(['--help'])).stdout).toContain('chat');
  });

  it.each([
    [['chta'], 'Did you mean chat?'],
    [['chat', '--modle', 'x'], 'Did you mean --model?'],
    [['chat', 'hello'], 'too many arguments'],
    [['chat', '--yes-to', 'confirm'], '--yes-to must be "observe"'],
    [['chat', '--cwd', 'nowhere'], '--cwd "nowhere" does not exist'],
    [['chat', '--max-cost', 'much'], '--max-cost must be a number of US dollars above 0, not "much"'],
    [['chat', '--max-cost', '0'], '--max-cost must be a number of US dollars above 0, not "0"'],
    [['chat', '--max-cost', '-1'], '--max-cost must be a number of US dollars above 0, not "-1"'],
    [['chat', '-p', ''], 'the prompt is empty'],
    [['chat', '--json', '--prompt', ' \n'], 'the prompt is empty'],
    [['chat', '--max-steps', '0.5'], '--max-steps must be a whole number'],
    [['chat', '--sessions', 'kept'], '--sessions needs --session'],
    [['chat', '--model', promptModelName, '--store', 'postgres://127.0.0.1:1/none', '-p', 'hello'], 'ECONNREFUSED'],
    [['chat', '--model', promptModelName, '--store', '/dev/null/store.db', '-p', 'hello'], '/dev/null'],
    [['chat', '--session', '../x'], 'bridle: --session must be 1 to 128 letters, digits'],
    [['chat', '--session', 'a..b'], '(first a letter or digit, no ".."), not "a..b"'],
    [['chat', '--model', 'antropic/x'], 'Did you mean "anthropic"?'],
    [['chat', '--model', 'openai/x', '-p', 'hi'], 'set the environment variable OPENAI_API_KEY'],
    [['chat'], '--model anthropic/<id>    npm install @ai-sdk/anthropic, set ANTHROPIC_API_KEY\n'],
    [['chat', '-p', 'hi'], 'To see what Bridle does without a model: npx bridle tour\n'],
    [[], 'Usage: bridle'],
  ])('refuses %j with 2 and says what is meant', async (args, said) => {
    const { code, stdout, stderr } = await run(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(said);
    expect(stderr).not.toContain('    at ');
  });

  it('says what is wrong with a policy file, and which it is', async () => {
    write('list.yaml', 'version: 1\nrulse: []');
    write('typed.yaml', 'version: 1\nrules:\n  - allow: view_file\n    when: args.file_path > 3');
    write('policy', 'version: 1\nrules: [{ allow: view_file, when: 1 }]');
    write('broken.mjs', 'export default [');
    write('number.mjs', 'export default 3;');
    write('import.mjs', "import { allow } from 'bridle'; export default [allow('*')];");
    write('unknown.mjs', "export default ({ deny, safeDefaults }) => [deny('run_comand'), safeDefaults()];");
    write('empty.mjs', 'export default [];');
    for (const [file, said] of [
      ['broken.mjs', 'cannot be loaded'],
      ['number.mjs', 'exports a number as its default'],
      ['import.mjs', 'install bridle in that folder, or export a function'],
      ['unknown.mjs', 'run_command'],
      ['empty.mjs', 'no rule covers'],
      ['none.mjs', 'does not exist'],
    ] as const) {
      const { code, stderr } = await runChat(['--policy', file, '-p', 'hello']);
      expect(code, stderr).toBe(2);
      expect(stderr).toContain(`the policy file ${join(folder, file)} `);
      expect(stderr).toContain(said);
    }
    for (const [file, said] of [
      ['list.yaml', 'list.yaml:2:1: '],
      ['typed.yaml', 'typed.yaml:4:11: '],
      ['policy', 'policy:2:35: '],
      ['none.yaml', 'The policy file none.yaml does not exist.'],
    ] as const) {
      const { code, stderr } = await runChat(['--policy', file, '-p', 'hello']);
      expect(code, stderr).toBe(2);
      expect(stderr).toContain(said);
    }
  });

  it(
    proves('D08', 'D12')('finds a policy in the folder, names it, and lets it only tighten until it is trusted'),
    async () => {
      write('a.txt', 'what stands in a\n');
      write('bridle.yaml', 'version: 1\nrules:\n  - deny: view_file\n  - allow: run_command\n');
      const untrusted = await runChat(['-p', 'read a.txt']);
      expect(untrusted.code).toBe(3);
      expect(untrusted.stderr).toContain('policy: bridle.yaml; it is not trusted');
      expect(untrusted.stderr).toContain('(bridle.yaml:3)');
      expect(untrusted.stdout).toContain('(bridle.yaml:3)');
      expect(untrusted.stdout).not.toContain('[bridle.yaml:3]');
      // Nobody can be asked here, and an untrusted file cannot allow a command.
      const asked = await runChat(['-p', 'run `echo hello`; run `echo bye`']);
      expect(asked.code).toBe(3);
      const hint = 'bridle.yaml allows this, but it is not trusted: npx bridle trust bridle.yaml\n';
      expect(asked.stderr.split(hint)).toHaveLength(2);
      expect((await run(['trust', 'bridle.yaml', '--yes'])).code).toBe(0);
      const trusted = await runChat(['-p', 'run echo hello']);
      expect(trusted).toMatchObject({ code: 0, stdout: expect.stringContaining('hello') as string });
      expect(trusted.stderr).toContain('policy: bridle.yaml');
      expect(trusted.stderr).not.toContain('not trusted');
      write('bridle.yaml', 'version: 1\ndefault: allow\nrules: []\n');
      expect((await runChat(['-p', 'run echo hello'])).code).toBe(3);
    },
  );

  it(proves('D05')('holds a project under the policy of the user'), async () => {
    mkdirSync(join(folder, '.bridle'));
    write('.bridle/policy.yaml', 'version: 1\ndefault: allow\nrules: [{ forbid: run_command, reason: never here }]\n');
    write('mine.yaml', 'version: 1\nrules: [{ allow: run_command }]\n');
    const { code, stderr } = await runChat(['--policy', 'mine.yaml', '-p', 'run echo hello']);
    expect(code).toBe(3);
    expect(stderr).toContain('never here');
    expect((await runChat(['-p', 'run echo hello'])).code).toBe(3);
  });
});

describe('bridle chat without a terminal', { timeout: 60_000 }, () => {
  it('answers -p on stdout, plainly, and tells of calls on stderr', async () => {
    write('a.txt', 'what stands in a\n');
    const { code, stdout, stderr } = await runChat(['-p', 'read a.txt']);
    expect(code).toBe(0);
    expect(stdout).toContain('what stands in a');
    expect(stdout).not.toContain('allowed');
    expect(stderr).toMatch(/^✓ view_file a\.txt {2}\d+ ms\nturn 1 · 4 tokens · session cost \$0\.0001\n$/);
    expect(stdout + stderr).not.toContain('\u001B');
  });

  it('reads the prompt from stdin for -p -', async () => {
    write('a.txt', 'aaa\n');
    write('b.txt', 'bbb\n');
    const { code, stdout } = await runChat(['--json', '-p', '-'], 'read a.txt\nread b.txt\n');
    expect(code).toBe(0);
    expect(stdout).toMatch(/aaa[^]*bbb/);
    expect(eventsIn(stdout).filter(({ type }) => type === 'turn_started')).toHaveLength(1);
  });

  it('takes every line for a prompt, and commands too', async () => {
    write('a.txt', 'aaa\n');
    const { code, stdout, stderr } = await runChat(
      [],
      '\nread a.txt\r\n/policy\nhello\n/sessions\n/quit\nread a.txt\n',
    );
    expect(code).toBe(0);
    expect(stdout).toContain('safe_confirm (ask *)');
    expect(stdout).toContain('You said: hello');
    expect(stdout).toContain('2 turns  read a.txt');
    expect(stderr.match(/view_file/g)).toHaveLength(1);
  });

  it(proves('A23')('answers every question with no, and says so'), async () => {
    const { code, stdout, stderr } = await runChat([], 'run `touch ran.txt`\nask me which colour: red or blue\n');
    expect(code).toBe(3);
    expect(stderr).toContain(
      '✗ $ touch ran.txt  in ~\n  Denied run_command: it needs approval, and there is no interactive terminal to ask. To allow it, add a rule to the policy: - ',
    );
    expect(stderr).toContain('the question was unanswered');
    expect(stderr).toMatch(/This folder has no policy yet: npx bridle init writes one\.\n$/);
    expect(stdout).toContain('"outcome":"unanswered"');
    expect(existsSync(join(folder, 'ran.txt'))).toBe(false);
  });

  it(proves('A23')('denies what confirmRunCommand() would ask about'), async () => {
    write('policy.mjs', 'export default ({ confirmRunCommand }) => confirmRunCommand();');
    const { code } = await runChat(['--policy', 'policy.mjs', '-p', 'run `touch ran.txt`']);
    expect(code).toBe(3);
    expect(existsSync(join(folder, 'ran.txt'))).toBe(false);
  });

  it('says yes to questions about calls that change nothing, if told so, and to no others', async () => {
    write('a.txt', 'aaa\n');
    write('policy.mjs', "export default ({ ask }) => [ask('*', { name: 'ask_all' })];");
    const args = ['--policy', 'policy.mjs'];
    expect((await runChat([...args, '-p', 'read a.txt'])).code).toBe(3);
    const { code, stdout, stderr } = await runChat([...args, '--yes-to', 'observe', '-p', 'read a.txt']);
    expect(code).toBe(0);
    expect(stdout).toContain('aaa');
    expect(stderr).toContain('approved by --yes-to observe');
    expect((await runChat([...args, '--yes-to', 'observe', '-p', 'run `touch ran.txt`'])).code).toBe(3);
    expect(existsSync(join(folder, 'ran.txt'))).toBe(false);
  });

  it('goes on without the store that nobody has named, and says so; one that was named must be there', async () => {
    mkdirSync(join(folder, 'work'));
    write('work/.bridle', 'no folder');
    const args = ['--cwd', 'work', '-p', 'hello'];
    const unnamed = await runChat(args);
    expect(unnamed.code).toBe(0);
    expect(unnamed.stderr).toContain('nothing is recorded, because the store cannot be opened');
    storeNamed = join(folder, 'work/.bridle/store.db');
    const named = await runChat(args);
    expect(named).toMatchObject({ code: 2, stdout: '' });
    expect(named.stderr).toContain('.bridle');
  });

  it('writes nothing through a .bridle that is a link, and says what to do', async () => {
    mkdirSync(join(folder, 'elsewhere'));
    mkdirSync(join(folder, 'work'));
    symlinkSync('../elsewhere', join(folder, 'work/.bridle'));
    write('work/agent.mjs', `export default { model: '${promptModelName}' };`);
    const said = /work\/\.bridle is a symbolic link\..* Remove the link/s;
    const chat = await runChat(['--cwd', 'work', '-p', 'hello']);
    expect(chat.code).toBe(0);
    expect(chat.stderr).toMatch(/nothing is recorded/);
    expect(chat.stderr).toMatch(said);
    write('work/bridle.yaml', "version: 1\nrules: [{ allow: '*' }]\n");
    const call = { hook_event_name: 'PreToolUse', tool_name: 'Read', tool_input: { file_path: 'a.txt' } };
    const payload = { session_id: 's', cwd: join(folder, 'work'), transcript_path: 't', permission_mode: 'default' };
    startedIn = join(folder, 'work');
    const hook = await run(['hook', 'claude'], JSON.stringify({ ...payload, ...call }));
    expect(hook.stdout + hook.stderr).toMatch(said);
    expect(hook.stdout).toContain('"permissionDecision":"deny"');
    for (const args of [
      ['chat', '--model', promptModelName, '--store', '.bridle/store.db', '-p', 'hello'],
      ['runs', 'start', '--agent', 'agent.mjs', '--prompt', 'hello'],
      ['worker', '--agent', 'agent.mjs'],
    ]) {
      const { code, stderr } = await run(args);
      expect(code, args[0]).not.toBe(0);
      expect(stderr, args[0]).toMatch(said);
    }
    expect(readdirSync(join(folder, 'elsewhere'))).toEqual([]);
  });

  it('names file and line if a module of --agent, --hook or --policy cannot be loaded', async () => {
    write('broken.mjs', 'export default {\n  name: "x",\n  preTurn( { return 1; }\n};\n');
    write('imports.mjs', "import './broken.mjs';\nexport default {};\n");
    write('throws.mjs', 'const made = undefined;\nexport default made.hooks;\n');
    write('empty.mjs', 'export default 7;\n');
    for (const option of ['--agent', '--hook', '--policy']) {
      expect(await loadProblem(option, 'broken.mjs')).toMatch(/broken\.mjs cannot be .*broken\.mjs:3: Unexpected/);
      expect(await loadProblem(option, 'imports.mjs')).toMatch(/imports\.mjs cannot be .*broken\.mjs:3: Unexpected/);
      expect(await loadProblem(option, 'throws.mjs')).toMatch(/throws\.mjs:2: Cannot read prop/);
      expect(await loadProblem(option, 'empty.mjs')).toMatch(/exports a number/);
    }
  });

  it('works in the folder of --cwd, and keeps to it', async () => {
    const { code, stderr } = await runChat(['--cwd', '.', '-p', 'read /etc/passwd']);
    expect(code).toBe(3);
    expect(stderr).toContain('Denied view_file by rule "workspace_only": ');
  });

  it('goes on with a kept session, and says so', async () => {
    const args = ['--session', 'work', '--sessions', 'kept', '-p', 'hello'];
    expect((await runChat(args)).stderr).not.toContain('resumed');
    const { code, stdout, stderr } = await runChat(args);
    expect(code).toBe(0);
    expect(stderr).toContain('session work: resumed, 2 messages');
    expect(stdout).not.toContain('resumed,');
    const asJson = await runChat([...args, '--json']);
    expect(asJson.stderr).toBe('');
    expect(eventsIn(asJson.stdout)[0]).toMatchObject({ type: 'session_started', resumed: true });
  });

  it('takes exit for a prompt like any other', async () => {
    expect((await runChat([], 'exit\n')).stdout).toContain('You said: exit');
  });

  it('gives every event as JSON, and the result last', async () => {
    write('a.txt', 'aaa \u202E\u009B\n');
    const { code, stdout } = await runChat(['--json', '-p', 'read a.txt']);
    expect(code).toBe(0);
    const events = eventsIn(stdout);
    expect(events.map(({ type }) => type)).toEqual(
      expect.arrayContaining(['session_started', 'turn_started', 'tool_requested', 'tool_started', 'turn_ended']),
    );
    const { seq: _, ...last } = events.at(-1) ?? {};
    expect(last).toMatchObject({ type: 'result', stopReason: 'end', turn: 1 });
    expect(last['text']).toContain('aaa \u202E\u009B');
    const seqs = events.flatMap(({ seq }) => (typeof seq === 'number' ? [seq] : []));
    expect(seqs).toEqual(seqs.map((_, index) => index));
    expect(stdout).not.toMatch(/[\u202E\u009B]/);
  });

  it('gives a JSON result after each prompt, as soon as it is there', async () => {
    const { child, ended } = startChat('--json');
    let seen = '';
    child.stdout.on('data', (text: string) => (seen += text));
    child.stdin.write('hello\n');
    for (let round = 0; round < 300 && !seen.includes('"type":"result"'); round++) await delay(50);
    expect(seen).toContain('"type":"result"');
    child.stdin.end('run `true`\n');
    const { code, stdout } = await ended;
    expect(code).toBe(3);
    expect(eventsIn(stdout).filter(({ type }) => type === 'result')).toHaveLength(2);
  });

  it('says with 1 that a turn was stopped', async () => {
    write('a.txt', 'aaa\n');
    const { code, stderr } = await runChat(['--max-steps', '1', '-p', 'read a.txt']);
    expect(code).toBe(1);
    expect(stderr).toContain('the turn stopped: max_steps');
  });

  it('ends by itself though stdin stays open', async () => {
    const { ended } = startChat('-p', 'hello');
    expect((await ended).code).toBe(0);
  });

  it('says nothing when nobody reads on', async () => {
    write('policy.mjs', allowAll);
    const { child, ended } = startChat('--policy', 'policy.mjs', '-p', 'run `touch ran.txt; sleep 0.3` then list');
    child.stdout.destroy();
    const { code, stderr } = await ended;
    expect(code).toBe(141);
    expect(stderr).not.toContain('EPIPE');
    expect(stderr).not.toContain('    at ');
  });

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)('stops cleanly on %s', async (signal, expected) => {
    write('policy.mjs', allowAll);
    const { child, ended } = startChat('--json', '--policy', 'policy.mjs');
    child.stdin.write('run `echo $$ > shell.pid; sleep 300`\nrun `touch next.txt`\n');
    const pid = Number(await appears('shell.pid'));
    child.kill(signal);
    const { code, stdout } = await ended;
    expect(code).toBe(expected);
    expect(await isGone(pid)).toBe(true);
    expect(existsSync(join(folder, 'next.txt'))).toBe(false);
    const events = eventsIn(stdout);
    expect(events.map(({ type }) => type)).toContain('session_ended');
    expect(events.find(({ type }) => type === 'result')).toMatchObject({ stopReason: 'cancelled' });
  });

  it('does not wait at all for who asks twice', async () => {
    write('policy.mjs', allowAll);
    const { child, ended } = startChat('--policy', 'policy.mjs', '-p', 'run `trap "" TERM; echo $$ > p; sleep 300`');
    const pid = Number(await appears('p'));
    child.kill('SIGINT');
    child.kill('SIGINT');
    expect((await ended).code).toBe(130);
    expect(await isGone(pid)).toBe(true);
  });
});
