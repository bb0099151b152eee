/** What files say, decided: every key of a rule, what a file tells of tools, findings, versions. */

import { mkdtempSync, mkdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fakeClock } from 'bridle/testing';
import { builtinTools } from 'bridle/tools';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { proves } from '../../../test/contract/cite.ts';
import { loadPolicy, type LoadOptions } from './load-policy.ts';
import type { CheckRequest, LoadedPolicy } from '../loaded-policy.ts';

let cwd: string;
beforeAll(() => {
  cwd = realpathSync(mkdtempSync(join(tmpdir(), 'load-')));
  mkdirSync(join(cwd, 'src'));
  symlinkSync('/etc', join(cwd, 'etc'));
});
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

let count = 0;
function load(text: string, options: LoadOptions = {}): LoadedPolicy {
  const file = join(cwd, `policy-${count++}.yaml`);
  writeFileSync(file, `version: 1\n${text}`);
  return loadPolicy(file, { cwd, home: join(cwd, 'home'), tools: builtinTools, ...options });
}

async function effectOf(policy: LoadedPolicy, request: CheckRequest): Promise<string> {
  return (await policy.decide(request)).effect;
}

const command = (command_line: string): CheckRequest => ({ tool: 'run_command', args: { command_line } });

function viewIn(file_path: string, session: Record<string, string>): CheckRequest {
  return { tool: 'view_file', args: { file_path }, state: { session } };
}

describe('a rule in a file', () => {
  it(proves('D04', 'X03', 'P06')('applies to every target it names, and to nothing else'), async () => {
    const policy = load(`rules:
  - allow: [view_file, list_directory]
  - allow: run_command
    name: tests
    when: runsOnly("npm test", "git status")`);
    expect(await effectOf(policy, { tool: 'view_file', args: { file_path: 'a' } })).toBe('allow');
    expect(await effectOf(policy, { tool: 'read_file', args: { path: 'a' } })).toBe('allow');
    expect(await effectOf(policy, command('git status'))).toBe('allow');
    expect(await effectOf(policy, command('git status; rm x'))).toBe('deny');
    expect(await policy.decide(command('npm test'))).toMatchObject({
      effect: 'allow',
      rule: { name: 'tests', at: `policy-${count - 1}.yaml:4` },
    });
    expect(await effectOf(policy, { tool: 'create_file', args: { file_path: 'a', contents: '' } })).toBe('deny');
  });

  it(proves('D04')('is ignored after it expires'), async () => {
    // It starts with the year 2026.
    const clock = fakeClock();
    const policy = load('default: ask\nrules: [{ allow: view_file, expires: 2026-01-01T00:00:01Z }]', { clock });
    const view = { tool: 'view_file', args: { file_path: 'a' } };
    expect(await effectOf(policy, view)).toBe('allow');
    await clock.advance(2000);
    expect(await effectOf(policy, view)).toBe('ask');
  });

  it(proves('P13')('that is a shadow is reported and never enforced'), async () => {
    const policy = load('default: allow\nrules: [{ forbid: view_file, shadow: true, name: later }]');
    const view = { tool: 'view_file', args: { file_path: 'a' } };
    expect(await effectOf(policy, view)).toBe('allow');
    const { layers } = await policy.explain(view);
    expect(layers.flatMap(({ shadows }) => shadows)).toMatchObject([{ rule: { name: 'later' }, matched: true }]);
  });

  it(proves('P18')('gives its grant'), async () => {
    const policy = load('rules: [{ allow: view_file, grant: { timeout: 30s, output: 64KiB, approval: 5m } }]');
    const { grant } = await policy.decide({ tool: 'view_file', args: { file_path: 'a' } });
    expect(grant).toEqual({ timeoutMs: 30_000, outputBytes: 65_536, approvalMs: 300_000 });
  });

  it(proves('D04')('reads args, the call and the scopes'), async () => {
    const policy = load(`rules:
  - allow: view_file
    when: args.file_path.endsWith(".md") && call.tier == "observe" && has(session.role) && session.role == "reader"`);
    expect(await effectOf(policy, viewIn('a.md', { role: 'reader' }))).toBe('allow');
    expect(await effectOf(policy, viewIn('a.md', { role: 'other' }))).toBe('deny');
    expect(await effectOf(policy, viewIn('a.md', {}))).toBe('deny');
    expect(await effectOf(policy, viewIn('a.ts', { role: 'reader' }))).toBe('deny');
  });

  it(proves('X01', 'X04')('treats unknown as the stricter case'), async () => {
    const unknown = command('"$X" y');
    expect(await effectOf(load('default: allow\nrules: [{ deny: run_command, when: runs("rm") }]'), unknown)).toBe(
      'deny',
    );
    expect(await effectOf(load('default: allow\nrules: [{ deny: run_command, when: \'!runs("rm")\' }]'), unknown)).toBe(
      'deny',
    );
    expect(
      await effectOf(load('default: allow\nrules: [{ allow: run_command, when: \'!runs("rm")\' }]'), unknown),
    ).toBe('ask');
    expect(await effectOf(load('default: deny\nrules: [{ ask: run_command, when: runs("rm") }]'), unknown)).toBe(
      'deny',
    );
    expect(await effectOf(load('default: allow\nrules: [{ ask: run_command, when: runs("rm") }]'), unknown)).toBe(
      'ask',
    );
  });

  it(proves('P05')('whose condition fails denies the call'), async () => {
    const policy = load('default: allow\nrules: [{ allow: custom, when: args.size > 3.0, name: small }]');
    const decision = await policy.decide({ tool: 'custom', args: {} });
    expect(decision).toMatchObject({ effect: 'deny', rule: { name: 'small' } });
    expect(decision.reason).toContain('could not be evaluated');
  });
});

