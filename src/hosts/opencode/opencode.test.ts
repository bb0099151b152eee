import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { proves } from '../../../test/contract/cite.ts';
import { mutatedPayloads } from '../../../test/hosts/mutated-payloads.ts';
import { summarise } from '../../../test/hosts/fixtures.ts';
import { project, recordedEvents } from '../../../test/hosts/recorded-events.ts';
import { runs, seed } from '../../../test/property-runs.ts';
import { BridleError } from '../../kernel/errors.ts';
import type { JsonObject, JsonValue } from '../../kernel/json.ts';
import type { HookAnswer, HookInput, HostCall, HostEvent } from '../host.ts';
import { runsLikeBash } from './command-shell.ts';
import { opencode } from './opencode.ts';

const recorded = recordedEvents('opencode');
const inputOf = (name: string): HookInput => recorded.find((each) => each.name === name)?.input as HookInput;
const base = inputOf('tool.execute.before.bash');

function payloadOf(tool: string, args: JsonValue, fields: JsonObject = {}): JsonObject {
  return { ...base.payload, input: { tool, sessionID: 's', callID: 'c' }, output: { args }, ...fields };
}

function callsOf(tool: string, args: JsonValue, fields: JsonObject = {}): readonly HostCall[] {
  const event = opencode.read({ ...base, payload: payloadOf(tool, args, fields) });
  return event.type === 'tool-call' ? event.calls : [];
}

/** What the plugin gets as the answer. */
function answer(given: HookAnswer, name = 'tool.execute.before.bash'): string {
  const output = opencode.render(given, opencode.read(inputOf(name)), opencode.records[0]!);
  expect([output.stderr, output.exitCode]).toEqual(['', 0]);
  return output.stdout;
}
const refusal = expect.objectContaining({ code: 'PAYLOAD_INVALID' });

