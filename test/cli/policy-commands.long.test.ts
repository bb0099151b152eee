/** The other commands about policies as child processes: text for people, JSON for programs, exit codes for CI. */

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { proves } from '../contract/cite.ts';
import { lines, main, PolicyFolder, samplePolicy } from './policy-rig.ts';

const folder = new PolicyFolder(samplePolicy);
afterAll(() => folder.remove());
const named = ['--policy', 'bridle.yaml'];

describe('bridle explain', () => {
  it(
    proves('D08', 'P12')('draws the buckets, marks the rule that decided, and says why the others did not'),
    async () => {
      const { code, stdout } = await folder.run(['explain', ...named, '--', 'sudo rm -rf build']);
      expect(code).toBe(1);
      expect(stdout).toContain('deny  run_command {"command_line":"sudo rm -rf build"}');
      expect(stdout).toContain('decided by "no deleting" (bridle.yaml:10)');
      expect(stdout).toContain('reason: Nothing is deleted here');
      expect(stdout).toMatch(/^ {2}rm -rf build {2}by sudo$/m);
      expect(stdout).toMatch(/^ {2}tool {7}deny {3}→ "no deleting" .* decided$/m);
      expect(stdout).toMatch(/^ +allow {4}"commands" .* not reached$/m);
      expect(stdout.slice(stdout.indexOf('\nbridle.yaml'))).toBe(`
bridle.yaml
  tool       deny   → "no deleting" (bridle.yaml:10)  decided
             allow    "commands" (bridle.yaml:7)      not reached
  – no forbid rules; no rules for its server or all tools
`);
      expect(stdout).not.toContain('\u001B');
    },
  );

  it(proves('D08', 'X03')('marks the commands that no allow rule covers, if no rule decides'), async () => {
    const { stdout } = await folder.run(['explain', ...named, '--', 'ls; git push']);
    expect(stdout).toMatch(/^ {2}ls$/m);
    expect(stdout).toMatch(/^ {2}git push {2}not covered by any allow rule's runsOnly$/m);
  });

  it(proves('D08', 'P13')('tells shadow rules, and what did not apply, as data'), async () => {
    const args = ['explain', ...named, '--json', '{"tool":"delete_repo","server":"github","args":{}}'];
    const { code, stdout } = await folder.run(args);
    expect(code).toBe(3);
    const [told] = lines(stdout) as [{ layers: { file: string }[] }];
    expect(told).toMatchObject({ decision: 'ask', rule: 'github', at: 'bridle.yaml:14', bucket: 4, commands: [] });
    expect(told.layers.find(({ file }) => file === 'bridle.yaml')).toMatchObject({
      considered: [{ rule: 'github', outcome: 'decided' }],
      shadows: [{ rule: 'watch', matched: true }],
    });
    const allowed = await folder.run([
      'explain',
      ...named,
      '--json',
      '--tool',
      'run_command',
      '--args',
      '{"command_line":"ls"}',
    ]);
    expect(lines(allowed.stdout)[0]).toMatchObject({ decision: 'allow', commands: [{ runs: [{ command: 'ls' }] }] });
    expect(allowed.stdout).toContain('did not apply');
  });

  it(proves('D08', 'X01')('says what is unknown'), async () => {
    const { stdout } = await folder.run(['explain', ...named, '--', '$tool build']);
    expect(stdout).toContain('unknown: whether the call runs "rm" (a command name is not literal');
    expect(stdout).toContain('possibly more: ');
    expect(stdout).toMatch(/^deny {2}/);
  });

  it(proves('D08')('answers what check answers'), async () => {
    const calls = ['ls', 'rm x', 'npm test && rm x', 'make', '$x', 'curl a | sh'].map((line) => ({
      tool: 'run_command',
      args: { command_line: line },
    }));
    const checked = lines(
      (await folder.run(['check', ...named], calls.map((call) => JSON.stringify(call)).join('\n'))).stdout,
    );
    const explained = await Promise.all(
      calls.map(
        async (call) => lines((await folder.run(['explain', ...named, '--json', JSON.stringify(call)])).stdout)[0],
      ),
    );
    expect(explained.map((each) => [each?.['decision'], each?.['rule'], each?.['reason']])).toEqual(
      checked.map(({ decision, rule, reason }) => [decision, rule, reason]),
    );
  });

  it.each([
    ['nothing', []],
    ['a call that is none', ['{"toll":"x"}']],
    ['JSON that is no object', ['[1]']],
    ['JSON that is cut off', ['{"tool":"view_file"']],
    ['a call with args that are no object', ['--tool', 'view_file', '--args', '[]']],
  ])('refuses %s', async (_title, args) => {
    const { code, stdout, stderr } = await folder.run(['explain', ...named, ...args]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^bridle: /);
  });
});

describe('bridle explain, where something else is meant', () => {
  it(proves('D08')('takes a tool and its args'), async () => {
    const told = await folder.run(['explain', ...named, 'view_file', '{"file_path": "a.txt"}']);
    expect(told).toMatchObject({ code: 0, stderr: '' });
    expect(told.stdout).toMatch(/^allow {2}view_file \{"file_path":"a\.txt"\}$/m);
    const alias = await folder.run(['explain', ...named, 'read_file', '{"path": "a.txt"}']);
    expect(alias.stdout).toContain('decided by "reading: view_file"');
    const server = await folder.run(['explain', ...named, 'github/delete_repo', '{}']);
    expect(server.stdout).toMatch(/^ask {2}github\/delete_repo/);
    const mixed = await folder.run(['explain', ...named, 'view_file', '--args', '{"file_path": "a.txt"}']);
    expect(mixed.stdout).toBe(told.stdout);
  });

  it.each([
    [
      'no args',
      ['view_file'],
      `the args of the tool "view_file" are missing: npx bridle explain view_file '{"file_path":"example.txt"}'`,
    ],
    ['a bare word', ['view_file', 'a.txt'], 'the args of "view_file" are not JSON ('],
    [
      'args that the shell has split',
      ['view_file', '{file_path:', 'a}'],
      'the args of "view_file" must be one JSON object, in quotes, not 2 words',
    ],
    ['cut off args', ['view_file', '{"file_path"'], 'the args of "view_file" are not JSON ('],
    ['a list', ['view_file', '[1]'], 'the args of "view_file" must be an object, not a list'],
    [
      'a misspelled tool',
      ['view_fil', '{}'],
      'there is no tool "view_fil"; did you mean "view_file"? To explain a command line: ',
    ],
    ['a command and JSON', ['curl', '{"a": 1}'], `To explain a command line: npx bridle explain -- 'curl {"a": 1}'`],
    ['a call given twice', ['--tool', 'view_file', 'ls'], '"ls" and --tool both give a call'],
  ])(proves('D08')('says how to write a call with %s'), async (_title, words, problem) => {
    const { code, stdout, stderr } = await folder.run(['explain', ...named, ...words]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(problem);
  });

  it(proves('D08')('takes whatever stands after -- as a command line'), async () => {
    for (const line of ['view_file {"a":1}', 'view_file', 'ls -la']) {
      const { stdout } = await folder.run(['explain', ...named, '--', ...line.split(' ')]);
      expect(stdout).toContain(`run_command ${JSON.stringify({ command_line: line })}`);
    }
    expect((await folder.run(['explain', ...named, 'ls'])).stdout).toContain('run_command {"command_line":"ls"}');
  });

  it('says where a command line with options goes', async () => {
    const { code, stderr } = await folder.run(['explain', ...named, 'ls', '-la']);
    expect(code).toBe(2);
    expect(stderr).toContain("put a command line after --: npx bridle explain -- 'ls -la'");
  });

  it('shows forbid rules in the order of the file, and a layer that has no rule for the call', async () => {
    folder.write('upper.yaml', 'version: 1\nrules:\n  - deny: search_web\n');
    const file = folder.write(
      'lower.yaml',
      "version: 1\nextends: upper.yaml\nworkspaces: ['.']\nrules:\n  - { forbid: '*', name: first, when: opaque() }\n",
    );
    const { stdout } = await folder.run(['explain', '--policy', file, '--', 'ls']);
    expect(stdout).toContain('\nupper.yaml\n  – no rules for this call\n');
    expect(stdout).toMatch(/forbid {12}· "workspaces" \(lower\.yaml:3\) .*\n +· "first" \(lower\.yaml:5\)/);
  });
});

describe('bridle test', () => {
  it(proves('D06')('runs the tests of the file and tells which rules they bring up'), async () => {
    const { code, stdout } = await folder.run(['test', ...named]);
    expect(code, stdout).toBe(0);
    expect(stdout).toContain('3 passed, 0 failed');
    expect(stdout).not.toMatch(/^ok /m);
    expect((await folder.run(['test', ...named, '--verbose'])).stdout.match(/^ok /gm)).toHaveLength(3);
    expect(stdout).toContain('no test reaches "github"\n');
    expect(stdout).toContain('no test reaches "reading: list_directory"\n');
    const failing = folder.write('failing.yaml', samplePolicy.replace('expect: deny', 'expect: allow'));
    const failed = await folder.run(['test', '--policy', failing]);
    expect(failed.code).toBe(1);
    expect(failed.stdout).toMatch(/^FAIL .*failing\.yaml:21/);
    expect(failed.stdout).not.toMatch(/^ok /m);
    const [data] = lines((await folder.run(['test', '--policy', failing, '--json'])).stdout);
    expect(data).toMatchObject({ summary: { cases: 3, passed: 2, failed: 1 } });
    expect(data?.['cases']).toHaveLength(3);
  });
});

describe('where nothing was checked, which is no success', () => {
  it(proves('D06')('test has no tests'), async () => {
    const file = folder.write('untested.yaml', 'version: 1\nrules:\n  - allow: view_file\n');
    const told = await folder.run(['test', '--policy', file]);
    expect(told.stdout).toContain('the policy has no tests: add some under tests:');
    expect(told.code).toBe(2);
  });

  it(proves('D09')('replay has an empty journal'), async () => {
    const told = await folder.run(['replay', '-', ...named]);
    expect(told).toMatchObject({
      code: 2,
      stderr: 'bridle: no calls compared: the journal has no calls\n',
    });
    expect((await folder.run(['replay', '-', ...named, '--strict'])).code).toBe(2);
  });

  it(proves('D09')('diff gets one file twice'), async () => {
    const told = await folder.run(['diff', 'bridle.yaml', './bridle.yaml']);
    expect(told).toMatchObject({ code: 2, stdout: '' });
    expect(told.stderr).toContain('both policies are "./bridle.yaml"');
  });
});

describe('a policy that is named', () => {
  it.each([
    ['p.mjs', '"p.mjs" is a module, which only bridle chat supports: name a policy file (YAML or JSON)'],
    ['p.toml', '"p.toml" is TOML: a policy file must be YAML or JSON'],
    ['-', '--policy does not read from stdin: name a file'],
    ['nowhere.yaml', 'The policy file nowhere.yaml does not exist.'],
    ['..', ' is a folder; name a policy file'],
  ])('is refused if it is none: %s', async (name, problem) => {
    const { code, stdout, stderr } = await folder.run(['lint', '--policy', name]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr.endsWith(`${problem}\n`), stderr).toBe(true);
  });
});

describe('bridle lint', () => {
  it(proves('D07')('tells findings with a witness, and by its exit code'), async () => {
    const odd = folder.write(
      'odd.yaml',
      'version: 1\nrules:\n  - deny: view_file\n  - deny: view_file\n    when: "true"\n',
    );
    const { code, stdout } = await folder.run(['lint', '--policy', odd]);
    expect(code, stdout).toBe(1);
    expect(stdout).toMatch(/odd\.yaml:4:\d+: (warning|error) /);
    expect(stdout).toMatch(/call {6}view_file \{/);
    const [data] = lines((await folder.run(['lint', '--policy', odd, '--json'])).stdout);
    expect(data).toMatchObject({
      findings: expect.arrayContaining([expect.objectContaining({ witness: expect.anything() })]),
    });
  });

  it('counts notes only if it is strict', async () => {
    const file = folder.write('plain.yaml', "version: 1\nrules:\n  - allow: view_file\n  - deny: '*'\n");
    const told = await folder.run(['lint', '--policy', file, '--json']);
    const strict = await folder.run(['lint', '--policy', file, '--json', '--strict']);
    const [{ counts }] = lines(told.stdout) as [{ counts: Record<string, number> }];
    expect({ warning: counts['warning'], error: counts['error'] }).toEqual({ warning: 0, error: 0 });
    expect(counts['note']).toBeGreaterThan(0);
    expect([told.code, strict.code]).toEqual([0, 1]);
    const text = await folder.run(['lint', '--policy', file]);
    expect(text.stdout).toBe(`${counts['note']} notes; --strict shows notes\n`);
    const shown = await folder.run(['lint', '--policy', file, '--strict']);
    expect(shown.stdout).toMatch(/^plain\.yaml:\d+:\d+: note /m);
    expect(shown.stdout).not.toContain('--strict');
  });
});

describe('bridle diff', () => {
  it(proves('D09')('tells calls that change, and by its exit code'), async () => {
    const next = folder.write('next.yaml', samplePolicy.replace('- ask: github/*', '- deny: github/*'));
    const { code, stdout } = await folder.run(['diff', 'bridle.yaml', next]);
    expect(code, stdout).toBe(1);
    expect(stdout).toMatch(/^stricter +github\//m);
    const same = folder.write('same.yaml', samplePolicy);
    expect((await folder.run(['diff', 'bridle.yaml', same])).code).toBe(0);
    const [data] = lines((await folder.run(['diff', 'bridle.yaml', next, '--json'])).stdout);
    expect(data).toMatchObject({
      summary: { looser: 0 },
      flips: expect.arrayContaining([expect.objectContaining({ change: 'stricter' })]),
    });
    expect((await folder.run(['diff', 'bridle.yaml'])).code).toBe(2);
    expect((await folder.run(['diff', 'bridle.yaml', 'nowhere.yaml'])).code).toBe(2);
  });
});

describe('bridle replay', () => {
  it(proves('D09')('refuses a journal that is none, line by line'), async () => {
    const { code, stdout } = await folder.run(['replay', '-', ...named, '--json'], 'no record\n');
    expect(code).toBe(2);
    expect(lines(stdout)).toMatchObject([{ type: 'damaged', line: 1 }, { type: 'report' }]);
  });

  it('misses a journal that is not there', async () => {
    expect((await folder.run(['replay', 'nowhere.jsonl', ...named])).code).toBe(2);
  });
});

describe('bridle trust', () => {
  it('says how to name a file if the folder has no policy', async () => {
    const here = new PolicyFolder(samplePolicy);
    try {
      rmSync(join(here.path, 'bridle.yaml'));
      const { code, stderr } = await here.run(['trust', '--yes']);
      expect(code).toBe(2);
      expect(stderr).toContain('write one with npx bridle init, or name one: npx bridle trust <file>');
    } finally {
      here.remove();
    }
  });

  it(proves('D12')('shows what a file opens, keeps its hash outside, lists it and forgets it'), async () => {
    const here = new PolicyFolder(samplePolicy);
    try {
      const refused = await here.run(['trust']);
      expect(refused.code).toBe(2);
      expect(refused.stderr).toContain('--yes');
      const { code, stdout } = await here.run(['trust', '--yes']);
      expect(code).toBe(0);
      expect(stdout).toContain('allows    run_command when runsOnly("ls", "npm test")');
      expect(stdout).toMatch(/hash +[0-9a-f]{64}/);
      const file = join(here.path, 'bridle.yaml');
      expect(lines((await here.run(['trust', '--list', '--json'])).stdout)).toMatchObject([{ policies: [{ file }] }]);
      expect((await here.run(['trust', '--yes', '--json'])).stdout).toContain('"changed":false');
      expect((await here.run(['trust', '--remove', 'bridle.yaml'])).code).toBe(0);
      expect((await here.run(['trust', '--remove', 'bridle.yaml'])).code).toBe(1);
      expect((await here.run(['trust', '--list'])).stdout).toBe('no policy files are trusted\n');
    } finally {
      here.remove();
    }
  });

  it(proves('D12', 'Q06')('trusts and removes nothing for a process of an agent'), async () => {
    const here = new PolicyFolder(samplePolicy);
    try {
      const asAgent = { cwd: here.path, env: { ...here.env, BRIDLE_AGENT: '1' }, encoding: 'utf8' as const };
      const trusted = spawnSync(process.execPath, [main, 'trust', '--yes'], asAgent);
      expect(trusted).toMatchObject({ status: 2, stderr: expect.stringContaining('only a person may do this') });
      expect((await here.run(['trust', '--list'])).stdout).toBe('no policy files are trusted\n');
      await here.run(['trust', '--yes']);
      expect(spawnSync(process.execPath, [main, 'trust', '--remove', 'bridle.yaml'], asAgent).status).toBe(2);
      expect(spawnSync(process.execPath, [main, 'trust', '--list'], asAgent).stdout).toContain('bridle.yaml');
    } finally {
      here.remove();
    }
  });

  it('trusts nothing that cannot be read', async () => {
    const here = new PolicyFolder('version: 1\nrules: [{ allow: 7 }]\n');
    try {
      const { code, stdout } = await here.run(['trust', '--yes', '--json']);
      expect(code).toBe(2);
      expect(lines(stdout)).toMatchObject([
        { code: 'POLICY_FILE', problems: [expect.stringContaining('bridle.yaml:2:')] },
      ]);
      expect((await here.run(['trust', '--list'])).stdout).toBe('no policy files are trusted\n');
    } finally {
      here.remove();
    }
  });
});

describe('--help', () => {
  it.each(['init', 'trust', 'check', 'explain', 'lint', 'test', 'diff', 'replay'])(
    'of %s has examples and exit codes',
    async (name) => {
      const { code, stdout } = await folder.run([name, '--help']);
      expect(code).toBe(0);
      for (const part of ['--json', 'Examples:', `  bridle ${name}`, 'Exit codes: 0 ']) expect(stdout).toContain(part);
    },
  );

  it('names every command', async () => {
    const { stdout } = await folder.run(['--help']);
    for (const name of ['chat', 'init', 'trust', 'check', 'explain', 'lint', 'test', 'diff', 'replay']) {
      expect(stdout).toMatch(new RegExp(`^  ${name} `, 'm'));
    }
  });
});

describe('a command whose reader has gone', () => {
  it('ends without a word, as whoever reads the first line wants no more', async () => {
    const child = spawn('sh', ['-c', '"$0" "$1" --help | true', process.execPath, main], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let errors = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
    await once(child, 'close');
    expect(errors).toBe('');
  });
});
