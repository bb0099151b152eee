import { resolve } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { proves } from '../../../test/contract/cite.ts';
import { mutatedPayloads } from '../../../test/hosts/mutated-payloads.ts';
import { summarise } from '../../../test/hosts/fixtures.ts';
import { project, recordedEvents } from '../../../test/hosts/recorded-events.ts';
import { runs, seed } from '../../../test/property-runs.ts';
import { BridleError } from '../../kernel/errors.ts';
import type { JsonObject, JsonValue } from '../../kernel/json.ts';
import type { HookAnswer, HookInput, HostCall, HostEvent } from '../host.ts';
import { copilot } from './copilot.ts';

const recorded = recordedEvents('copilot');
const inputOf = (name: string): HookInput => recorded.find((each) => each.name === name)?.input as HookInput;
const base = inputOf('preToolUse.bash');

function callsOf(tool: string, input: JsonValue, env: HookInput['env'] = {}): readonly HostCall[] {
  const event = copilot.read({ ...base, payload: { ...base.payload, toolName: tool, toolArgs: input }, env });
  return event.type === 'tool-call' ? event.calls : [];
}

/** What Copilot reads as the answer. */
function answer(given: HookAnswer, name = 'preToolUse.bash'): string {
  const output = copilot.render(given, copilot.read(inputOf(name)), copilot.records[0]!);
  expect([output.stderr, output.exitCode]).toEqual(['', 0]);
  return output.stdout;
}
function refuse(payload: JsonObject): string | undefined {
  return copilot.refuse?.('Broken.', { ...base, payload })?.stdout;
}
const refusal = expect.objectContaining({ code: 'PAYLOAD_INVALID' });

