/** `bridle check` as a child process: answers in order, whatever the input is. */

import { spawn } from 'node:child_process';
import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { proves } from '../contract/cite.ts';
import { root } from '../source.ts';
import { lines, main, PolicyFolder, samplePolicy } from './policy-rig.ts';

const folder = new PolicyFolder(samplePolicy);
afterAll(() => folder.remove());

const named = ['check', '--policy', 'bridle.yaml'];
const call = (commandLine: string): string =>
  JSON.stringify({ tool: 'run_command', args: { command_line: commandLine } });

describe('bridle check', () => {
  it(proves('D08')('answers one line for each call, in order, with rule and place'), async () => {
    const calls = [
      call('ls -la'),
      call('sudo rm x'),
      '{"tool":"create_issue","server":"github","args":{}}',
      '{"tool":"VIEW_FILE","args":{"path":"a.txt"}}',
      '{"tool":"anything","args":{}}',
    ];
    const { code, stdout } = await folder.run([...named, '-'], `${calls.join('\n')}\n`);
    expect(lines(stdout)).toEqual([
      { decision: 'allow', rule: 'commands', reason: '', at: 'bridle.yaml:7' },
      { decision: 'deny', rule: 'no deleting', reason: 'Nothing is deleted here', at: 'bridle.yaml:10' },
      { decision: 'ask', rule: 'github', reason: 'May GitHub be changed?', at: 'bridle.yaml:14' },
      { decision: 'allow', rule: 'reading: view_file', reason: '', at: 'bridle.yaml:5' },
      { decision: 'ask', rule: null, reason: expect.stringMatching(/./), at: null },
    ]);
    expect(code).toBe(1);
  });

  it.each([
    ['everything is allowed', [call('ls')], 0],
    ['something is denied', [call('ls'), call('rm x')], 1],
    ['something asks', [call('ls'), '{"tool":"other"}'], 3],
    ['something asks and something is denied', ['{"tool":"other"}', call('rm x')], 1],
    ['there are no calls', [], 2],
    ['there are blank lines only', ['', '  ', '\t'], 2],
  ])(proves('D08')('tells by its exit code that %s'), async (_title, calls, code) => {
    const file = folder.write('calls.jsonl', calls.join('\n'));
    expect((await folder.run([...named, file])).code).toBe(code);
  });

  it.each([
    ['no JSON', '{"tool":', 'is not JSON'],
    ['a list', '[1]', 'not an object'],
    ['a text', '"run_command"', 'not an object'],
    ['null', 'null', 'not an object'],
    ['no tool', '{"args":{}}', '"tool" is missing'],
    ['a tool that is no text', '{"tool":7}', '"tool" is 7, not a string'],
    ['an unknown key', '{"tool":"x","arg":{}}', 'did you mean "args"?'],
    ['a __proto__ key', '{"tool":"x","__proto__":{"cwd":"/"}}', '"__proto__" is not known'],
    ['a server that is no text', '{"tool":"x","server":{}}', '"server" is an object, not a string'],
    ['an empty folder', '{"tool":"x","cwd":""}', '"cwd" is empty'],
    ['state that is no object', '{"tool":"x","state":[]}', '"state" is a list, not an object'],
    ['state of another scope', '{"tool":"x","state":{"sesion":{}}}', 'did you mean "session"?'],
    ['two calls', `${call('ls')}${call('ls')}`, 'is not JSON'],
  ])(proves('D08')('denies a line that is %s, says which, and goes on'), async (_title, line, problem) => {
    const { code, stdout } = await folder.run([...named], `\n${call('ls')}\n${line}\n${call('ls')}\n`);
    const [before, bad, after, ...others] = lines(stdout);
    expect(others).toEqual([]);
    expect([before, after]).toMatchObject([{ decision: 'allow' }, { decision: 'allow' }]);
    expect(bad).toMatchObject({ decision: 'deny', rule: null, line: 3, error: expect.stringContaining(problem) });
    expect(code).toBe(2);
  });

  it.each([
    ['a missing argument', {}],
    ['a wrong argument', { command_line: 7 }],
    ['an argument that is not declared', { command_line: 'ls', shell: 'zsh' }],
    ['args that are no object', ['ls']],
  ])(proves('D08')('denies %s as the runtime does'), async (_title, args) => {
    const { code, stdout } = await folder.run([...named], JSON.stringify({ tool: 'run_command', args }));
    expect(lines(stdout)).toEqual([
      { decision: 'deny', rule: null, reason: expect.stringContaining('run_command'), at: null },
    ]);
    expect(code).toBe(1);
  });

  it('refuses to answer for no calls, whatever they were read from', async () => {
    const nothing = { code: 2, stdout: '' };
    const hint = 'write one call per line, or give one with --tool and --args\n';
    expect(await folder.run(named)).toEqual({ ...nothing, stderr: `bridle: there are no calls on stdin: ${hint}` });
    folder.write('blank.jsonl', '\n \n\t\r\n');
    const file = await folder.run([...named, 'blank.jsonl']);
    expect(file).toEqual({ ...nothing, stderr: `bridle: there are no calls in "blank.jsonl": ${hint}` });
    const json = await folder.run([...named, '--json', 'blank.jsonl']);
    expect([json.code, lines(json.stdout)]).toMatchObject([2, [{ code: 'OPTION_INVALID' }]]);
  });

  it('names UTF-16', async () => {
    for (const text of [`\uFEFF${call('ls')}`, call('ls')]) {
      const { code, stdout } = await folder.run([...named], Buffer.from(text, 'utf16le'));
      expect(code).toBe(2);
      expect(lines(stdout)).toMatchObject([{ decision: 'deny', line: 1, error: 'is UTF-16; save it as UTF-8' }]);
    }
  });

  it('ends a question without a dot', async () => {
    const { stdout } = await folder.run([...named], '{"toool":"x"}');
    expect(lines(stdout)).toMatchObject([{ reason: 'Line 1 is invalid: "toool" is not known; did you mean "tool"?' }]);
  });

  it('takes CRLF, a byte order mark, blank lines and a last line without an end', async () => {
    const text = `\uFEFF${call('ls')}\r\n\r\n  \n${call('rm x')}`;
    const { stdout } = await folder.run([...named], text);
    expect(lines(stdout).map(({ decision }) => decision)).toEqual(['allow', 'deny']);
  });

  it('denies what is not UTF-8, and what is too long, and keeps the order', async () => {
    const input = Buffer.concat([
      Buffer.from(`${call('ls')}\n{"tool":"`),
      Buffer.from([0xff, 0xfe]),
      Buffer.from(`"}\n${call(`echo ${'x'.repeat(3 * 1024 * 1024)}`)}\n${call('ls')}\n`),
    ]);
    const { code, stdout } = await folder.run([...named], input);
    expect(lines(stdout)).toMatchObject([
      { decision: 'allow' },
      { decision: 'deny', line: 2, error: 'is not UTF-8' },
      { decision: 'deny', line: 3, error: 'is longer than 2097152 bytes' },
      { decision: 'allow' },
    ]);
    expect(code).toBe(2);
  });

  it('answers each line before the next one comes', async () => {
    const child = spawn(process.execPath, [main, ...named, '-'], { cwd: folder.path, env: folder.env });
    const answers = child.stdout.setEncoding('utf8')[Symbol.asyncIterator]();
    for (const [line, decision] of [
      ['ls', 'allow'],
      ['rm x', 'deny'],
    ] as const) {
      child.stdin.write(`${call(line)}\n`);
      const { value } = (await answers.next()) as { value: string };
      expect(JSON.parse(value)).toMatchObject({ decision });
    }
    child.stdin.end();
    expect(await new Promise((resolve) => child.on('close', resolve))).toBe(1);
  });

  it('asks about one call without a file', async () => {
    const one = await folder.run([...named, '--tool', 'run_command', '--args={"command_line":"rm x"}', '--json']);
    expect(one).toMatchObject({ code: 1, stderr: '' });
    expect(lines(one.stdout)).toMatchObject([{ decision: 'deny', rule: 'no deleting' }]);
    const ofServer = await folder.run([...named, '--tool', 'x', '--server', 'github']);
    expect(lines(ofServer.stdout)).toMatchObject([{ decision: 'ask', rule: 'github' }]);
    const asRule = await folder.run([...named, '--tool', 'github/x']);
    expect(asRule.stdout).toBe(ofServer.stdout);
  });

  it.each([
    ['args that are no JSON', ['--tool', 'x', '--args', '{']],
    ['args that are no object', ['--tool', 'x', '--args', '[]']],
    ['a folder of calls', ['.']],
    ['args without a tool', ['--args', '{}']],
    ['a tool beside a file', ['--tool', 'x', 'calls.jsonl']],
    ['a file that is not there', ['nowhere.jsonl']],
    ['two files', ['a.jsonl', 'b.jsonl']],
    ['an unknown option', ['--polcy', 'x']],
    ['a folder that is not there', ['--cwd', 'nowhere']],
  ])('refuses %s with exit code 2, and answers nothing', async (_title, args) => {
    const { code, stdout, stderr } = await folder.run([...named, ...args]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).not.toBe('');
    expect(stderr).not.toContain('    at ');
  });

  it(proves('D02')('answers nothing while the policy is bad, and shows each problem in its line'), async () => {
    const bad = folder.write('bad.yaml', 'version: 1\nrules:\n  - alow: x\n  - deny: y\n    wen: "true"\n');
    const { code, stdout, stderr } = await folder.run(['check', '--policy', bad, '-'], call('ls'));
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('bad.yaml:3:5: ');
    expect(stderr).toContain('3 |   - alow: x\n');
    expect(stderr).toMatch(/^ +\^$/m);
    expect(stderr).toContain('bad.yaml:5:5: ');
    const told = await folder.run(['check', '--policy', bad, '--json', '-'], call('ls'));
    expect(lines(told.stdout)).toMatchObject([
      { code: 'POLICY_FILE', problems: [/bad\.yaml:3:5/, /bad\.yaml:5:5/].map((each) => expect.stringMatching(each)) },
    ]);
    expect(told).toMatchObject({ code: 2, stderr });
  });
});

