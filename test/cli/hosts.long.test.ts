/** `bridle install`, `uninstall` and `doctor` as people run them. */

import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
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
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createApproverKey } from '../../src/store/keys/approver-keys.ts';
import { proves } from '../contract/cite.ts';
import { main } from './policy-rig.ts';
import { noTerminals, Terminal } from './terminal-rig.ts';

const agentVariables = ['CLAUDECODE', 'CODEX_CI', 'CODEX_SESSION_ID', 'GEMINI_CLI', 'COPILOT_CLI', 'OPENCODE'];

let top: string;

beforeEach(() => {
  top = mkdtempSync(join(tmpdir(), 'bridle hosts-'));
  for (const folder of ['home', 'project', 'bin']) mkdirSync(join(top, folder));
});
afterEach(() => rmSync(top, { recursive: true, force: true }));

function write(path: string, text: string, mode = 0o644): string {
  const file = join(top, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  chmodSync(file, mode);
  return file;
}

function bridle(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...args], {
    cwd: join(top, 'project'),
    encoding: 'utf8',
    env: { HOME: join(top, 'home'), PATH: `${join(top, 'bin')}:/usr/bin:/bin`, ...env },
  });
  return { code: status, stdout, stderr };
}

/** A project with a trusted policy, and a person who can answer. */
function preparePolicy(): void {
  write('project/bridle.yaml', 'version: 1\ndefault: ask\nrules: []\n');
  bridle(['trust', '--yes']);
  createApproverKey({ folder: join(top, 'home/.bridle/keys'), name: 'ann' });
}

