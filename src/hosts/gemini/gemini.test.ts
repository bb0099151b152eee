import { resolve } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { proves } from '../../../test/contract/cite.ts';
import { mutatedPayloads } from '../../../test/hosts/mutated-payloads.ts';
import { summarise } from '../../../test/hosts/fixtures.ts';
import { project, recordedEvents } from '../../../test/hosts/recorded-events.ts';
import { runs, seed } from '../../../test/property-runs.ts';
import { BridleError } from '../../kernel/errors.ts';
import type { JsonObject } from '../../kernel/json.ts';
import type { HookAnswer, HookInput, HostCall, HostEvent } from '../host.ts';
import { gemini } from './gemini.ts';

const recorded = recordedEvents('gemini');
const base = recorded.find(({ name }) => name === 'BeforeTool.run_shell_command')?.input as HookInput;

function callsOf(tool: string, input: JsonObject, env: HookInput['env'] = {}): readonly HostCall[] {
  const event = gemini.read({ ...base, payload: { ...base.payload, tool_name: tool, tool_input: input }, env });
  return event.type === 'tool-call' ? event.calls : [];
}
function eventOf(name: string): HostEvent {
  return gemini.read(recorded.find((each) => each.name.startsWith(name))?.input as HookInput);
}
/** What Gemini reads as the answer. */
function answer(given: HookAnswer, name = 'BeforeTool'): string {
  const output = gemini.render(given, eventOf(name), gemini.records[0]!);
  expect([output.stderr, output.exitCode]).toEqual(['', 0]);
  return output.stdout;
}
const refusal = expect.objectContaining({ code: 'PAYLOAD_INVALID' });

