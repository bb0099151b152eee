/** The wrapper as hosts run it: real shells, real processes, and every way in which a handler can fail to answer. */

import { spawn } from 'node:child_process';
import {
  chmodSync,
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
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { proves } from '../../../test/contract/cite.ts';
import { someOf } from '../../../test/property-runs.ts';
import { shellQuote } from '../settings/shell-quote.ts';
import { type WrapperOptions, wrapperScript } from './wrapper.ts';

/** Quotes, spaces and a dollar sign must not matter. */
const top = join(mkdtempSync(join(tmpdir(), 'bridle-wrapper-')), `it's "a" $HOME`);
mkdirSync(top, { recursive: true });
afterAll(() => rmSync(join(top, '..'), { recursive: true, force: true }));

/** Shells that a system may have as /bin/sh, started under that name. */
const shells = ['dash', 'bash', 'busybox', 'zsh'].flatMap((name) => {
  const program = ['/bin', '/usr/bin', '/usr/local/bin']
    .map((folder) => join(folder, name))
    .find((path) => existsSync(path));
  if (program === undefined) return [];
  mkdirSync(join(top, name));
  symlinkSync(program, join(top, name, 'sh'));
  return [{ name, path: join(top, name, 'sh') }];
});

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface Start {
  readonly shell: string;
  readonly options?: Partial<WrapperOptions>;
  readonly args?: readonly string[];
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
}

let count = 0;

/** Writes the handler and its wrapper. */
function prepare(handler: string, options: Partial<WrapperOptions> = {}): string {
  const folder = join(top, `run-${(count += 1)}`);
  mkdirSync(folder);
  const script = join(folder, 'handler file.cjs');
  writeFileSync(script, handler);
  const wrapper = join(folder, 'hook');
  const all: WrapperOptions = {
    host: 'claude',
    node: process.execPath,
    handler: script,
    sleep: '/bin/sleep',
    limitSeconds: 60,
    observe: false,
    hostVersion: '2.1.325',
    home: undefined,
    ...options,
  };
  writeFileSync(wrapper, wrapperScript(all));
  chmodSync(wrapper, 0o700);
  return wrapper;
}

function start(handler: string, { shell, options, args = [], input = '{}', env = {} }: Start): Promise<Ended> {
  const wrapper = prepare(handler, options);
  return new Promise((resolve, reject) => {
    const { NODE_OPTIONS: _, ...own } = process.env;
    const child = spawn(shell, [wrapper, ...args], { env: { ...own, ...env }, cwd: top });
    let [stdout, stderr] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    child.on('error', reject).on('close', (code) => resolve({ code, stdout, stderr }));
    child.stdin.on('error', () => undefined).end(input);
  });
}

const say = (text: string): string => `process.stdout.write(${JSON.stringify(text)});`;

/** Each one lets a call run in some host if the wrapper does not catch it. */
const faults: Readonly<Record<string, readonly [handler: string, why: RegExp, options?: Partial<WrapperOptions>]>> = {
  'exits with 1': ['process.exit(1)', /exit code 1\)/],
  'exits with 3 after an answer': [`${say('{}\n')} process.exitCode = 3`, /exit code 3\)/],
  'exits with 127': ['process.exit(127)', /could not be started/],
  throws: ['throw new Error("broken")', /broken[^]*exit code 1\)/],
  'is killed by SIGKILL': ['process.kill(process.pid, "SIGKILL")', /exit code \d+\)/],
  'is killed by SIGTERM': ['process.kill(process.pid, "SIGTERM")', /exit code \d+\)/],
  aborts: ['process.abort()', /exit code \d+\)/],
  'says nothing': ['', /no complete answer/],
  'says only a line break': [say('\n'), /no complete answer/],
  'says text': [say('allow\n'), /no complete answer/],
  'says a log line before the answer': [say('starting\n{}\n'), /no complete answer|more than one line/],
  'says something after the answer': [say('{}\ndone\n'), /more than one line|no complete answer/],
  'answers twice': [say('{}\n{}\n'), /more than one line/],
  'tears the answer': [say('{"decision":"den'), /no complete answer/],
  'tears the answer after a bracket': [say('{"a":{}'), /no complete answer/],
  'forgets the line break': [say('{}'), /no complete answer/],
  'answers with a list': [say('[{}]\n'), /no complete answer/],
  'answers with a string': [say('"{}"\n'), /no complete answer/],
  'answers too much': [say('').replace('""', '`{"a":"${"x".repeat(17 * 1024 * 1024)}"}\\n`'), /too long/],
  'blocks, and answers as well': [`${say('{}\n')} process.exitCode = 2`, /^Bridle blocked this call\.\n$/],
  'blocks without a reason': ['process.exitCode = 2', /^Bridle blocked this call\.\n$/],
  hangs: ['setInterval(() => 0, 1000)', /did not answer in 1 seconds/, { limitSeconds: 1 }],
  'answers and hangs': [`${say('{}\n')} setInterval(() => 0, 1000)`, /did not answer/, { limitSeconds: 1 }],
  'leaves a process with its output behind': [
    `require('node:child_process').spawn(process.execPath, ['-e', 'setTimeout(() => 0, 6000)'], { stdio: ['ignore', 'inherit', 'ignore'], detached: true }).unref(); ${say('{}\n')}`,
    /did not answer/,
    { limitSeconds: 1 },
  ],
  'does not exist': ['', /there is no file/, { handler: '/nowhere/hook.cjs' }],
  'has no node': ['', /there is no program/, { node: '/nowhere/node' }],
  'has a node that is a folder': ['', /Bridle blocked this call: \//, { node: '/' }],
  'has no sleep': ['setTimeout(() => 0, 3000)', /did not answer/, { sleep: '/nowhere/sleep' }],
};

