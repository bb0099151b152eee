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
import { join, resolve } from 'node:path';
import { PassThrough } from 'node:stream';
import type { JournalEntry } from 'bridle';
import { openStore } from 'bridle/store';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runCommandLine } from '../../src/cli/command-line.ts';
import type { Streams } from '../../src/terminal/output/streams.ts';
import { parsePolicyFile } from '../../src/policy-files/read/parse-policy-file.ts';
import { proves } from '../contract/cite.ts';
import { root } from '../source.ts';
import { main } from './policy-rig.ts';
import { noTerminals, Terminal } from './terminal-rig.ts';

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
    write('.claude/settings.json', '{}');
    const { code, stdout, stderr } = init();
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toBe(`Wrote bridle.yaml (preset balanced) for Node.js with npm, in a git repository.
  allows   reading and changing files in this folder, read-only commands, npm test
  asks     about other commands, the web, files that run things (manifests, CI), files outside this folder, MCP servers (github) and everything else
  forbids  secrets (.env, keys), changing .git or agent settings, deleting outside this folder, force pushes
  next     read it, then: npx bridle trust · npx bridle install claude · npx bridle chat --model anthropic/<id>
Warning: git does not ignore .env, so searches can show its content. The policy asks before each search.
`);
    expect(parsePolicyFile(policy(), 'bridle.yaml').default).toBe('ask');
  });

  it('says what a missing git repository costs', () => {
    const hint = 'Without a git repository, the policy asks about git commands.';
    expect(init().stdout).toContain(hint);
    write('.git/HEAD', '');
    expect(init({ force: true }).stdout).not.toContain(hint);
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
    const hinted = stdout.includes('no commands of the project were found: add yours to the rule "commands"');
    const names = parsePolicyFile(policy(), 'bridle.yaml').rules.map(({ name }) => name);
    expect(hinted).toBe(names.includes('commands'));
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
      .toContain(`The journal has 7 calls in this folder. With this policy: 4 allowed (57 %), 2 asked about (29 %), 1 denied (14 %).
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

describe('bridle init --try-history', () => {
  const home = mkdtempSync(join(tmpdir(), 'bridle-init-home-'));
  const token = 'ghp_abcdefghijklmnopqrstuvwxyz0123456789';
  writeFileSync(
    join(home, '.bash_history'),
    `npm test\nls\ngit push origin main\ngit push origin main\ncat .env\ncurl -H "Authorization: Bearer ${token}" https://example.com\n`,
  );
  afterAll(() => rmSync(home, { recursive: true, force: true }));

  const tried = `Your last 6 commands (~/.bash_history), as if an agent ran them here: 2 allowed (33 %), 3 asked about (50 %), 1 denied (17 %).
Asked about:
     2  git push origin  such as: git push origin main
     1  curl  such as: curl -H "Authorization: Bearer [masked:`;

  it('shows what the policy decides about the last commands, without secrets', () => {
    write('package.json', '{"scripts":{"test":"vitest"}}');
    const { code, stdout, stderr } = init({ 'try-history': true }, { HOME: home });
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain(`\n\n${tried}`);
    expect(stdout).toContain('Denied:\n     1  cat .env  (rule "secrets")\n');
    expect(stdout).not.toContain(token);
    const printed = init({ 'try-history': true, json: true, stdout: true }, { HOME: home }).stdout;
    expect(printed).not.toContain(token);
    expect(JSON.parse(printed)).toMatchObject({
      file: null,
      history: { sources: ['~/.bash_history'], calls: 6, decisions: { allow: 2, ask: 3, deny: 1 } },
    });
  });

  it('reads nothing without a terminal or the option, and nothing for agents', () => {
    expect(init({}, { HOME: home }).stdout).not.toContain('last');
    const { code, stderr } = init({ 'try-history': true, force: true }, { HOME: home, BRIDLE_AGENT: '1' });
    expect([code, stderr]).toEqual([2, expect.stringContaining('an agent started this process')]);
    expect(init({ 'try-history': true, force: true }, { HOME: folder }).stdout).toContain(
      'There are no commands to try: no history was found.',
    );
  });

  it.skipIf(noTerminals !== undefined)('asks at a terminal, and takes only yes for an answer', async () => {
    write('package.json', '{"scripts":{"test":"vitest"}}');
    for (const [answer, isTried] of [
      ['', false],
      ['y', true],
    ] as const) {
      const terminal = new Terminal({ cwd: folder, args: ['init', '--force'], env: { HOME: home } });
      const before = await terminal.see(
        'Try the policy on your last commands? This reads ~/.bash_history, and stores nothing. [y/N] ',
      );
      expect(before).toContain('Wrote bridle.yaml (preset balanced)');
      expect(before).not.toContain('git push origin');
      terminal.press(answer, '\r');
      expect(await terminal.ended).toBe(0);
      expect(terminal.text.includes('2 allowed (33 %)')).toBe(isTried);
      expect(terminal.text.match(/Wrote bridle\.yaml/g)).toHaveLength(1);
    }
  });
});

describe('bridle init --template', () => {
  it('writes a project, and says what to do next', () => {
    const { code, stdout, stderr } = init({ template: 'loop' });
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain('Wrote a guard around your own loop: package.json, ');
    // This Bridle is not installed by name, so the registry may not have it.
    expect(stdout).toMatch(/^Next: npm install .+, then npm start and npm test\./m);
    expect(stdout).toContain(resolve(root));
    expect(policy()).toContain('tests:');
    expect(init({ template: 'loop', json: true })).toMatchObject({
      code: 2,
      stdout: expect.stringContaining('already'),
    });
  });

  it('refuses other templates, options of the starter policy, and a policy of another name', () => {
    expect(init({ template: 'x' }).stderr).toContain('--template must be one of agent, loop, hono, ci-bot, nextjs');
    expect(init({ template: 'loop', preset: 'strict' }).stderr).toContain('--template brings its own policy');
    write('bridle.json', '{}');
    expect(init({ template: 'loop' }).stderr).toContain('bridle.json already exists');
    expect(existsSync(join(folder, 'package.json'))).toBe(false);
  });
});