describe('Copilot CLI', () => {
  it(proves('C04', 'C09')('reads every recorded event'), () => {
    const lines = recorded.map(({ name, input }) => `${name}: ${summarise(copilot.read(input))}`);
    expect(lines.join('\n')).toMatchInlineSnapshot(`
      "PermissionRequest.bash.pascal: tool-call run_command {"command_line":"echo ran > /home/user/project/marker.txt"} bash
      PermissionRequest.edit.pascal: tool-call edit_file {"file_path":"/home/user/project/existing.txt","new_text":"\\ndiff --git a/home/user/project/existing.txt b/home/user/project/existing.txt\\nindex 0000000..0000000 100644\\n--- a/home/user/project/existing.txt\\n+++ b/home/user/project/existing.txt\\n@@ -1,2 +1,2 @@\\n-old line\\n+new line\\n \\n"}
      PermissionRequest.lab_touch_marker.pascal: tool-call lab/touch_marker {"name":"mcp-marker"}
      PostToolUse.Bash.pascal: tool-result run_command {"command_line":"echo ran > /home/user/project/marker.txt"} bash → ok
      PostToolUse.Edit.pascal: tool-result edit_file {"file_path":"/home/user/project/existing.txt","old_text":"old line","new_text":"new line"} → ok
      PostToolUse.Glob.pascal: tool-result find_file {"directory_path":"/home/user/project","query":"*.txt"} → ok
      PostToolUse.Grep.pascal: tool-result search_directory {"directory_path":"/home/user/project","query":"new"} → ok
      PostToolUse.Read.pascal: tool-result view_file {"file_path":"/home/user/project/existing.txt"} → ok
      PostToolUse.Write.pascal: tool-result create_file {"file_path":"/home/user/project/new.txt","contents":"hi\\n"} → ok
      PostToolUse.lab-touch_marker.pascal: tool-result lab/touch_marker {"name":"mcp-marker"} → ok
      PostToolUseFailure.Grep.pascal: tool-result search_directory {"directory_path":"/home/user/project","query":"new"} → error
      PostToolUseFailure.WebFetch.pascal: tool-result read_url_content {"url":"http://127.0.0.1:18080/x"} → error
      PostToolUseFailure.report_intent.pascal: tool-result update_plan {"name":"report_intent","input":{"intent":"x"}} → error
      PreToolUse.Bash.pascal: tool-call run_command {"command_line":"echo ran > /home/user/project/marker.txt"} bash
      PreToolUse.Edit.pascal: tool-call edit_file {"file_path":"/home/user/project/existing.txt","old_text":"old line","new_text":"new line"}
      PreToolUse.Glob.pascal: tool-call find_file {"directory_path":"/home/user/project","query":"*.txt"}
      PreToolUse.Grep.pascal: tool-call search_directory {"directory_path":"/home/user/project","query":"new"}
      PreToolUse.Read.pascal: tool-call view_file {"file_path":"/home/user/project/existing.txt"}
      PreToolUse.WebFetch.pascal: tool-call read_url_content {"url":"http://127.0.0.1:18080/x"}
      PreToolUse.Write.pascal: tool-call create_file {"file_path":"/home/user/project/new.txt","contents":"hi\\n"}
      PreToolUse.lab-touch_marker.pascal: tool-call lab/touch_marker {"name":"mcp-marker"}
      PreToolUse.report_intent.pascal: tool-call update_plan {"name":"report_intent","input":{"intent":"x"}}
      SessionEnd.pascal: session-end complete
      SessionStart.pascal: session-start false
      Stop.pascal: turn-end undefined
      UserPromptSubmit.pascal: prompt please create the marker
      agentStop: turn-end undefined
      agentStop.subagent: turn-end undefined
      notification: other
      permissionRequest.bash: tool-call run_command {"command_line":"echo ran > /home/user/project/marker.txt"} bash
      permissionRequest.edit: tool-call edit_file {"file_path":"/home/user/project/existing.txt","new_text":"\\ndiff --git a/home/user/project/existing.txt b/home/user/project/existing.txt\\nindex 0000000..0000000 100644\\n--- a/home/user/project/existing.txt\\n+++ b/home/user/project/existing.txt\\n@@ -1,2 +1,2 @@\\n-old line\\n+new line\\n \\n"}
      permissionRequest.lab_touch_marker: tool-call lab/touch_marker {"name":"mcp-marker"}
      postToolUse.apply_patch: tool-result create_file {"file_path":"/home/user/project/marker.txt","patch":"*** Begin Patch\\n*** Add File: marker.txt\\n+hello\\n*** End Patch"} → ok
      postToolUse.bash: tool-result run_command {"command_line":"echo ran > /home/user/project/marker.txt"} bash → ok
      postToolUse.bash.subagent: tool-result run_command {"command_line":"echo ran > /home/user/project/marker.txt"} bash → ok by main/141ba265-b37c-4342-a112-290465cf4c4e
      postToolUse.create: tool-result create_file {"file_path":"/home/user/project/new.txt","contents":"hi\\n"} → ok
      postToolUse.edit: tool-result edit_file {"file_path":"/home/user/project/existing.txt","old_text":"old line","new_text":"new line"} → ok
      postToolUse.glob: tool-result find_file {"directory_path":"/home/user/project","query":"*.txt"} → ok
      postToolUse.grep: tool-result search_directory {"directory_path":"/home/user/project","query":"new"} → ok
      postToolUse.lab-touch_marker: tool-result lab/touch_marker {"name":"mcp-marker"} → ok
      postToolUse.task.subagent: tool-result start_subagent {"agent":"general-purpose","prompt":"SUBAGENT run it"} → ok
      postToolUse.view: tool-result view_file {"file_path":"/home/user/project/existing.txt"} → ok
      postToolUseFailure.report_intent: tool-result update_plan {"name":"report_intent","input":{"intent":"x"}} → error
      postToolUseFailure.rg: tool-result search_directory {"directory_path":"/home/user/project","query":"new"} → error
      postToolUseFailure.web_fetch: tool-result read_url_content {"url":"http://127.0.0.1:18080/x"} → error
      preToolUse.apply_patch: tool-call create_file {"file_path":"/home/user/project/marker.txt","patch":"*** Begin Patch\\n*** Add File: marker.txt\\n+hello\\n*** End Patch"}
      preToolUse.bash: tool-call run_command {"command_line":"echo ran > /home/user/project/marker.txt"} bash
      preToolUse.bash.subagent: tool-call run_command {"command_line":"echo ran > /home/user/project/marker.txt"} bash by main/141ba265-b37c-4342-a112-290465cf4c4e
      preToolUse.create: tool-call create_file {"file_path":"/home/user/project/new.txt","contents":"hi\\n"}
      preToolUse.edit: tool-call edit_file {"file_path":"/home/user/project/existing.txt","old_text":"old line","new_text":"new line"}
      preToolUse.glob: tool-call find_file {"directory_path":"/home/user/project","query":"*.txt"}
      preToolUse.grep: tool-call search_directory {"directory_path":"/home/user/project","query":"new"}
      preToolUse.lab-touch_marker: tool-call lab/touch_marker {"name":"mcp-marker"}
      preToolUse.report_intent: tool-call update_plan {"name":"report_intent","input":{"intent":"x"}}
      preToolUse.rg: tool-call search_directory {"directory_path":"/home/user/project","query":"new"}
      preToolUse.task.subagent: tool-call start_subagent {"agent":"general-purpose","prompt":"SUBAGENT run it"}
      preToolUse.view: tool-call view_file {"file_path":"/home/user/project/existing.txt"}
      preToolUse.web_fetch: tool-call read_url_content {"url":"http://127.0.0.1:18080/x"}
      sessionEnd: session-end complete
      sessionStart: session-start false
      subagentStart.subagent: other by main/141ba265-b37c-4342-a112-290465cf4c4e
      subagentStop.subagent: other by main/141ba265-b37c-4342-a112-290465cf4c4e
      userPromptSubmitted: prompt please create the marker
      userPromptTransformed: other"
    `);
  });

  it(proves('C06')('knows the folders, the version and the agent of an event'), () => {
    expect(copilot.read(base)).toMatchObject({ cwd: project, project, version: '1.0.102', agent: ['main'] });
    const agent = '141ba265-b37c-4342-a112-290465cf4c4e';
    const session = '1f7bc4c7-a89c-4963-820c-d30bb044339a';
    expect(copilot.read(inputOf('preToolUse.bash.subagent'))).toMatchObject({ session, agent: ['main', agent] });
    const foreign = { agent_id: agent, parent_agent_id: session };
    const payload = { ...inputOf('PreToolUse.Bash.pascal').payload, ...foreign };
    expect(copilot.read({ ...base, payload })).toMatchObject({ session, agent: ['main', agent] });
  });

  it(proves('C02')('takes an unknown event with a tool for a call, and one without a tool for nothing'), () => {
    const { session_id, timestamp, cwd, tool_name, tool_input } = inputOf('PreToolUse.Bash.pascal').payload;
    const common = { session_id: session_id!, timestamp: timestamp!, cwd: cwd!, hook_event_name: 'PreToolBatch' };
    expect(copilot.read({ ...base, payload: { ...common, tool_name: tool_name!, tool_input: tool_input! } }).type).toBe(
      'tool-call',
    );
    expect(copilot.read({ ...base, payload: common }).type).toBe('other');
  });

  it(proves('C04')('gives facts about commands only in an environment that does not change them'), () => {
    const [clean] = callsOf('bash', { command: 'ls' });
    const [changed] = callsOf('bash', { command: 'ls' }, { 'BASH_FUNC_ls%%': '() { :; }' });
    expect(clean?.declaration.touches?.bash).toEqual(['command_line']);
    expect(changed?.declaration.touches?.bash).toBeUndefined();
  });

  it('sees that a command keeps running in the background', () => {
    expect(callsOf('bash', { command: ' ls ', mode: 'async' })[0]?.args).toEqual({
      command_line: ' ls ',
      background: true,
    });
    expect(callsOf('bash', { command: 'ls', detach: true })[0]?.args).toMatchObject({ background: true });
  });

  it('translates changed args back, or not at all', () => {
    const [call] = callsOf('bash', { command: 'ls', description: 'd' });
    expect(call?.toInput({ command_line: 'pwd' })).toEqual({ description: 'd', command: 'pwd' });
    expect(call?.toInput({ command_line: 'pwd', background: true })).toBeUndefined();
    expect(call?.toInput({ command_line: 'pwd', working_dir: '/' })).toBeUndefined();
    expect(callsOf('edit', { path: 'a', old_str: 'x' })[0]?.toInput({ file_path: '/b', new_text: 'y' })).toEqual({
      path: '/b',
      new_str: 'y',
    });
  });

  it('reads the files of a patch', () => {
    const patch = [
      '*** Begin Patch',
      '*** Add File: a',
      '+x',
      '*** Update File: b',
      '*** Move to: sub/../c',
      '@@',
      '-x',
      '*** Delete File: /d',
      '*** End Patch',
    ].join('\n');
    expect(callsOf('apply_patch', patch).map(({ tool, args }) => [tool, args['file_paths']])).toEqual([
      ['create_file', [`${project}/a`, `${project}/c`]],
      ['edit_file', ['/d', `${project}/b`]],
    ]);
    const foreign = { ...inputOf('PreToolUse.Edit.pascal').payload, tool_input: patch };
    expect(copilot.read({ ...base, payload: foreign })).toMatchObject({
      calls: [{ tool: 'create_file' }, { tool: 'edit_file' }],
    });
  });

  it.each<[string, JsonValue]>([
    ['apply_patch', ''],
    ['apply_patch', '*** Begin Patch\n *** Add File: a\n+x\n*** End Patch'],
    ['apply_patch', { input: 'x' }],
    ['bash', 'ls'],
    ['bash', {}],
    ['bash', { command: 7 }],
    ['bash', { command: 'ls', detach: 'yes' }],
    ['view', { path: '' }],
    ['view', { path: 'a\0b' }],
    ['view', { path: 'a', view_range: [1] }],
    ['create', { path: 'a' }],
    ['grep', { pattern: 'x', paths: [7] }],
    ['lab-touch', null],
  ])('refuses %s with %j', (tool, input) => {
    expect(() => callsOf(tool, input)).toThrow(refusal);
  });

  it('is a call for each folder of a search', () => {
    const folders = callsOf('rg', { pattern: 'x', paths: ['a', '/b'], glob: '*.ts' }).map(({ args }) => args);
    expect(folders).toEqual([
      { directory_path: `${project}/a`, query: 'x', include: '*.ts' },
      { directory_path: '/b', query: 'x', include: '*.ts' },
    ]);
    expect(callsOf('glob', { pattern: '../*' })[0]?.args['directory_path']).toBe('/home/user');
  });

  it(proves('C04')('splits the names of server and tool only where they cannot be split otherwise'), () => {
    expect(callsOf('lab-touch_marker', {})[0]).toMatchObject({ server: 'lab', tool: 'touch_marker' });
    expect(callsOf('my-lab-touch', {})[0]).toMatchObject({
      server: undefined,
      tool: 'my-lab-touch',
      otherNames: [
        { server: 'my', tool: 'lab-touch' },
        { server: 'my-lab', tool: 'touch' },
      ],
    });
    const event = copilot.read({
      ...base,
      payload: { ...inputOf('permissionRequest.bash').payload, toolName: 'my-lab/touch' },
    });
    expect(event).toMatchObject({ calls: [{ server: 'my-lab', tool: 'touch' }] });
    expect(callsOf('write_bash', { input: 'x' })[0]).toMatchObject({ tool: 'write_bash', otherNames: undefined });
    expect(callsOf('run_command', {})[0]?.tool).toBe('host:run_command');
  });

  it(proves('C03')('answers its own events and those in another format exactly as Copilot honours it'), () => {
    const deny = { type: 'deny', reason: 'No.' } as const;
    const ask = { type: 'ask', reason: 'Sure?' } as const;
    const rewrite = { type: 'rewrite', input: { command: 'ls' } } as const;
    expect(answer({ type: 'pass' })).toBe('{}');
    expect(answer(deny)).toBe('{"permissionDecision":"deny","permissionDecisionReason":"No."}');
    expect(answer(ask)).toBe('{"permissionDecision":"ask","permissionDecisionReason":"Sure?"}');
    expect(answer(rewrite)).toBe('{"modifiedArgs":{"command":"ls"}}');
    const pascal = 'PreToolUse.Bash.pascal';
    const start = '{"hookSpecificOutput":{"hookEventName":"PreToolUse",';
    expect(answer({ type: 'pass' }, pascal)).toBe('{}');
    expect(answer(deny, pascal)).toBe(`${start}"permissionDecision":"deny","permissionDecisionReason":"No."}}`);
    expect(answer(ask, pascal)).toBe(`${start}"permissionDecision":"ask","permissionDecisionReason":"Sure?"}}`);
    expect(answer(rewrite, pascal)).toBe(`${start}"updatedInput":{"command":"ls"}}}`);
    const request = 'permissionRequest.bash';
    expect(answer(deny, request)).toBe('{"behavior":"deny","message":"No."}');
    expect(answer(ask, request)).toBe('{"behavior":"deny","message":"Sure?"}');
    expect(answer(rewrite, request)).toContain('"behavior":"deny"');
    expect(answer({ type: 'replace-result', text: 'x' }, 'postToolUse.bash')).toBe(
      '{"modifiedResult":{"textResultForLlm":"x","resultType":"success"}}',
    );
    expect(answer(deny, 'postToolUse.bash')).toBe('{"decision":"block","reason":"No."}');
    expect(answer(deny, 'userPromptSubmitted')).toBe('{"decision":"block","reason":"No."}');
    expect(answer(deny, 'agentStop')).toBe('{}');
  });

  it(proves('C02')('refuses payloads that it cannot read, with a reason'), () => {
    const denial =
      '{"permissionDecision":"deny","permissionDecisionReason":"Broken.","behavior":"deny","message":"Broken.","decision":"block","reason":"Broken."}';
    expect(refuse({ toolName: 7 })).toBe(denial);
    expect(refuse({ tool_input: {} })).toBe(denial);
    expect(refuse({ prompt: 7 })).toBe('{"decision":"block","reason":"Broken."}');
    expect(refuse({ sessionId: 'x' })).toBeUndefined();
  });

  it(proves('C02')('reads damaged payloads exactly, or not at all'), () => {
    const names = [
      ...Object.keys(tools),
      'PreToolUse',
      'toolName',
      'toolArgs',
      'tool_name',
      'tool_input',
      'path',
      'command',
      'sessionId',
    ];
    const payloads = recorded.filter(({ name }) => /^preToolUse/i.test(name)).map(({ input }) => input.payload);
    fc.assert(
      fc.property(mutatedPayloads(payloads, names), (payload) => {
        const event = readOrRefuse(payload);
        if (event === undefined || event.type === 'tool-result') return;
        const fields = ['toolName', 'toolArgs', 'tool_name', 'tool_input'].filter(
          (name) => (payload[name] ?? undefined) !== undefined,
        );
        if (event.type !== 'tool-call') expect(fields).toEqual([]);
        else expectCarried(event, payload);
      }),
      { seed, numRuns: runs(1000) },
    );
  });
});