describe.each(someOf(shells, 1))('the wrapper in $name', ({ path: shell }) => {
  it.concurrent.each(Object.entries(faults))(
    proves('C02', 'C07')('blocks if the handler %s'),
    async (_, [handler, why, options]) => {
      const { code, stdout, stderr } = await start(handler, { shell, ...(options === undefined ? {} : { options }) });
      expect({ code, stdout }, stderr).toEqual({ code: 2, stdout: '' });
      expect(stderr).toMatch(why);
    },
  );

  it(proves('C02')('passes an answer, byte by byte, and what the handler wrote to stderr'), async () => {
    const answer = `{"a":"${'é\\\\n%s$(id)`id`\\u0000 '.repeat(1000)}"}\n`;
    const ended = await start(`process.stderr.write('note'); ${say(answer)}`, { shell });
    expect(ended).toEqual({ code: 0, stdout: answer, stderr: 'note' });
  });

  it('passes a large input and a large answer', async () => {
    const input = `{"text":"${'x'.repeat(3_000_000)}"}\n`;
    const echo = 'process.stdin.pipe(process.stdout)';
    expect(await start(echo, { shell, input })).toEqual({ code: 0, stdout: input, stderr: '' });
  });

  it(proves('C02')('passes the reason of a block'), async () => {
    const { code, stdout, stderr } = await start(`process.stderr.write('no policy\\n'); process.exit(2)`, { shell });
    expect({ code, stdout, stderr }).toEqual({ code: 2, stdout: '', stderr: 'no policy\nBridle blocked this call.\n' });
  });

  it('gives the handler its arguments, and an environment that cannot make node run other code', async () => {
    const evil = join(top, 'evil.cjs');
    writeFileSync(evil, `process.stdout.write('{"evil":true}\\n'); process.exit(0)`);
    const shown = `const { BRIDLE_HOME, BRIDLE_STORE, NODE_OPTIONS, NODE_PATH, BASH_ENV, CDPATH } = process.env;
      console.log(JSON.stringify([...process.argv.slice(2), BRIDLE_HOME, BRIDLE_STORE, NODE_OPTIONS, NODE_PATH, BASH_ENV, CDPATH]).replace(/.*/, '{"a":$&}'))`;
    const { stdout, stderr } = await start(shown, {
      shell,
      options: { host: 'codex', observe: true, hostVersion: "1'2", home: "/h o'me" },
      env: {
        NODE_OPTIONS: `--require ${JSON.stringify(evil)}`,
        NODE_PATH: top,
        BRIDLE_HOME: '/evil',
        BRIDLE_STORE: '/evil',
        BASH_ENV: evil,
        CDPATH: '/usr',
        ENV: evil,
        'BASH_FUNC_printf%%': '() { echo "{}"; }',
        'BASH_FUNC_wait%%': '() { exit 0; }',
      },
    });
    const args = ['--host', 'codex', '--limit', '60', '--home', "/h o'me", '--observe', '--installed', "1'2"];
    expect(JSON.parse(stdout), stderr).toEqual({ a: [...args, null, null, null, null, evil, '/usr'] });
  });

  it('ends the handler that it gave up on', async () => {
    const mark = join(top, `alive-${(count += 1)}`);
    const beat = `setInterval(() => require('node:fs').writeFileSync(${JSON.stringify(mark)}, String(process.pid)), 20)`;
    expect((await start(beat, { shell, options: { limitSeconds: 1 } })).code).toBe(2);
    const pid = Number(readFileSync(mark, 'utf8'));
    for (let tries = 0; isAlive(pid) && tries < 200; tries += 1) await sleep(20);
    expect(isAlive(pid)).toBe(false);
  });

  it('leaves no timer behind', async () => {
    const seconds = 4000 + Math.floor(Math.random() * 9e6);
    await start(say('{}\n'), { shell, options: { limitSeconds: seconds + 2 } });
    const isRunning = (): boolean => commandLines().some((line) => line.includes(`sleep\0${seconds}`));
    for (let tries = 0; isRunning() && tries < 200; tries += 1) await sleep(20);
    expect(isRunning()).toBe(false);
  });

  it('is not stopped by SIGTERM without a verdict', async () => {
    const wrapper = prepare('setTimeout(() => 0, 2000)');
    const child = spawn(shell, [wrapper], { stdio: ['ignore', 'pipe', 'pipe'] });
    await sleep(500);
    child.kill('SIGTERM');
    expect(await new Promise((resolve) => child.on('exit', resolve))).toBe(2);
  });

  it(proves('C07')('never blocks if it only observes'), async () => {
    const { code, stdout, stderr } = await start('process.exit(1)', { shell, options: { observe: true } });
    expect({ code, stdout }).toEqual({ code: 0, stdout: '{}\n' });
    expect(stderr).toContain('only observes');
  });

  it('fails without blocking for events that no call waits for', async () => {
    const { code, stdout, stderr } = await start('process.exit(2)', { shell, args: ['note'] });
    expect({ code, stdout, stderr }).toEqual({ code: 1, stdout: '', stderr: 'Bridle could not handle this event.\n' });
    expect(await start(say('{}\n'), { shell, args: ['note'] })).toMatchObject({ code: 0, stdout: '{}\n' });
  });
});

describe('shellQuote', () => {
  it('keeps any text one word', async () => {
    const texts = fc.array(
      fc.string({ unit: 'binary' }).map((text) => text.replaceAll('\0', '')),
      { maxLength: 20 },
    );
    await fc.assert(
      fc.asyncProperty(texts, async (words) => {
        const script = `for word in ${words.map(shellQuote).join(' ')}; do printf '%s\\0' "$word"; done`;
        const child = spawn('/bin/sh', ['-c', script]);
        let output = Buffer.alloc(0);
        child.stdout.on('data', (bytes: Buffer) => (output = Buffer.concat([output, bytes])));
        await new Promise((resolve) => child.on('close', resolve));
        expect(output).toEqual(Buffer.from(words.map((word) => `${word}\0`).join('')));
      }),
      { numRuns: 30 },
    );
  });
});

function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

/** The command lines of all processes, where the system shows them. */
function commandLines(): readonly string[] {
  if (!existsSync('/proc/self/cmdline')) return [];
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      return [readFileSync(`/proc/${name}/cmdline`, 'utf8')];
    } catch {
      return [];
    }
  });
}
