/** The GitHub Action: its script in a repository, as the runner starts it. */

import { execFileSync, spawnSync } from 'node:child_process';
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
import { allow, createGuard } from 'bridle';
import { memoryJournal, recordLine } from 'bridle/journal';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { root } from './source.ts';

const folder = mkdtempSync(join(tmpdir(), 'bridle-action-'));
const repository = join(folder, 'repository');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const policy = `version: 1
default: ask
workspaces: ['.']
rules:
  - allow: view_file
    name: look
  - deny: run_command
    name: no rm
    when: runs("rm")
  - allow: run_command
    name: commands
    when: runsOnly("ls") && readsInside(".")
tests:
  - { call: view_file, args: { file_path: a }, expect: allow }
`;

function git(...args: readonly string[]): void {
  const settings = ['-c', 'user.name=a', '-c', 'user.email=a@example.com', '-c', 'commit.gpgsign=false'];
  execFileSync('git', [...settings, ...args], { cwd: repository, stdio: 'pipe' });
}

function write(name: string, text: string): void {
  writeFileSync(join(repository, name), text);
}

beforeAll(() => {
  mkdirSync(repository);
  git('init', '-q', '-b', 'main');
  write('bridle.yaml', policy);
  git('add', '.');
  git('commit', '-qm', 'first');
  git('tag', 'base');
});

interface Checked {
  readonly code: number | null;
  readonly lines: readonly string[];
  readonly summary: string;
  readonly outputs: Readonly<Record<string, string>>;
}

function check(inputs: Readonly<Record<string, string>> = {}): Checked {
  const [summary, output] = [join(folder, 'summary.md'), join(folder, 'output')];
  for (const file of [summary, output]) rmSync(file, { force: true });
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, 'action/check-policy.mjs')], {
    encoding: 'utf8',
    env: {
      PATH: process.env['PATH'],
      HOME: folder,
      GITHUB_WORKSPACE: repository,
      GITHUB_STEP_SUMMARY: summary,
      GITHUB_OUTPUT: output,
      RUNNER_TEMP: folder,
      BRIDLE_COMMAND: join(root, 'dist/cli/main.cjs'),
      INPUT_POLICY: 'bridle.yaml',
      INPUT_BASE: 'base',
      ...inputs,
    },
  });
  expect(stderr).toBe('');
  expect(readdirSync(repository).filter((name) => name.startsWith('.bridle-base'))).toEqual([]);
  const text = existsSync(output) ? readFileSync(output, 'utf8') : '';
  return {
    code: status,
    lines: stdout.trimEnd().split('\n'),
    summary: existsSync(summary) ? readFileSync(summary, 'utf8') : '',
    outputs: Object.fromEntries(text.split('\n').map((line) => line.split('=', 2) as [string, string])),
  };
}