function filesIn(folder: string): readonly string[] {
  return readdirSync(join(top, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(top.length + 1));
}

function foldersIn(folder: string): readonly string[] {
  return readdirSync(join(top, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name));
}

describe('bridle install', () => {
  it(proves('C07')('shows the diff with --dry-run, and changes nothing'), () => {
    write('home/.claude/settings.json', '{\n  "model": "opus"\n}\n');
    const { code, stdout } = bridle(['install', 'claude', '--dry-run']);
    expect(code, stdout).toBe(0);
    expect(stdout).toContain('claude is not on PATH');
    expect(stdout).toMatch(/^-\s+"model": "opus"$/m);
    expect(stdout).toMatch(/^\+.*"onFailure": "block"$/m);
    expect(stdout).toContain('Only the managed level does.');
    expect(filesIn('home')).toEqual(['home/.claude/settings.json']);
  });

  it(proves('C07')('installs, says where the backup is and what comes next, and does nothing the second time'), () => {
    write('bin/claude', '#!/bin/sh\necho "2.1.325 (Claude Code)"\n', 0o755);
    const settings = write('home/.claude/settings.json', '{\n  // mine\n  "model": "opus"\n}\n');
    const before = readFileSync(settings, 'utf8');
    const { code, stdout } = bridle(['install', 'claude', '--yes']);
    expect(code, stdout).toBe(0);
    expect(stdout).toMatch(/version 2\.1\.325[^]*installed at the user level[^]*backup[^]*bridle init[^]*bridle trust/);
    const [, backup = ''] = /backup of the settings file: (.*)/.exec(stdout) ?? [];
    expect(readFileSync(backup, 'utf8')).toBe(before);
    const after = readFileSync(settings, 'utf8');
    expect(after).toContain('// mine');
    const again = bridle(['install', 'claude', '--yes']);
    expect(again.stdout).toContain('already installed');
    expect(readFileSync(settings, 'utf8')).toBe(after);
    expect(bridle(['uninstall', 'claude', '--yes']).code).toBe(0);
    expect(readFileSync(settings, 'utf8')).toBe(before);
    expect(filesIn('home')).toEqual(['home/.claude/settings.json']);
    expect(bridle(['uninstall', 'claude', '--yes']).code).toBe(1);
  });

  it(proves('C02', 'C07')('installs a hook that blocks a payload that it cannot read, without the package'), () => {
    expect(bridle(['install', 'claude', '--yes']).code).toBe(0);
    const hook = join(top, 'home/.bridle/hosts/claude/hook');
    for (const input of ['', '{', '{}', '{"tool_name":"Bash"}']) {
      const ended = spawnSync(hook, ['gate'], { input, encoding: 'utf8', cwd: '/', env: { HOME: join(top, 'home') } });
      expect({ code: ended.status, stdout: ended.stdout }, ended.stderr).toEqual({ code: 2, stdout: '' });
      expect(ended.stderr).toMatch(/Bridle: [^]*Bridle blocked this call\.\n$/);
    }
  });

  it('refuses to change files without a terminal or --yes, wrong usage, and files with mistakes', () => {
    expect(bridle(['install', 'claude'])).toMatchObject({ code: 2, stdout: '' });
    expect(bridle(['install']).stderr).toContain('name a coding agent: claude, codex, gemini, copilot or opencode');
    expect(bridle(['install', 'cursor']).stderr).toContain('use claude, codex, gemini, copilot, opencode');
    expect(bridle(['install', 'claude', '--level', 'all']).stderr).toContain('use user, project, managed');
    expect(bridle(['install', 'claude', '--limit', '3']).stderr).toContain('--limit must be');
    expect(bridle(['install', 'opencode', '--level', 'managed']).stderr).toContain('no managed level');
    write('home/.claude/settings.json', '{\n  "model" "opus"\n}\n');
    const { code, stderr } = bridle(['install', 'claude', '--yes']);
    expect(code).toBe(2);
    expect(stderr).toContain('settings.json:2:11: this is not valid JSON: expected a colon\n  2 |   "model" "opus"\n');
    expect(filesIn('home')).toEqual(['home/.claude/settings.json']);
  });

  it.skipIf(noTerminals !== undefined)('says before the question what is blocked, and does not repeat it', async () => {
    const env = { HOME: join(top, 'home') };
    const terminal = new Terminal({ cwd: join(top, 'project'), args: ['install', 'claude'], env });
    const before = await terminal.see('Install the hook of claude? [y/N] ');
    expect(before).toContain('Note: In folders without a policy, every tool call is blocked');
    terminal.press('y', '\r');
    expect(await terminal.ended).toBe(0);
    expect(terminal.text).toContain('npx bridle uninstall claude');
    expect(terminal.text.match(/every tool call is blocked/g)).toHaveLength(1);
  });

  it(proves('C07')('shows a screenful of a long change, and all of it on request'), () => {
    const long = bridle(['install', 'claude', '--dry-run']).stdout.split('\n');
    const { stdout } = bridle(['install', 'claude', '--yes']);
    expect(stdout.split('\n').length).toBeLessThan(45);
    expect(stdout).toMatch(
      /… \d+ more lines: \d+ lines are added and \d+ removed \(all of them: --dry-run or --verbose\)/,
    );
    expect(long.length).toBeGreaterThan(100);
    bridle(['uninstall', 'claude', '--yes']);
    expect(bridle(['install', 'claude', '--yes', '--verbose']).stdout.split('\n').length).toBeGreaterThan(100);
  });

  it(proves('C03', 'C07')('says where questions are answered if the prompt of the version was not measured'), () => {
    write('bin/claude', '#!/bin/sh\necho "9.9.9 (Claude Code)"\n', 0o755);
    const { stdout } = bridle(['install', 'claude', '--yes']);
    expect(stdout).toContain('so it does not rely on its prompt: answer questions with npx bridle approvals');
    expect(stdout).toContain('bridle approvals key <name>');
  });

  it(proves('C07')('removes the folders it has created, names linked folders, and refuses links to nowhere'), () => {
    const before = foldersIn('project');
    for (const host of ['copilot', 'opencode']) {
      expect(bridle(['install', host, '--level', 'project', '--yes']).code).toBe(0);
      expect(bridle(['uninstall', host, '--yes']).code).toBe(0);
    }
    expect(foldersIn('project')).toEqual(before);
    mkdirSync(join(top, 'elsewhere'), { recursive: true });
    mkdirSync(join(top, 'project/.github'), { recursive: true });
    symlinkSync(join(top, 'elsewhere'), join(top, 'project/.github/hooks'));
    const linked = bridle(['install', 'copilot', '--level', 'project', '--yes']);
    expect(linked.stdout).toContain(`leads to ${join(top, 'elsewhere/bridle.json')} through a link`);
    expect(bridle(['uninstall', 'copilot', '--yes']).code).toBe(0);
    expect(readdirSync(join(top, 'elsewhere'))).toEqual([]);
    symlinkSync(join(top, 'nowhere'), join(top, 'project/.opencode'));
    const dangling = bridle(['install', 'opencode', '--level', 'project', '--yes']);
    expect(dangling.code).toBe(2);
    expect(dangling.stderr).toMatch(
      /\.opencode is a link to a folder that does not exist: create the folder, or remove/,
    );
    expect(bridle(['doctor']).stderr).toBe('');
  });

  it('refuses the managed level with a node that only its owner can run', () => {
    const node = join(top, 'bin/node');
    copyFileSync(process.execPath, node);
    // The folder of the test is only for its owner.
    const { status, stderr } = spawnSync(
      '/bin/sh',
      ['-c', `"$0" "$1" install claude --level managed --dry-run`, node, main],
      {
        encoding: 'utf8',
        env: { HOME: join(top, 'home'), PATH: '/usr/bin:/bin' },
      },
    );
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr: expect.stringContaining('other users cannot run') as string,
    });
  });

  it.each(agentVariables)(proves('C08', 'Q06')('refuses agents, by the variable %s'), (variable) => {
    for (const command of [['install', 'claude'], ['uninstall', 'claude'], ['trust'], ['approvals', 'key', 'me']]) {
      const { code, stderr } = bridle([...command, '--yes'].slice(0, command[0] === 'approvals' ? 3 : 4), {
        [variable]: '1',
      });
      expect([2, 3]).toContain(code);
      expect(stderr).toMatch(
        /only a person may do this, not an agent: (Claude Code|Codex CLI|Gemini CLI|Copilot CLI|opencode)/,
      );
    }
  });

  it(proves('Q06')('refuses agents that clear their environment'), () => {
    const script = `env -i HOME="$HOME" PATH="$PATH" "${process.execPath}" "${main}" install claude --yes; echo "$?"`;
    const { stdout } = spawnSync('/bin/sh', ['-c', script], {
      encoding: 'utf8',
      env: { HOME: join(top, 'home'), PATH: '/usr/bin:/bin', CLAUDECODE: '1' },
    });
    expect(stdout).toBe(process.platform === 'linux' ? '2\n' : stdout);
  });

  it(proves('C07')('trusts the hook in Codex, and forgets that with the hook'), () => {
    write('bin/codex', `#!${process.execPath}\n${standInForCodex}`, 0o755);
    const config = write('home/.codex/config.toml', 'model = "gpt-5.5"\n');
    const { code, stdout } = bridle(['install', 'codex', '--yes']);
    expect(code, stdout).toBe(0);
    expect(stdout).toContain('Codex trusts the hook.');
    expect(readFileSync(config, 'utf8')).toContain('hooks.json:pre_tool_use:0:0');
    preparePolicy();
    expect(bridle(['doctor']).code).toBe(0);
    // A change by a person stays.
    writeFileSync(config, `${readFileSync(config, 'utf8')}\n[mine]\nkept = true\n`);
    expect(bridle(['uninstall', 'codex', '--yes']).code).toBe(0);
    expect(readFileSync(config, 'utf8')).toBe('model = "gpt-5.5"\n\n[mine]\nkept = true\n');
    expect(existsSync(join(top, 'home/.codex/hooks.json'))).toBe(false);
  });

  it(proves('C07')('says that Codex skips the hook if it cannot be trusted'), () => {
    const { code, stdout } = bridle(['install', 'codex', '--yes']);
    expect(code).toBe(1);
    expect(stdout).toContain('it is not trusted');
  });
});