describe('opencode', () => {
  it(proves('C04', 'C09')('reads every recorded event'), () => {
    const lines = recorded.map(({ name, input }) => `${name}: ${summarise(opencode.read(input))}`);
    expect(lines.join('\n')).toMatchInlineSnapshot(`
      "chat.message: prompt "please create the marker"
      chat.params: other
      event.file.edited: other
      event.session.created: session-start false
      event.session.diff: other
      event.session.idle: turn-end undefined
      event.session.status: other
      plugin.init: other
      shell.env: other
      tool.execute.after.bash: tool-result run_command {"command_line":"echo ran > /home/user/project/marker.txt"} bash → ok
      tool.execute.after.edit: tool-result edit_file {"file_path":"/home/user/project/existing.txt","old_text":"old line","new_text":"new line"} → ok
      tool.execute.after.lab_touch_marker: tool-result lab/touch_marker {"name":"mcp-marker"} → ok
      tool.execute.after.read: tool-result view_file {"file_path":"/home/user/project/existing.txt"} → ok
      tool.execute.after.todowrite: tool-result update_plan {"name":"todowrite","input":{"todos":[]}} → ok
      tool.execute.after.write: tool-result create_file {"file_path":"/home/user/project/new.txt","contents":"hi\\n"} → ok
      tool.execute.before.bash: tool-call run_command {"command_line":"echo ran > /home/user/project/marker.txt"} bash
      tool.execute.before.bash.subagent: tool-call run_command {"command_line":"echo ran > /home/user/project/marker.txt"} bash
      tool.execute.before.edit: tool-call edit_file {"file_path":"/home/user/project/existing.txt","old_text":"old line","new_text":"new line"}
      tool.execute.before.glob: tool-call find_file {"directory_path":"/home/user/project","query":"*.txt"}
      tool.execute.before.grep: tool-call search_directory {"directory_path":"/home/user/project","query":"new"}
      tool.execute.before.lab_touch_marker: tool-call lab/touch_marker {"name":"mcp-marker"}
      tool.execute.before.read: tool-call view_file {"file_path":"/home/user/project/existing.txt"}
      tool.execute.before.task.subagent: tool-call start_subagent {"agent":"general","prompt":"SUBAGENT run it"}
      tool.execute.before.todowrite: tool-call update_plan {"name":"todowrite","input":{"todos":[]}}
      tool.execute.before.webfetch: tool-call read_url_content {"url":"http://127.0.0.1:18080/x"}
      tool.execute.before.write: tool-call create_file {"file_path":"/home/user/project/new.txt","contents":"hi\\n"}"
    `);
  });

  it(proves('C06')('knows the folder, the sessions and the version of an event'), () => {
    const payload = { ...base.payload, sessions: ['root', 'child'], version: '1.18.33' };
    const expected = { session: 'root', agent: ['main', 'child'], cwd: project, project, version: '1.18.33' };
    expect(opencode.read({ ...base, payload, folder: '/elsewhere' })).toMatchObject(expected);
    const prompt = { ...inputOf('chat.message').payload, sessions: ['root', 'child'] };
    expect(opencode.read({ ...base, payload: prompt }).type).toBe('other');
  });

  it(proves('C02')('takes an unknown event with a tool for a call'), () => {
    expect(opencode.read({ ...base, payload: { ...base.payload, event: 'tool.execute.later' } }).type).toBe(
      'tool-call',
    );
  });

  it('joins the folder of a command, and translates changes back', () => {
    const [call] = callsOf('bash', { command: 'ls', workdir: 'a/../b', timeout: 5 });
    expect(call).toMatchObject({ id: 'c', args: { command_line: 'ls', working_dir: `${project}/b` } });
    expect(call?.toInput({ command_line: 'pwd', working_dir: '/x' })).toEqual({
      timeout: 5,
      command: 'pwd',
      workdir: '/x',
    });
    expect(call?.toInput({ command_line: 'pwd', background: true })).toBeUndefined();
  });

  it('reads the files of a patch', () => {
    const patchText = '*** Begin Patch\n*** Add File: a\n+x\n*** Delete File: /d\n*** End Patch';
    expect(callsOf('apply_patch', { patchText }).map(({ tool, args }) => [tool, args['file_path']])).toEqual([
      ['create_file', `${project}/a`],
      ['edit_file', '/d'],
    ]);
  });

  it.each<[string, JsonValue]>([
    ['apply_patch', { patchText: '*** Begin Patch\n*** Add File:a\n+x\n*** End Patch' }],
    ['bash', 'ls'],
    ['bash', {}],
    ['bash', { command: 'ls', workdir: 7 }],
    ['read', { filePath: 'a\0b' }],
    ['write', { filePath: 'a' }],
    ['edit', { filePath: 'a', oldString: 'x', newString: 'y', replaceAll: 'yes' }],
    ['lab_touch', null],
    ['', {}],
  ])('refuses %j with %j', (tool, args) => {
    expect(() => callsOf(tool, args)).toThrow(refusal);
  });

  it(proves('C04')('finds the server of a tool by the configured servers'), () => {
    expect(callsOf('lab_touch_marker', {})[0]).toMatchObject({ server: 'lab', tool: 'touch_marker' });
    expect(callsOf('a_b_c', {}, { servers: ['a', 'a.b', 'x'] })[0]).toMatchObject({
      server: undefined,
      tool: 'a_b_c',
      otherNames: [
        { server: 'a', tool: 'b_c' },
        { server: 'a.b', tool: 'c' },
      ],
    });
    expect(callsOf('a_b_c', {}, { servers: ['x'] })[0]).toMatchObject({
      tool: 'a_b_c',
      otherNames: [
        { server: 'a', tool: 'b_c' },
        { server: 'a_b', tool: 'c' },
      ],
    });
    expect(callsOf('view_file', {}, { servers: [] })[0]?.tool).toBe('host:view_file');
    expect(() => callsOf('a_b', {}, { servers: 'a' })).toThrow(refusal);
  });

  it(proves('C03')('answers in the words of its plugin'), () => {
    expect(answer({ type: 'pass' })).toBe('{"decision":"pass"}');
    expect(answer({ type: 'deny', reason: 'No.' })).toBe('{"decision":"deny","reason":"No."}');
    expect(answer({ type: 'ask', reason: 'Sure?' })).toBe('{"decision":"deny","reason":"Sure?"}');
    expect(answer({ type: 'rewrite', input: { command: 'ls' } })).toBe(
      '{"decision":"rewrite","input":{"command":"ls"}}',
    );
    expect(answer({ type: 'rewrite', input: {} }, 'tool.execute.after.bash')).toContain('"deny"');
    expect(answer({ type: 'replace-result', text: 'x' }, 'tool.execute.after.bash')).toBe(
      '{"decision":"replace","output":"x"}',
    );
    expect(opencode.refuse?.('Broken.', base)?.stdout).toBe('{"decision":"deny","reason":"Broken."}');
  });

  it(proves('C02')('reads damaged payloads exactly, or not at all'), () => {
    const names = [
      ...Object.keys(tools),
      'tool.execute.before',
      'input',
      'output',
      'tool',
      'args',
      'filePath',
      'command',
    ];
    const payloads = recorded
      .filter(({ name }) => name.startsWith('tool.execute.before'))
      .map(({ input }) => input.payload);
    fc.assert(
      fc.property(mutatedPayloads(payloads, names), (payload) => {
        const event = readOrRefuse(payload);
        if (event === undefined || event.type === 'tool-result') return;
        const { tool } = payload['input'] as JsonObject;
        const args = (payload['output'] as JsonObject | null | undefined)?.['args'];
        if (event.type !== 'tool-call') expect([tool ?? undefined, args ?? undefined]).toEqual([undefined, undefined]);
        else expectCarried(event.calls[0], tool as string, args as JsonObject, payload['directory'] as string);
      }),
      { seed, numRuns: runs(1000) },
    );
  });
});