describe('the action', () => {
  it('passes a policy that did not change', () => {
    write('bridle.yaml', policy);
    const { code: exit, lines, summary, outputs } = check();
    expect([exit, lines]).toEqual([0, ['The policy passes.']]);
    expect(summary).toContain(
      '## ✅ Policy `bridle.yaml`\n\n- Problems: 0 errors, 0 warnings\n- Tests: 1 passed, 0 failed\n',
    );
    expect(summary).toContain(': no decision changes');
    expect(outputs).toMatchObject({ stricter: '0', looser: '0' });
    expect(readFileSync(outputs['comment-file'] ?? '', 'utf8')).toBe(summary);
  });

  it('lists calls whose decision changes, failed tests and recorded calls', async () => {
    const journal = memoryJournal();
    const guard = createGuard({ tools: [{ name: 'run_command' }], policy: [allow('run_command')], journal });
    await guard.call('run_command', { command_line: 'git push' }, () => 'done');
    await guard.end();
    write('journal.jsonl', journal.records.map((record) => `${recordLine(record)}\n`).join(''));
    write(
      'bridle.yaml',
      policy.replace('deny: run_command', 'ask: run_command').replace('expect: allow', 'expect: deny'),
    );
    const { code: exit, lines, summary, outputs } = check({ INPUT_JOURNAL: 'journal.jsonl', INPUT_FAIL_ON: 'looser' });
    expect(exit).toBe(1);
    expect(lines).toEqual([
      '::error file=bridle.yaml,line=14,col=5,title=Bridle::The test of view_file {"file_path":"a"} fails: expected deny, got allow',
      '::error file=bridle.yaml,line=7,title=Bridle::looser: run_command {"command_line":"rm"} was deny by no rm (bridle.yaml:7), is now ask by no rm (bridle.yaml:7)',
      expect.stringMatching(
        /^::warning file=bridle.yaml,line=1,title=Bridle::stricter: run_command .*"git push".* is now ask by default$/,
      ),
      'The policy does not pass: see the annotations.',
    ]);
    expect(summary).toContain(
      '### Calls whose decision changes\n\n| change | before | after | call |\n|---|---|---|---|\n| **looser** | ',
    );
    expect(summary).toContain('### Recorded calls whose decision changes\n');
    expect(Number(outputs['looser'])).toBeGreaterThan(0);
    expect(outputs['stricter']).toBe('1');
  });

  it('fails on a policy that cannot be read, at its line', () => {
    write('bridle.yaml', policy.replace('runs("rm")', 'runs("rm"'));
    const { code: exit, lines, summary } = check();
    expect(exit).toBe(1);
    expect(lines[0]).toMatch(/^::error file=bridle\.yaml,line=9,col=\d+,title=Bridle::/);
    expect(summary).toContain('## ❌ Policy');
  });

  it('fails if there is no base, or if the base is not in the checkout', () => {
    write('bridle.yaml', policy);
    for (const [base, message] of [
      ['0000000000000000000000000000000000000000', 'There is no base to compare with'],
      ['--output=x', 'The base --output=x is not in this checkout%3A set fetch-depth'.replace('%3A', ':')],
    ] as const) {
      const { code: exit, lines } = check({ INPUT_BASE: base });
      expect([exit, lines[0]]).toEqual([1, expect.stringContaining(`::${message}`)]);
    }
    expect(existsSync(join(repository, 'x'))).toBe(false);
  });

  it('fails if a file that the policy extends changed too, because the comparison would not show it', () => {
    mkdirSync(join(repository, '..shared'));
    write('..shared/team.yaml', 'version: 1\nrules:\n  - deny: search_web\n');
    symlinkSync('..shared', join(repository, 'linked'));
    write('bridle.yaml', policy.replace('default: ask', 'default: ask\nextends: linked/team.yaml'));
    git('add', '.');
    git('commit', '-qm', 'extend');
    write('..shared/team.yaml', 'version: 1\nrules:\n  - allow: search_web\n');
    const { code: exit, lines } = check({ INPUT_BASE: 'HEAD' });
    expect([exit, lines[0]]).toEqual([
      1,
      expect.stringContaining('linked/team.yaml, which the policy extends, changed too'),
    ]);
    git('checkout', '-qf', 'base');
  });

  it('compares files with the base byte by byte, with all links on the way', async () => {
    process.env['GITHUB_WORKSPACE'] = repository;
    const { isSameAsIn } = (await import(join(root, 'action/base-files.mjs'))) as {
      isSameAsIn: (commit: string, file: string) => boolean;
    };
    delete process.env['GITHUB_WORKSPACE'];
    mkdirSync(join(repository, '..real'));
    write('..real/team.yaml', 'one\n');
    write('same.yaml', 'one\n');
    symlinkSync('..real', join(repository, 'folder'));
    symlinkSync('folder/team.yaml', join(repository, 'file.yaml'));
    git('add', '.');
    git('commit', '-qm', 'links');
    const names = ['..real/team.yaml', 'folder/team.yaml', 'file.yaml', 'same.yaml'];
    const same = (): readonly string[] => names.filter((name) => isSameAsIn('HEAD', name));
    expect(same()).toEqual(names);
    write('..real/team.yaml', 'two\n');
    expect(same()).toEqual(['same.yaml']);
    write('..real/team.yaml', 'one\n');
    rmSync(join(repository, 'file.yaml'));
    symlinkSync('same.yaml', join(repository, 'file.yaml'));
    expect(same()).toEqual(['..real/team.yaml', 'folder/team.yaml', 'same.yaml']);
    write('new.yaml', 'one\n');
    expect([isSameAsIn('HEAD', 'new.yaml'), isSameAsIn('HEAD', '/etc/hosts')]).toEqual([false, true]);
    rmSync(join(repository, 'new.yaml'));
    git('checkout', '-qf', 'base');
  });

  it('fails if a hook module changed, and if the policy is behind a link', () => {
    write('gate.mjs', 'export default { name: "gate", preToolCall: () => ({ type: "reject", reason: "no" }) };\n');
    write('bridle.yaml', policy.replace('default: ask', 'default: ask\nhooks: [./gate.mjs]'));
    git('add', '.');
    git('commit', '-qm', 'hook');
    write('gate.mjs', 'export default { name: "gate" };\n');
    const { code: exit, lines } = check({ INPUT_BASE: 'HEAD', INPUT_FAIL_ON: 'looser' });
    expect(exit).toBe(1);
    expect(lines).toContain(
      '::error file=bridle.yaml,line=1,title=Bridle::hook module gate.mjs (gate.mjs) is new or changed. No example call shows the effect, and it may make decisions looser.',
    );
    symlinkSync('bridle.yaml', join(repository, 'other.yaml'));
    expect(check({ INPUT_BASE: 'HEAD', INPUT_POLICY: 'other.yaml' })).toMatchObject({
      code: 1,
      lines: expect.arrayContaining([expect.stringContaining('other.yaml is reached through a symbolic link')]),
    });
    rmSync(join(repository, 'other.yaml'));
    git('checkout', '-qf', 'base');
  });

  it('says that a policy is new, and compares with nothing if it should not', () => {
    write('other.yaml', policy);
    expect(check({ INPUT_POLICY: 'other.yaml' }).summary).toContain(': the policy is new');
    expect(check({ INPUT_BASE: 'none' })).toMatchObject({ code: 0, summary: expect.not.stringContaining('Compared') });
  });

  it.each([
    [{ INPUT_POLICY: 'none.yaml' }, 'policy: there is no file none.yaml'],
    [{ INPUT_POLICY: '../bridle.yaml' }, 'policy must be a file in the repository'],
    [{ INPUT_POLICY: '' }, 'policy is empty'],
    [{ INPUT_JOURNAL: '/etc/hosts' }, 'journal must be a file in the repository'],
    [{ INPUT_FAIL_ON: 'all' }, 'fail-on must be none, looser or any'],
    [{ BRIDLE_COMMAND: '/nowhere' }, 'Bridle is not installed'],
    // Node as the command: it prints no JSON.
    [{ BRIDLE_COMMAND: join(root, 'package.json') }, 'bridle lint failed with exit code 1'],
    [{ GITHUB_STEP_SUMMARY: folder, INPUT_POLICY: '' }, 'The check of the policy crashed'],
  ] as const)('fails with an annotation: %j', (inputs, message) => {
    const { code: exit, lines } = check(inputs);
    expect([exit, lines.findLast((line) => line.startsWith('::error'))]).toEqual([1, expect.stringContaining(message)]);
  });
});