describe('Gemini CLI', () => {
  it(proves('C04', 'C09')('reads every recorded event'), () => {
    const lines = recorded.map(({ name, input }) => `${name}: ${summarise(gemini.read(input))}`);
    expect(lines.join('\n')).toMatchInlineSnapshot(`
      "AfterAgent: turn-end All done.
      AfterModel: other
      AfterTool.glob: tool-result find_file {"directory_path":"/home/user/project","query":"*.txt"} → ok
      AfterTool.grep_search: tool-result search_directory {"directory_path":"/home/user/project","query":"new"} → ok
      AfterTool.invoke_agent: tool-result start_subagent {"agent":"generalist","prompt":"SUBAGENT run it"} → ok
      AfterTool.list_directory: tool-result list_directory {"directory_path":"/home/user/project"} → ok
      AfterTool.mcp_lab_touch_marker: tool-result lab/touch_marker {"name":"mcp-marker"} → ok
      AfterTool.read_file: tool-result view_file {"file_path":"/home/user/project/existing.txt"} → ok
      AfterTool.replace: tool-result edit_file {"file_path":"/home/user/project/existing.txt","old_text":"old line","new_text":"new line"} → ok
      AfterTool.run_shell_command: tool-result run_command {"command_line":"echo ran > /home/user/project/marker.txt"} bash → ok
      AfterTool.web_fetch: tool-result read_url_content {"url":"http://127.0.0.1:18080/x"} → error
      AfterTool.write_file: tool-result create_file {"file_path":"/home/user/project/new.txt","contents":"hi\\n"} → ok
      BeforeAgent: prompt please create the marker
      BeforeModel: other
      BeforeTool.glob: tool-call find_file {"directory_path":"/home/user/project","query":"*.txt"}
      BeforeTool.grep_search: tool-call search_directory {"directory_path":"/home/user/project","query":"new"}
      BeforeTool.invoke_agent: tool-call start_subagent {"agent":"generalist","prompt":"SUBAGENT run it"}
      BeforeTool.list_directory: tool-call list_directory {"directory_path":"/home/user/project"}
      BeforeTool.mcp_lab_touch_marker: tool-call lab/touch_marker {"name":"mcp-marker"}
      BeforeTool.read_file: tool-call view_file {"file_path":"/home/user/project/existing.txt"}
      BeforeTool.replace: tool-call edit_file {"file_path":"/home/user/project/existing.txt","old_text":"old line","new_text":"new line"}
      BeforeTool.run_shell_command: tool-call run_command {"command_line":"echo ran > /home/user/project/marker.txt"} bash
      BeforeTool.web_fetch: tool-call read_url_content {"url":"http://127.0.0.1:18080/x"}
      BeforeTool.write_file: tool-call create_file {"file_path":"/home/user/project/new.txt","contents":"hi\\n"}
      BeforeToolSelection: other
      PreCompress: compaction before
      SessionEnd: session-end exit
      SessionStart: session-start false"
    `);
  });

  it('knows the folders and the session of an event', () => {
    expect(gemini.read({ ...base, folder: '/elsewhere' })).toMatchObject({
      session: '201cf857-4ba4-4e8b-a428-fe2d9c59603d',
      agent: ['main'],
      cwd: project,
      project,
    });
    expect(gemini.read({ ...base, env: {}, folder: '/elsewhere' }).project).toBe('/elsewhere');
  });

  it(proves('C02')('takes an unknown event with a tool for a call, and one without a tool for nothing'), () => {
    const unknown = { ...base.payload, hook_event_name: 'BeforeToolBatch' };
    expect(gemini.read({ ...base, payload: unknown }).type).toBe('tool-call');
    const { tool_name: _, tool_input: __, ...rest } = unknown as JsonObject;
    expect(gemini.read({ ...base, payload: rest }).type).toBe('other');
  });

  it('treats a search that ignores .gitignore like one for every file', () => {
    expect(callsOf('grep_search', { pattern: 'x', no_ignore: true })[0]?.args).toMatchObject({ include: '**/*' });
  });

  describe('commands', () => {
    it.each([
      ['ls -la', 'ls -la'],
      ['  ls\n', 'ls'],
      ['\u00A0rm x', 'rm x'],
      ['echo a #', 'echo a #'],
      ['# only a comment', '# only a comment'],
      ['cat <<EOF\nx\nEOF', 'cat <<EOF\nx\nEOF'],
      ["bash -c 'rm -r x && ls'", 'rm -r x && ls'],
      ['/bin/SH -c "ls -la"', 'ls -la'],
      ['bash -c ls -la', 'ls -la'],
      ['echo a\\\\', 'echo a\\\\'],
      ['for i in a b; do echo "$i"; done', 'for i in a b; do echo "$i"; done'],
    ])('%j runs as %j', (command, text) => {
      expect(callsOf('run_shell_command', { command })[0]?.args).toEqual({ command_line: text });
    });

    it.each([
      'echo a\n)\ntouch x\n(\ntrue',
      'a\n) && (\nb',
      'a\n)\n(\nb',
      ')',
      'echo a \\',
      'cat <<EOF\nx',
      "cat <<')'\nx",
      "echo 'a",
      'if true',
      "bash -c 'echo ' '; touch x; ' ''",
      'bash -c "echo $HOME"',
      "bash -c 'echo a'; touch x; echo 'b'",
    ])('refuses %j, which Gemini would change', (command) => {
      expect(() => callsOf('run_shell_command', { command })).toThrow(refusal);
    });

    it(proves('C04')('have facts only in an environment that does not change them'), () => {
      const [clean] = callsOf('run_shell_command', { command: 'ls' });
      const [changed] = callsOf('run_shell_command', { command: 'ls' }, { BASH_ENV: '/x' });
      expect(clean?.declaration.touches?.bash).toEqual(['command_line']);
      expect(changed?.declaration.touches?.bash).toBeUndefined();
    });

    it('join their folder, and translate changes back unless Gemini would change them again', () => {
      const input = { command: 'ls', dir_path: 'a/../b', is_background: true, description: 'd' };
      const [call] = callsOf('run_shell_command', input);
      expect(call?.args).toEqual({ command_line: 'ls', working_dir: `${project}/b`, background: true });
      expect(call?.toInput({ command_line: 'pwd' })).toEqual({ description: 'd', command: 'pwd' });
      expect(call?.toInput({ command_line: "bash -c 'pwd'" })).toBeUndefined();
      expect(call?.toInput({ command_line: 'pwd', other: 1 })).toBeUndefined();
    });
  });

  describe('paths', () => {
    it.each([
      ['a.txt', ['a.txt']],
      ['%2eenv', ['%2eenv', '.env']],
      ['@.env', ['@.env', '.env']],
      ['@/%2eenv', ['@/%2eenv', '@/.env', '%2eenv', '.env']],
      ['100%', ['100%']],
    ])('%j can be %j', (file, files) => {
      const paths = callsOf('read_file', { file_path: file }).map(({ args }) => args['file_path']);
      expect(new Set(paths)).toEqual(new Set(files.map((each) => `${project}/${each}`)));
    });

    it.each(['', 'a\0b', 'a%00b', 7])('refuses %j', (file) => {
      expect(() => callsOf('write_file', { file_path: file, content: '' })).toThrow(refusal);
    });

    it('refuses to replace text in a relative path without a file: Gemini would search for it', () => {
      const input = { instruction: 'x', old_string: 'a', new_string: 'b' };
      expect(() => callsOf('replace', { ...input, file_path: 'no-such-file.txt' })).toThrow('absolute path');
      expect(callsOf('replace', { ...input, file_path: '/no/such/file.txt' })).toHaveLength(1);
    });

    it('follow patterns that leave their folder', () => {
      const folders = ['*.ts', '/etc/*', '{..,a}/*'].flatMap((pattern) => callsOf('glob', { pattern }));
      expect(folders.map(({ args }) => args['directory_path'])).toEqual([project, '/etc', '/']);
    });
  });

  it.each([
    ['get http://a.example/x', ['http://a.example/x']],
    ['http://a.example/\nand https://b.example.', ['http://a.example/', 'https://b.example.']],
    ['(http://a.example)', ['(http://a.example)']],
    ['no url at all', ['no url at all']],
    [
      'https://github.com/o/r/blob/main/x',
      ['https://github.com/o/r/blob/main/x', 'https://raw.githubusercontent.com/o/r/main/x'],
    ],
  ])('fetches every URL of the prompt %j', (prompt, urls) => {
    expect(callsOf('web_fetch', { prompt }).map(({ args }) => args['url'])).toEqual(urls);
  });

  it(proves('C04')('keeps the names of servers, and of tools that it does not know'), () => {
    const mcp = { server_name: 'a_b', tool_name: 'c' };
    const event = gemini.read({ ...base, payload: { ...base.payload, tool_name: 'read_file', mcp_context: mcp } });
    expect(event).toMatchObject({ calls: [{ server: 'a_b', tool: 'c' }] });
    expect(callsOf('activate_skill', { name: 'x' })[0]).toMatchObject({ tool: 'activate_skill', args: { name: 'x' } });
    expect(callsOf('view_file', {})[0]?.tool).toBe('host:view_file');
    expect(callsOf('constructor', {})[0]?.tool).toBe('constructor');
  });

  describe('answers', () => {
    it(proves('C03')('are exactly what Gemini honours'), () => {
      expect(answer({ type: 'pass' })).toBe('{}');
      expect(answer({ type: 'deny', reason: 'No.' })).toBe('{"decision":"deny","reason":"No."}');
      expect(answer({ type: 'ask', reason: 'Sure?' })).toBe('{"decision":"deny","reason":"Sure?"}');
      expect(answer({ type: 'rewrite', input: { command: 'ls' } })).toBe(
        '{"hookSpecificOutput":{"hookEventName":"BeforeTool","tool_input":{"command":"ls"}}}',
      );
      expect(answer({ type: 'replace-result', text: 'x' }, 'AfterTool')).toBe('{"decision":"deny","reason":"x"}');
      expect(answer({ type: 'deny', reason: 'No.' }, 'BeforeAgent')).toBe('{"decision":"deny","reason":"No."}');
      expect(answer({ type: 'deny', reason: 'No.' }, 'AfterAgent')).toBe('{}');
      expect(answer({ type: 'deny', reason: '' })).toBe('{"decision":"deny","reason":"Denied."}');
    });
  });

  it(proves('C02')('reads damaged payloads exactly, or not at all'), () => {
    const names = [...Object.keys(tools), 'BeforeTool', 'tool_name', 'tool_input', 'file_path', 'command'];
    const payloads = recorded.filter(({ name }) => name.startsWith('BeforeTool')).map(({ input }) => input.payload);
    fc.assert(
      fc.property(mutatedPayloads(payloads, names), (payload) => {
        const event = readOrRefuse(payload);
        if (event === undefined || event.type !== 'tool-call') {
          // Without a call, there must be none in the payload.
          if (event !== undefined)
            expect(
              ['tool_name', 'tool_input'].filter((name) => payload[name] !== undefined && payload[name] !== null),
            ).toEqual([]);
          return;
        }
        expect(event.calls.length).toBeGreaterThan(0);
        expectCarried(event.calls[0]!, payload);
      }),
      { seed, numRuns: runs(1000) },
    );
  });
});