describe('commands for people', () => {
  it(proves('Q06')('refuse a process that a coding agent started with an empty environment, and no other'), () => {
    write('project/bridle.yaml', 'version: 1\ndefault: ask\nrules: []\n');
    const start = `const { spawnSync } = require('node:child_process');
      const options = { env: { HOME: process.env.HOME }, encoding: 'utf8' };
      const { status, stderr } = spawnSync(process.execPath, [${JSON.stringify(main)}, 'trust', '--yes'], options);
      process.stdout.write(JSON.stringify({ status, stderr }));`;
    const run = (file: string): { status: number; stderr: string } => {
      const place = { cwd: join(top, 'project'), env: { HOME: join(top, 'home') }, encoding: 'utf8' } as const;
      const { stdout } = spawnSync(process.execPath, [write(file, start), 'docs/codex'], place);
      return JSON.parse(stdout) as { status: number; stderr: string };
    };
    expect(run('bin/codex.js')).toMatchObject({ status: 2 });
    expect(run('bin/codex.js').stderr).toContain('is a coding agent');
    expect(run('bin/other.js')).toMatchObject({ status: 0 });
  });
});

describe('bridle uninstall', () => {
  it.each([
    ['the whole file', () => '{"model": "sonnet", "permissions": {"deny": ["Read(./secrets/**)"]}}\n'],
    ['a value', (text: string) => text.replace('opus', 'sonnet')],
  ])(proves('C07')('keeps what a person changed between two installations: %s'), (_what, change) => {
    const settings = write('home/.claude/settings.json', '{"model": "opus"}\n');
    bridle(['install', 'claude', '--yes']);
    writeFileSync(settings, change(readFileSync(settings, 'utf8')));
    bridle(['install', 'claude', '--yes', '--limit', '90']);
    expect(bridle(['uninstall', 'claude', '--yes']).code).toBe(0);
    const after = JSON.parse(readFileSync(settings, 'utf8')) as object;
    expect(after).toMatchObject({ model: 'sonnet' });
    expect(after).not.toHaveProperty('hooks.PreToolUse');
  });
});

