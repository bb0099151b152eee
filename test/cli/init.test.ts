/** `bridle init`, as it is typed. */

import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import type { JournalEntry } from 'bridle';
import { openStore } from 'bridle/store';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runCommandLine } from '../../src/cli/command-line.ts';
import type { Streams } from '../../src/terminal/output/streams.ts';
import { parsePolicyFile } from '../../src/policy-files/read/parse-policy-file.ts';
import { proves } from '../contract/cite.ts';
import { main } from './policy-rig.ts';

let folder: string;

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'bridle-init-cli-')));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

function write(name: string, text: string): void {
  mkdirSync(join(folder, name, '..'), { recursive: true });
  writeFileSync(join(folder, name), text);
}

interface Said {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the command with these options: `{ preset: 'strict', stdout: true }` is `--preset strict --stdout`. */
function init(options: Readonly<Record<string, string | true>> = {}, env: NodeJS.ProcessEnv = {}): Said {
  const given: Readonly<Record<string, string | true>> = { cwd: folder, ...options };
  const flags = Object.entries(given).map(([name, value]) => (value === true ? `--${name}` : `--${name}=${value}`));
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, 'init', ...flags], {
    encoding: 'utf8',
    env: { ...process.env, ...env },
  });
  return { code: status ?? -1, stdout, stderr };
}

function silentStreams(): Streams {
  return { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() } as unknown as Streams;
}

function policy(): string {
  return readFileSync(join(folder, 'bridle.yaml'), 'utf8');
}

describe('bridle init', () => {
  it(proves('D10')('writes a policy, and says what it found and what to do next'), () => {
    write('package.json', '{"scripts":{"test":"vitest"}}');
    write('.git/HEAD', '');
    write('.mcp.json', '{"mcpServers":{"github":{}}}');
    write('.env', '');
    const { code, stdout, stderr } = init();
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain('Wrote bridle.yaml (preset balanced).');
    expect(stdout).toContain('  Node.js, with npm\n  commands: npm test, npm t, npm run test\n  a git repository\n');
    expect(stdout).toContain('MCP servers in .mcp.json: github');
    expect(stdout).toContain('git does not ignore .env');
    for (const next of ['bridle test', 'bridle lint', 'bridle trust', 'bridle chat'])
      expect(stdout).toContain(`  ${next} `);
    expect(parsePolicyFile(policy(), 'bridle.yaml').default).toBe('ask');
  });

  it.each(['strict', 'balanced', 'trusting'])('takes the preset %s', (preset) => {
    expect(init({ preset }).code).toBe(0);
    expect(policy()).toContain(`(preset ${preset})`);
  });

  it(proves('D10')('overwrites nothing unless it is told to'), () => {
    write('bridle.yaml', 'mine');
    const { code, stdout, stderr } = init();
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('bridle.yaml already exists; use --force');
    expect(policy()).toBe('mine');
    expect(init({ force: true }).code).toBe(0);
    expect(policy()).toContain('version: 1');
  });

  it('writes through no link, forced or not', () => {
    write('elsewhere/theirs.yaml', 'theirs');
    symlinkSync('elsewhere/theirs.yaml', join(folder, 'bridle.yaml'));
    expect([init().code, init({ force: true }).code]).toEqual([2, 2]);
    expect(policy()).toBe('theirs');
  });

  it('does not step before a policy of another name', () => {
    write('bridle.json', '{}');
    const { code, stderr } = init();
    expect(code).toBe(2);
    expect(stderr).toContain('bridle.json already exists');
    expect(existsSync(join(folder, 'bridle.yaml'))).toBe(false);
    expect(init({ stdout: true }).code).toBe(0);
    expect(init({ force: true }).code).toBe(0);
  });

  it('prints and writes nothing with --stdout', () => {
    const { code, stdout } = init({ stdout: true, preset: 'strict' });
    expect(code).toBe(0);
    expect(existsSync(join(folder, 'bridle.yaml'))).toBe(false);
    expect(parsePolicyFile(stdout, 'bridle.yaml').rules.length).toBeGreaterThan(3);
  });

  it.each(['strict', 'balanced', 'trusting'])('names no rule that is not in the policy: %s', (preset) => {
    const { stdout } = init({ preset });
    const hinted = stdout.includes('no commands to test, build or check it: add yours to the rule "commands"');
    const names = parsePolicyFile(policy(), 'bridle.yaml').rules.map(({ name }) => name);
    expect(hinted).toBe(names.includes('commands'));
    expect(stdout).toContain('no commands to test, build or check it');
  });

  it('answers in JSON', () => {
    write('Cargo.toml', '');
    const answer = JSON.parse(init({ json: true }).stdout) as Record<string, unknown>;
    expect(answer).toMatchObject({
      file: join(folder, 'bridle.yaml'),
      preset: 'balanced',
      found: { languages: ['Rust'], managers: ['cargo'], git: false, mcp: [] },
      notes: [],
    });
    const again = init({ json: true });
    expect(again.code).toBe(2);
    expect(JSON.parse(again.stdout)).toMatchObject({ code: 'POLICY_FILE' });
    const printed = JSON.parse(init({ json: true, stdout: true }).stdout) as Record<string, unknown>;
    expect(printed).toMatchObject({ file: null, policy: policy() });
  });

  it('refuses presets and folders that do not exist', () => {
    expect(init({ preset: 'lax' })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('strict, balanced, trusting'),
    });
    expect(init({ cwd: join(folder, 'missing') })).toMatchObject({ code: 2, stderr: expect.stringContaining('--cwd') });
    write('file', '');
    expect(init({ cwd: join(folder, 'file') })).toMatchObject({ code: 2, stderr: expect.stringContaining('--cwd') });
  });

  it('prints nothing a terminal obeys, whatever files are called', () => {
    write('.mcp.json', JSON.stringify({ mcpServers: { '\u001b[2J\u202Eevil': {} } }));
    const { code, stdout } = init();
    expect(code).toBe(0);
    expect(stdout).toContain('Left out: the server');
    expect(stdout).not.toContain('\u001b');
    expect(stdout).not.toContain('\u202E');
  });

  it('is a command of the command line', async () => {
    const streams = silentStreams();
    // Beside the folder: one that holds the keys could not be searched.
    const surroundings = { version: '0.0.0', env: { BRIDLE_HOME: `${folder}-home` } };
    expect(await runCommandLine(['init', '--cwd', folder, '--preset', 'strict'], streams, surroundings)).toBe(0);
    expect(policy()).toContain('(preset strict)');
    expect(await runCommandLine(['test', '--cwd', folder], streams, surroundings)).toBe(0);
    expect(await runCommandLine(['lint', '--cwd', folder], streams, surroundings)).toBe(0);
  });
});