describe('runsLikeBash', () => {
  const home = mkdtempSync(join(tmpdir(), 'bridle-zsh-'));
  afterAll(() => rmSync(home, { recursive: true, force: true }));
  const line = 'echo "${a[@]}"';

  it.each([
    [null, { SHELL: '/bin/bash' }, true],
    [null, { SHELL: '/opt/tools/bin/bash' }, true],
    [null, {}, true],
    [null, { SHELL: '/usr/bin/fish' }, true],
    [null, { SHELL: '/bin/sh' }, false],
    [null, { SHELL: '/bin/zsh' }, false],
    [null, { SHELL: './bash' }, false],
    [null, { SHELL: '/bin/bash', BASH_ENV: '/x' }, false],
    ['/bin/bash', { SHELL: '/bin/zsh' }, true],
    ['bash', {}, true],
    ['/bin/sh', { SHELL: '/bin/bash' }, false],
    ['./bash', { SHELL: '/bin/bash' }, false],
    ['/home/user/project/bash', { SHELL: '/bin/bash' }, false],
    ['/usr/bin/python3', { SHELL: '/bin/bash' }, false],
    [undefined, { SHELL: '/bin/bash' }, false],
    [null, { SHELL: '/bin/bash', LD_PRELOAD: `${project}/x.so` }, false],
  ])('shell %j in %j: %j', (configured, env, expected) => {
    expect(runsLikeBash(line, { configured, env, project })).toBe(expected);
  });

  it('accepts lines that mean the same in every shell', () => {
    const zsh = { configured: null, env: { SHELL: '/bin/zsh', HOME: home }, project };
    expect(runsLikeBash('ls -la src', { configured: '/bin/sh', env: {}, project })).toBe(true);
    expect(runsLikeBash('ls -la src', { configured: '/usr/bin/python3', env: {}, project })).toBe(false);
    writeFileSync(join(home, '.zshenv'), '# nothing\nexport EDITOR=vim\n\n');
    const before = runsLikeBash('ls -la src', zsh);
    writeFileSync(join(home, '.zshenv'), 'ls() { rm -r . }\n');
    expect(runsLikeBash('ls -la src', zsh)).toBe(false);
    writeFileSync(join(home, '.zshenv'), 'export CDPATH=/usr\n');
    expect(runsLikeBash('ls -la src', zsh)).toBe(false);
    // A file of the system may say more.
    expect([true, false]).toContain(before);
  });
});

function readOrRefuse(payload: JsonObject): HostEvent | undefined {
  try {
    return opencode.read({ ...base, payload });
  } catch (error) {
    expect(error).toBeInstanceOf(BridleError);
    return undefined;
  }
}

/** Bridle's tool, its argument, and the argument of opencode's tool. */
const tools: Readonly<Record<string, readonly [string, string, string]>> = {
  bash: ['run_command', 'command_line', 'command'],
  read: ['view_file', 'file_path', 'filePath'],
  write: ['create_file', 'file_path', 'filePath'],
  edit: ['edit_file', 'file_path', 'filePath'],
  glob: ['find_file', 'query', 'pattern'],
  grep: ['search_directory', 'query', 'pattern'],
  webfetch: ['read_url_content', 'url', 'url'],
  task: ['start_subagent', 'prompt', 'prompt'],
};

// oxlint-disable-next-line max-params
function expectCarried(call: HostCall | undefined, tool: string, args: JsonObject, folder: string): void {
  const [name, arg, field] = Object.hasOwn(tools, tool) ? tools[tool]! : [undefined, '', ''];
  if (name === undefined) {
    const whole = call?.server === undefined ? call?.tool : `${call.server}_${call.tool}`;
    expect([tool, `host:${tool}`, 'update_plan']).toContain(whole);
    if (call?.tool !== 'update_plan') expect(call?.args).toEqual(args);
    return;
  }
  expect(call?.tool).toBe(name);
  const value = args[field] as string;
  expect(call?.args[arg]).toBe(arg === 'file_path' ? resolve(folder, value) : value);
}