describe('a file', () => {
  it(proves('W05', 'D05')('limits paths to workspaces, relative to its own folder'), async () => {
    const policy = load('workspaces: [src]\nrules: [{ allow: "*" }]');
    expect(await effectOf(policy, { tool: 'view_file', args: { file_path: 'src/a' } })).toBe('allow');
    expect(await effectOf(policy, { tool: 'view_file', args: { file_path: 'a' } })).toBe('deny');
    expect(await effectOf(policy, { tool: 'view_file', args: { file_path: 'src/../etc/passwd' } })).toBe('deny');
  });

  it(proves('W01', 'D04')('declares what tools touch if they do not declare it themselves'), async () => {
    const policy = load(`workspaces: [src]
servers: [{ name: fs, disabledTools: [wipe], paths: { read: [path] } }]
tools:
  deploy: { tier: observe, paths: [target], touches: { writes: [target] } }
rules:
  - allow: [fs/*, deploy]
  - deny: deploy
    when: writes("src/locked/**")
  - allow: '*'
    when: call.tier == "observe"`);
    expect(await effectOf(policy, { server: 'fs', tool: 'read', args: { path: 'src/x' } })).toBe('allow');
    expect(await effectOf(policy, { server: 'fs', tool: 'read', args: { path: '/etc/passwd' } })).toBe('deny');
    expect(await effectOf(policy, { server: 'fs', tool: 'wipe', args: {} })).toBe('deny');
    expect(await effectOf(policy, { tool: 'deploy', args: { target: 'src/x' } })).toBe('allow');
    expect(await effectOf(policy, { tool: 'deploy', args: { target: 'src/locked/x' } })).toBe('deny');
    expect(await effectOf(policy, { tool: 'deploy', args: { target: '../x' } })).toBe('deny');
  });

  it(proves('M04')('must declare the servers of its rules, unless the caller does'), () => {
    const text = 'rules: [{ deny: gh/push }]';
    expect(() => load(text)).toThrow('no servers were given');
    expect(() => load(`servers: [git]\n${text}`)).toThrow(/gh.*git/);
    expect(load(text, { servers: ['gh'] }).findings).toEqual([]);
    expect(load(`servers: [gh]\n${text}`).findings).toEqual([]);
  });

  it(proves('P14')('that names something unknown has warnings, which are errors if it is strict'), () => {
    const text = 'rules:\n  - deny: veiw_file\n  - allow: view_file';
    expect(load(text).findings).toMatchObject([
      { at: { line: 3 }, message: expect.stringContaining('did you mean "view_file"?') as string },
    ]);
    expect(() => load(`strict: true\n${text}`)).toThrow('did you mean "view_file"?');
  });

  it(proves('D01')('whose workspace does not exist reports it at its position'), () => {
    const [finding] = load('default: ask\nworkspaces: [./nope]').findings;
    expect(finding).toMatchObject({ at: { line: 3, column: 14 }, message: expect.stringContaining('nope') as string });
  });

  it(proves('P14')('may name built-in tools that the application does not provide'), () => {
    const known = builtinTools.filter(({ name }) => name !== 'search_web' && name !== 'generate_image');
    const policy = load('strict: true\nrules: [{ deny: [search_web, generate_image, view_file] }]', { tools: known });
    expect(policy.findings).toEqual([]);
  });

  it(proves('D05', 'Q05')('has a version that depends only on what affects decisions'), () => {
    const file = join(cwd, 'version.yaml');
    const versionOf = (text: string): string => {
      writeFileSync(file, `version: 1\n${text}`);
      return loadPolicy(file, { cwd, home: cwd, tools: builtinTools }).version;
    };
    const base = versionOf('rules: [{ allow: view_file }]');
    expect(versionOf('# a word\nrules:\n  - allow: view_file\ntests: []')).toBe(base);
    for (const other of [
      'rules: [{ ask: view_file }]',
      'rules: [{ allow: list_directory }]',
      'rules: [{ allow: view_file, when: "true" }]',
      'rules: [{ allow: view_file, reason: x }]',
      'rules: [{ allow: view_file, shadow: true }]',
      'rules: [{ allow: view_file, expires: 2030-01-01 }]',
      'rules: [{ allow: view_file, grant: { timeout: 1s } }]',
      'workspaces: ["."]\nrules: [{ allow: view_file }]',
      'default: ask\nrules: [{ allow: view_file }]',
    ])
      expect(versionOf(other), other).not.toBe(base);
  });
});