function readOrRefuse(payload: JsonObject): HostEvent | undefined {
  try {
    return gemini.read({ ...base, payload });
  } catch (error) {
    expect(error).toBeInstanceOf(BridleError);
    return undefined;
  }
}

/** Bridle's tool, its argument, and the argument of Gemini's tool. */
const tools: Readonly<Record<string, readonly [string, string, string]>> = {
  run_shell_command: ['run_command', 'command_line', 'command'],
  read_file: ['view_file', 'file_path', 'file_path'],
  write_file: ['create_file', 'file_path', 'file_path'],
  replace: ['edit_file', 'file_path', 'file_path'],
  list_directory: ['list_directory', 'directory_path', 'dir_path'],
  grep_search: ['search_directory', 'query', 'pattern'],
  glob: ['find_file', 'query', 'pattern'],
  web_fetch: ['read_url_content', '', ''],
  google_web_search: ['search_web', 'query', 'query'],
  invoke_agent: ['start_subagent', 'prompt', 'prompt'],
};

function expectCarried(call: HostCall, payload: JsonObject): void {
  const input = payload['tool_input'] as JsonObject;
  const mcp = (payload['mcp_context'] ?? undefined) as JsonObject | undefined;
  const tool = payload['tool_name'] as string;
  if (mcp !== undefined) {
    expect([call.server, call.tool, call.args]).toEqual([mcp['server_name'], mcp['tool_name'], input]);
    return;
  }
  const [name, arg, field] = Object.hasOwn(tools, tool) ? tools[tool]! : [undefined, '', ''];
  if (name === undefined) {
    if (call.tool !== 'update_plan') expect(call.args).toEqual(input);
    expect([tool, `host:${tool}`, 'update_plan']).toContain(call.tool);
    return;
  }
  expect(call.tool).toBe(name);
  const value = input[field];
  if (arg === '' || typeof value !== 'string') return;
  const isPath = arg.endsWith('_path');
  const expected = isPath ? resolve(payload['cwd'] as string, value) : arg === 'command_line' ? value.trim() : value;
  expect(call.args[arg]).toBe(expected);
}