describe('bridle doctor', () => {
  beforeEach(preparePolicy);

  it(proves('C07')('says what is wrong with the policy, and that nobody can answer'), () => {
    bridle(['install', 'gemini', '--yes']);
    expect(bridle(['doctor']).code).toBe(0);
    write('project/bridle.yaml', 'version: 1\ndefault: allow\nrules: []\n');
    expect(bridle(['doctor']).stdout).toContain('is not trusted, so every call is asked about: npx bridle trust');
    write('project/bridle.yaml', 'version: 1\ndefualt: ask\n');
    expect(bridle(['doctor']).stdout).toContain('the policy is invalid, so every tool call is blocked');
    rmSync(join(top, 'project/bridle.yaml'));
    rmSync(join(top, 'home/.bridle/keys'), { recursive: true });
    const { code, stdout } = bridle(['doctor']);
    expect(code).toBe(1);
    expect(stdout).toContain('so every tool call there is blocked: npx bridle init');
    expect(stdout).toContain('bridle approvals key <name>');
  });

  it('says what to do if nothing is installed', () => {
    const { code, stdout } = bridle(['doctor']);
    expect(code).toBe(1);
    expect(stdout).toContain('bridle install <host>');
    expect(stdout).toContain('without blocking anything: npx bridle install <host> --observe');
    write('bin/gemini', '#!/bin/sh\necho 0.61.0\n', 0o755);
    expect(bridle(['doctor']).stdout).toContain('Install one with: npx bridle install gemini');
  });

  it(proves('C02', 'C03', 'C07', 'C09', 'C11')('names version, record, level, points without event, and gaps'), () => {
    write('bin/gemini', '#!/bin/sh\necho 0.61.0\n', 0o755);
    write('bin/copilot', '#!/bin/sh\necho GitHub Copilot CLI 9.9.9.\n', 0o755);
    for (const host of ['gemini', 'copilot']) expect(bridle(['install', host, '--yes']).code).toBe(0);
    const short = bridle(['doctor']);
    // The version of Copilot CLI was not measured, which is a problem that a person must know.
    expect(short.code, short.stdout).toBe(1);
    expect(short.stdout).toMatch(/^Gemini CLI {2}0\.61\.0 .* installed \(user level\) {2}measured \(0\.61\.0\)$/m);
    expect(short.stdout).toMatch(
      /problem +this version was not measured .*strictest answers .*; answer its questions with npx bridle approvals/,
    );
    expect(short.stdout.trimEnd().split('\n')).toHaveLength(5);
    expect(short.stdout).toContain('What each coding agent cannot enforce: npx bridle doctor --verbose');
    const { code, stdout } = bridle(['doctor', '--verbose']);
    expect(code, stdout).toBe(1);
    expect(stdout).toMatch(/Gemini CLI {2}0\.61\.0[^]*user: [^]*measured \(0\.61\.0\)/);
    expect(stdout).toMatch(/9\.9\.9 at [^]*not measured[^]*strictest answers/);
    expect(stdout).toMatch(/No level survives a trusted repository/);
    expect(stdout).toMatch(/no event +hooks at these points do not run: .*preLlmCall/);
    expect(stdout).toMatch(/unhooked +\S/);
    expect(stdout).toMatch(/gap +\S/);
    write('bin/gemini', '#!/bin/sh\necho 0.62.0\n', 0o755);
    expect(bridle(['doctor']).stdout).toContain('installed for version 0.61.0: run "npx bridle install gemini" again');
    write('bin/gemini', '#!/bin/sh\necho 0.61.0\n', 0o755);
    const { hosts } = JSON.parse(bridle(['doctor', '--json']).stdout) as {
      hosts: { host: string; measured: boolean }[];
    };
    expect(hosts.map(({ host, measured }) => [host, measured])).toEqual([
      ['gemini', true],
      ['copilot', false],
    ]);
  });

  it.each([
    ['claude', 'project/.claude/settings.json', '{"disableAllHooks": true}', '"disableAllHooks" is true'],
    ['claude', 'home/.claude/settings.json', '{', 'is not valid JSON'],
    [
      'gemini',
      'project/.gemini/settings.json',
      '{"hooksConfig": {"enabled": false}}',
      '"hooksConfig.enabled" is false',
    ],
    ['gemini', 'project/.gemini/settings.json', '{"hooksConfig": {"disabled": ["bridle"]}}', 'lists "bridle"'],
    ['copilot', 'project/.github/copilot/settings.json', '{"disableAllHooks": true}', '"disableAllHooks" is true'],
    ['claude', 'home/.claude/settings.json', '{}', 'it is not in the file any more'],
    ['claude', 'project/.claude/settings.json', '{"env": {"LD_PRELOAD": "./x.so"}}', '"env" sets LD_PRELOAD'],
    ['gemini', 'project/.env', 'A=b\nBASH_ENV=./x.sh\n', 'it sets BASH_ENV'],
    ['gemini', 'project/.gemini/.env', 'LD_PRELOAD: ./x.so\n', 'it sets LD_PRELOAD'],
  ])(proves('C07')('finds what switches off the hook of %s: %s with %s'), (...row) => {
    const [host, file, text, problem] = row;
    expect(bridle(['install', host, '--yes']).code).toBe(0);
    expect(bridle(['doctor']).code).toBe(0);
    write(file, text);
    const { code, stdout } = bridle(['doctor']);
    expect(code).toBe(1);
    expect(stdout).toContain(problem);
  });

  it.each([
    ['claude', '.claude/settings.json', '"matcher": "*"', '"matcher": "Nothing"'],
    ['claude', '.claude/settings.json', '"onFailure": "block"', '"onFailure": "allow"'],
    ['gemini', '.gemini/settings.json', '"timeout": 60000', '"timeout": 100'],
    ['gemini', '.gemini/settings.json', '"matcher": "*"', '"matcher": "zzz"'],
    ['codex', '.codex/hooks.json', '"timeout": 60', '"timeout": 1'],
    ['copilot', '.copilot/hooks/bridle.json', '"timeoutSec": 60', '"timeoutSec": 1'],
    ['opencode', '.config/opencode/plugin/bridle.js', '\n', '\nthrow new Error();\n'],
  ])(proves('C07')('finds an entry of %s that was changed: %s, %s'), (...row) => {
    const [host, file, from, to] = row;
    expect(bridle(['install', host, '--yes']).code).toBeLessThan(2);
    const path = join(top, 'home', file);
    const text = readFileSync(path, 'utf8');
    const problem = 'the hook is not as it was installed';
    expect(bridle(['doctor']).stdout).not.toContain(problem);
    if (file.endsWith('.json')) write(`home/${file}`, text.replaceAll('\n', '\n  '));
    expect(bridle(['doctor']).stdout).not.toContain(problem);
    write(`home/${file}`, text.replace(from, to));
    const { code, stdout } = bridle(['doctor']);
    expect(code).toBe(1);
    expect(stdout).toContain(problem);
  });

  it(proves('C07')('names limits of the policy that coding agents do not apply'), () => {
    expect(bridle(['install', 'gemini', '--yes']).code).toBe(0);
    write('project/bridle.yaml', 'version: 1\nrules:\n  - allow: run_command\n    grant: { timeout: 1s }\n');
    expect(bridle(['doctor']).stdout).toMatch(/bridle\.yaml:3: coding agents do not apply the limits/);
  });

  it(proves('C07')('finds the matcher that matches nothing, and paths that no longer exist'), () => {
    expect(bridle(['install', 'copilot', '--yes']).code).toBe(0);
    const file = join(top, 'home/.copilot/hooks/bridle.json');
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll('"type"', '"matcher": "*", "type"'));
    expect(bridle(['doctor']).stdout).toContain('matches no tool');
    rmSync(join(top, 'home/.bridle/handlers'), { recursive: true });
    expect(bridle(['doctor']).stdout).toContain('hook.cjs does not exist any more');
    rmSync(join(top, 'home/.bridle/hosts/copilot/hook'));
    expect(bridle(['doctor']).stdout).toContain('is missing or cannot be run');
  });
});