function readOrRefuse(payload: JsonObject): HostEvent | undefined {
  try {
    return copilot.read({ ...base, payload });
  } catch (error) {
    expect(error).toBeInstanceOf(BridleError);
    return undefined;
  }
}

/** Bridle's tool, its argument, and the argument of Copilot's tool. */
const tools: Readonly<Record<string, readonly [string, string, string]>> = {
  bash: ['run_command', 'command_line', 'command'],
  view: ['view_file', 'file_path', 'path'],
  create: ['create_file', 'file_path', 'path'],
  edit: ['edit_file', 'file_path', 'path'],
  grep: ['search_directory', 'query', 'pattern'],
  rg: ['search_directory', 'query', 'pattern'],
  glob: ['find_file', 'query', 'pattern'],
  web_fetch: ['read_url_content', 'url', 'url'],
  task: ['start_subagent', 'prompt', 'prompt'],
  Bash: ['run_command', 'command_line', 'command'],
  Read: ['view_file', 'file_path', 'path'],
  Write: ['create_file', 'file_path', 'path'],
  Edit: ['edit_file', 'file_path', 'path'],
  Grep: ['search_directory', 'query', 'pattern'],
  Glob: ['find_file', 'query', 'pattern'],
  WebFetch: ['read_url_content', 'url', 'url'],
};

function expectCarried(event: HostEvent & { readonly type: 'tool-call' }, payload: JsonObject): void {
  const isOwn = (payload['sessionId'] ?? undefined) !== undefined;
  const tool = payload[isOwn ? 'toolName' : 'tool_name'] as string;
  const input = payload[isOwn ? 'toolArgs' : 'tool_input'] as JsonValue;
  const [call] = event.calls;
  if (call === undefined || event.name === 'permissionRequest') return expect.unreachable(event.name);
  if (typeof input === 'string') return expect(call.args['patch']).toBe(input);
  const [name, arg, field] = Object.hasOwn(tools, tool) ? tools[tool]! : [undefined, '', ''];
  if (name === undefined) {
    const whole = call.server === undefined ? call.tool : `${call.server}-${call.tool}`;
    expect([tool, `host:${tool}`, 'update_plan']).toContain(whole);
    if (call.tool !== 'update_plan') expect(call.args).toEqual(input);
    return;
  }
  expect(call.tool).toBe(name);
  const value = (input as JsonObject)[field] as string;
  expect(call.args[arg]).toBe(arg === 'file_path' ? resolve(payload['cwd'] as string, value) : value);
}