describe('a policy that nobody named', () => {
  it(proves('D12', 'D08')('is found, told of, and only tightens until it is trusted'), async () => {
    const here = new PolicyFolder(
      'version: 1\ndefault: allow\nrules:\n  - deny: view_file\ntools: { deploy: { tier: observe } }\n',
    );
    try {
      const calls = `${call('ls')}\n{"tool":"deploy"}\n{"tool":"view_file","args":{"file_path":"a"}}\n`;
      const before = await here.run(['check'], calls);
      expect(lines(before.stdout).map(({ decision }) => decision)).toEqual(['ask', 'ask', 'deny']);
      expect(before.stderr).toContain(join(here.path, 'bridle.yaml'));
      expect(before.stderr).toContain('not trusted');
      expect((await here.run(['trust', '--yes'])).code).toBe(0);
      const after = await here.run(['check'], calls);
      expect(lines(after.stdout).map(({ decision }) => decision)).toEqual(['allow', 'allow', 'deny']);
      here.write('bridle.yaml', 'version: 1\ndefault: allow\nrules: []\n');
      const changed = await here.run(['check'], calls);
      expect(lines(changed.stdout)[0]).toMatchObject({ decision: 'ask' });
      expect(changed.stderr).toContain(
        'the policy has changed since you trusted it, so calls with side effects are asked about even if it allows them',
      );
    } finally {
      here.remove();
    }
  });

  it(proves('D12')('runs its hooks in a chat only if the file and the modules are trusted'), async () => {
    const here = new PolicyFolder('version: 1\ndefault: allow\nhooks: hooks/guard.mjs\n');
    const hook = here.write(
      'hooks/guard.mjs',
      `import { appendFileSync } from 'node:fs';
      appendFileSync('loaded', 'x');
      export default { name: 'guard', preToolCall: () => ({ type: 'reject', reason: 'not today' }) };`,
    );
    try {
      const chat = () => here.run(['chat', '--agent', 'agent.mjs', '-p', 'read a.txt']);
      here.write(
        'agent.mjs',
        `import { scriptedModel } from ${JSON.stringify(join(root, 'dist/testing/index.js'))};
      const calls = [{ tool: 'view_file', args: { file_path: 'a.txt' } }];
      export default { model: scriptedModel([{ toolCalls: calls }, 'Read.']) };`,
      );
      here.write('a.txt', 'content');
      expect((await chat()).stderr).toContain('its hooks are not loaded');
      expect(existsSync(join(here.path, 'loaded'))).toBe(false);
      const lint = await here.run(['lint']);
      expect(lint.stderr).toContain('does not run the hooks of the policy (guard.mjs); agents do not load those of a');
      const trusted = await here.run(['trust', '--yes']);
      expect(trusted.stdout).toContain('runs      hooks/guard.mjs  2 lines; read this code before you trust it');
      expect((await chat()).stderr).toContain('not today');
      expect(readFileSync(join(here.path, 'loaded'), 'utf8')).toBe('x');
      here.write('hooks/guard.mjs', readFileSync(hook, 'utf8').replace('reject', 'confirm'));
      expect((await chat()).stderr).toContain('it has changed since you trusted it');
      expect(readFileSync(join(here.path, 'loaded'), 'utf8')).toBe('x');
      here.write('hooks/guard.mjs', 'export default 3');
      expect((await here.run(['trust', '--yes'])).code).toBe(0);
      expect(await chat()).toMatchObject({ code: 2, stderr: expect.stringContaining('bridle.yaml:3:8') as string });
    } finally {
      here.remove();
    }
  });

  it('is missed with a hint', async () => {
    const { code, stderr } = await folder.run(['check', '--cwd', folder.home], call('ls'));
    expect(code).toBe(2);
    expect(stderr).toContain('bridle init');
  });
});