/** Speaks the part of the protocol of `codex app-server` that lists and trusts hooks, as the real one was seen to. */
const standInForCodex = `
const fs = require('node:fs'), path = require('node:path');
if (process.argv[2] === '--version') { console.log('codex-cli 0.166.0'); process.exit(); }
const home = path.join(process.env.HOME, '.codex'), config = path.join(home, 'config.toml'), file = path.join(home, 'hooks.json');
function list() {
  const { hooks } = JSON.parse(fs.readFileSync(file, 'utf8'));
  const text = fs.readFileSync(config, 'utf8');
  return Object.entries(hooks).flatMap(([event, groups]) => groups.map(({ hooks: [{ command }] }, index) => {
    const key = file + ':' + event.replace(/(?!^)[A-Z]/g, '_$&').toLowerCase() + ':' + index + ':0';
    const currentHash = 'sha256:' + event;
    const trustStatus = text.includes('"' + key + '"]\\ntrusted_hash = "' + currentHash) ? 'trusted' : 'untrusted';
    return { key, command, currentHash, trustStatus, sourcePath: file };
  }));
}
const methods = {
  initialize: () => ({}),
  'hooks/list': () => ({ data: [{ hooks: list() }] }),
  'config/batchWrite': ({ edits: [{ value }] }) => {
    const tables = Object.entries(value).map(([key, { trusted_hash }]) => '\\n[hooks.state."' + key + '"]\\ntrusted_hash = "' + trusted_hash + '"\\n');
    fs.appendFileSync(config, '\\n[hooks.state]\\n' + tables.join(''));
    return { status: 'ok' };
  },
};
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id !== undefined) console.log(JSON.stringify({ id, result: methods[method](params) }));
});
`;