describe('bridle init --from-journal', () => {
  const outside = mkdtempSync(join(tmpdir(), 'bridle-init-store-'));
  afterAll(() => rmSync(outside, { recursive: true, force: true }));

  let stores = 0;
  async function record(calls: readonly (readonly [tool: string, args: object, cwd?: string])[]): Promise<string> {
    const at = join(outside, `store-${stores++}.db`);
    const store = await openStore({ at, keys: join(outside, 'keys') });
    for (const [index, [tool, args, cwd = folder]] of calls.entries()) {
      const head = { v: 1, at: 0, session: 's', turn: 1, step: 0, agent: ['main'], policy: 'p', cwd } as const;
      const call = { call: `c${index}`, tool, tier: 'confirm', requested: args, args, status: 'asked' } as const;
      await store.journal.append({ ...head, ...call, kind: 'decided' } as JournalEntry);
    }
    await store.close();
    return at;
  }

  function propose(options: Readonly<Record<string, string | true>>, env: NodeJS.ProcessEnv = {}): Said {
    return init({ 'from-journal': true, ...options }, { BRIDLE_HOME: outside, ...env });
  }

  const calls = [
    ...Array.from({ length: 3 }, () => ['run_command', { command_line: 'hexdump a.bin' }] as const),
    ...Array.from({ length: 2 }, () => ['run_command', { command_line: 'npm run gen' }] as const),
    ['view_file', { file_path: '.env' }] as const,
    ['view_file', { file_path: 'README.md' }] as const,
    ['view_file', { file_path: 'a' }, '/elsewhere'] as const,
  ];

  it(proves('D10')('proposes a policy, and shows what it would have asked about and denied'), async () => {
    write('.env', '');
    write('.gitignore', '.env\n');
    const store = await record(calls);
    const { code, stdout, stderr } = propose({ store });
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout)
      .toContain(`The journal has 7 calls in this folder. With this policy: 4 allowed, 2 asked about, 1 denied.
Not counted: 1 in other folders.
Added to the rule "commands": hexdump
Asked about:
     2  run_command: npm run gen
Denied:
     1  view_file .env  (rule "secrets")
`);
    expect(policy()).toContain('"hexdump"');
    expect(policy()).toContain(
      '#      2  run_command: npm run gen  (to allow it, add "npm run gen" to the rule "commands")\n',
    );
    expect(propose({ store })).toMatchObject({ code: 2, stdout: '' });
    expect(propose({ store, force: true }).code).toBe(0);
  });

  it(proves('D10')('prints the policy with --stdout, and the rest to stderr or as JSON'), async () => {
    const store = await record(calls);
    const printed = propose({ store, stdout: true });
    expect(printed.code).toBe(0);
    expect(parsePolicyFile(printed.stdout, 'bridle.yaml').rules.length).toBeGreaterThan(3);
    expect(printed.stderr).toContain('The journal has 7 calls in this folder.');
    expect(existsSync(join(folder, 'bridle.yaml'))).toBe(false);
    const { journal } = JSON.parse(propose({ store, json: true }).stdout) as { journal: object };
    expect(journal).toMatchObject({ calls: 7, inOtherFolders: 1, commands: ['hexdump'] });
  });

  it('needs recorded calls, a store that exists, and a person', async () => {
    expect(init({ store: 'x' })).toMatchObject({ code: 2, stderr: expect.stringContaining('need --from-journal') });
    const missing = propose({ store: join(outside, 'missing.db') });
    expect(missing.code).toBe(2);
    const store = await record([['view_file', { file_path: 'a' }, '/elsewhere']]);
    const { code, stderr } = propose({ store });
    expect(code).toBe(2);
    expect(stderr).toContain(`no calls in ${folder} (it has 1 call in other folders)`);
    expect(propose({ store }, { BRIDLE_AGENT: '1' }).stderr).toContain('an agent started this process');
    expect(existsSync(join(folder, 'bridle.yaml'))).toBe(false);
  });
});