describe('what is kept for the next start', () => {
  it('changes no answer, and is not read when others can write it', async () => {
    const here = new PolicyFolder(samplePolicy);
    try {
      const ask = async () => (await here.run([...named], `${call('ls')}\n${call('rm x')}\n`)).stdout;
      const first = await ask();
      for (let round = 0; round < 3; round++) expect(await ask()).toBe(first);
      const cache = join(here.home, 'cache');
      const kept = readdirSync(cache);
      expect(kept.map((name) => name.split('-', 1).join()).toSorted()).toEqual(['code', 'document']);
      expect(statSync(cache).mode & 0o777).toBe(0o700);
      for (const name of kept) expect(statSync(join(cache, name)).mode & 0o777).toBe(0o600);
      const document = join(cache, kept.find((name) => name.startsWith('document')) ?? '');
      writeFileSync(document, readFileSync(document, 'utf8').replaceAll('"deny"', '"allow"'));
      expect(await ask(), 'the folder of the user is trusted').not.toBe(first);
      chmodSync(document, 0o666);
      expect(await ask()).toBe(first);
      chmodSync(cache, 0o777);
      expect(await ask()).toBe(first);
    } finally {
      here.remove();
    }
  });

  it('is written anew where it is damaged, and missed where it cannot be written', async () => {
    const here = new PolicyFolder(samplePolicy);
    try {
      for (let round = 0; round < 2; round++) await here.run([...named], call('ls'));
      const cache = join(here.home, 'cache');
      for (const name of readdirSync(cache)) writeFileSync(join(cache, name), 'nonsense');
      for (let round = 0; round < 2; round++) {
        expect(await here.run([...named], call('ls'))).toMatchObject({ code: 0, stderr: '' });
      }
      expect(readdirSync(cache).every((name) => statSync(join(cache, name)).size > 100)).toBe(true);
      const file = join(here.home, 'file');
      writeFileSync(file, '');
      const child = spawn(process.execPath, [main, ...named, '--tool', 'x'], {
        cwd: here.path,
        env: { ...here.env, BRIDLE_HOME: file },
      });
      expect(await new Promise((resolve) => child.on('close', resolve))).toBe(3);
    } finally {
      here.remove();
    }
  });
});

describe('very many calls', () => {
  it('wait for whoever reads, and end when nobody does', async () => {
    const file = folder.write('some.jsonl', `${call('ls')}\n`.repeat(50_000));
    const child = spawn(process.execPath, [main, ...named, file], {
      cwd: folder.path,
      env: folder.env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    child.stdout.once('data', () => child.stdout.destroy());
    let stderr = '';
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    expect(await new Promise((resolve) => child.on('close', resolve))).toBe(141);
    expect(stderr).toBe('');
  });
});