describe('a checked call', () => {
  it(proves('D08', 'G11')('is parsed as in the runtime'), async () => {
    const policy = load('default: allow');
    expect(await policy.decide({ tool: 'view_file', args: { path: 'a', file_path: 'b' } })).toMatchObject({
      effect: 'deny',
      problem: expect.stringContaining('given twice') as string,
    });
    expect(await effectOf(policy, { tool: 'view_file', args: [] })).toBe('deny');
    expect(await effectOf(policy, { tool: 'nobody_knows', args: {} })).toBe('allow');
    expect(await effectOf(policy, { tool: '__proto__', args: {} })).toBe('allow');
    expect(await effectOf(policy, { tool: '', args: {} })).toBe('deny');
  });

  it(proves('D11', 'X08')('about Bridle’s own files is refused in any spelling'), async () => {
    const policy = load('default: allow\nrules: [{ allow: "*" }]');
    const own = policy.files[0] ?? '';
    const name = own.split('/').at(-1) ?? '';
    for (const line of [
      `echo x > ${name}`,
      `cd src && echo x > ../${name}`,
      `sh -c 'rm -f "${name}"'`,
      `mv src/a ./${name}`,
      `cp a ${own}`,
      `sed -i s/a/b/ ${name}`,
      `tee ${name} < a`,
      `ln -sf /tmp/x bridle.yaml`,
      `rm -rf .`,
      `env X=1 tee -a bridle.yml`,
      `mkdir -p home && echo > home/trust.json`,
      `some_program ${name}`,
      'bridle trust --yes',
      'npx bridle trust --yes && npm test',
      'sh -c "node_modules/.bin/bridle trust"',
      'bridle approvals approve 1f --yes',
      'true; env -i bridle approvals deny 1f',
      'setsid nohup npx bridle runs resume r1 &',
      'bridle worker --store postgres://host/base',
      'bridle journal tail',
      'cat home/keys/approver-ann.key',
      'cp -r home/keys /tmp',
      'cat < home/keys/store.secret',
      'cd home && grep -r PRIVATE .',
      'echo x > home/keys/approvers/me.pub',
    ])
      expect(await effectOf(policy, command(line)), line).toBe('deny');
    for (const line of ['read f; echo y > "$f"', 'echo > $(cat name)', '"$X" a', 'cat <<<$x | sh'])
      expect(['ask', 'deny'], line).toContain(await effectOf(policy, command(line)));
    for (const line of [
      `cat ${name}`,
      'ls',
      'cat $FILE',
      'bridle lint',
      'for f in *.ts; do wc -l "$f"; done',
      'npm test',
      'echo x > notes.txt',
      'f=x; echo y > "$f"',
      'git status',
    ])
      expect(await effectOf(policy, command(line)), line).toBe('allow');
    expect(await effectOf(policy, { tool: 'view_file', args: { file_path: name } })).toBe('allow');
    expect(await effectOf(policy, { tool: 'edit_file', args: { file_path: name, old_text: 'a', new_text: 'b' } })).toBe(
      'deny',
    );
  });
});
