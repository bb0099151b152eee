import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { proves } from '../../../test/contract/cite.ts';

import { checkRead } from '../../../test/hosts/check-read.ts';
import { mutatedPayloads } from '../../../test/hosts/mutated-payloads.ts';
import { summarise } from '../../../test/hosts/fixtures.ts';
import { project as folder, recordedEnv, recordedEvents } from '../../../test/hosts/recorded-events.ts';
import { runs, seed } from '../../../test/property-runs.ts';
import type { JsonObject } from '../../kernel/json.ts';
import type { HookAnswer, HostEvent } from '../host.ts';
import { codex } from './codex.ts';
import { codexRecords } from './record.ts';

const env = recordedEnv('codex');
const payloads = recordedEvents('codex').map(({ input }) => input.payload);
const names = recordedEvents('codex').map(({ name }) => name);

function readFixture(name: string, changes: JsonObject = {}): HostEvent {
  const recorded = recordedEvents('codex').find((each) => each.name === name);
  return codex.read({ payload: { ...recorded?.input.payload, ...changes }, env, folder });
}

function shown(event: HostEvent): readonly string[] {
  const calls = event.type === 'tool-call' ? event.calls : [];
  return calls.map(
    ({ server, tool, args }) => `${server === undefined ? '' : `${server}/`}${tool} ${JSON.stringify(args)}`,
  );
}

describe('recognises', () => {
  it('does not recognise other data', () => {
    for (const payload of [{}, { hook_event_name: 'PreToolUse' }, { hook_event_name: 1, session_id: 'x', cwd: '/' }]) {
      expect(codex.recognises({ payload, env, folder })).toBe(false);
    }
  });
});

const movePatch =
  '*** Begin Patch\\n*** Update File: a\\n*** Move to: ../b\\n@@\\n+x\\n*** Delete File: c\\n*** End Patch';

describe('read', () => {
  it(proves('C04', 'C09')('every recorded event'), () => {
    const events = recordedEvents('codex').map(({ name }) => [name, readFixture(name)] as const);
    expect([...new Set(events.map(([, { project }]) => project))]).toEqual([folder]);
    expect([...new Set(events.map(([, { version }]) => version))]).toEqual([undefined]);
    expect(events.map(([name, event]) => `${name}: ${summarise(event)}`).join('\n')).toMatchInlineSnapshot(`
      "PermissionRequest.Bash: tool-call run_command {"command_line":"echo ran > /home/user/project/marker.txt"}
      PostCompact: compaction after
      PostToolUse.Bash.in-subagent: tool-result run_command {"command_line":"echo ran > /home/user/project/marker.txt"} → ok by main/default:01a1e10e-8f75-78b2-9fff-af1894523314
      PostToolUse.Bash: tool-result run_command {"command_line":"echo ran > /home/user/project/marker.txt"} → ok
      PostToolUse.apply_patch.codemode: tool-result create_file {"file_path":"/home/user/project/cm.txt","patch":"*** Begin Patch\\n*** Add File: cm.txt\\n+hi\\n*** End Patch"} → ok
      PostToolUse.apply_patch: tool-result create_file {"file_path":"/home/user/project/sub/new.txt","patch":"*** Begin Patch\\n*** Update File: existing.txt\\n@@\\n-old line\\n+new line\\n*** Add File: sub/new.txt\\n+hello\\n*** End Patch"} + edit_file {"file_path":"/home/user/project/existing.txt","patch":"*** Begin Patch\\n*** Update File: existing.txt\\n@@\\n-old line\\n+new line\\n*** Add File: sub/new.txt\\n+hello\\n*** End Patch"} → ok
      PostToolUse.list_mcp_resources: tool-result list_mcp_resources {} → ok
      PostToolUse.mcp__lab__touch_marker.codemode: tool-result lab/touch_marker {"name":"marker.txt"} → ok
      PostToolUse.mcp__lab__touch_marker: tool-result lab/touch_marker {"name":"mcp-marker"} → ok
      PostToolUse.multi_agent_v1wait_agent: tool-result update_plan {"name":"wait_agent","input":{"targets":["01a1e10e-8f75-78b2-9fff-af1894523314"],"timeout_ms":10000}} → ok
      PostToolUse.spawn_agent: tool-result start_subagent {"agent":"default","prompt":"SUBAGENT please run it"} → ok
      PostToolUse.view_image: tool-result view_file {"file_path":"/home/user/project/a.png"} → ok
      PreCompact: compaction before
      PreToolUse.Bash.apply_patch: tool-call run_command {"command_line":"cd sub && apply_patch <<'EOF'\\n*** Begin Patch\\n*** Add File: a2.txt\\n+hi\\n*** End Patch\\nEOF\\n"} + create_file {"file_path":"/home/user/project/sub/a2.txt","patch":"*** Begin Patch\\n*** Add File: a2.txt\\n+hi\\n*** End Patch"}
      PreToolUse.Bash.codemode: tool-call run_command {"command_line":"echo ran > /home/user/project/marker.txt"}
      PreToolUse.Bash.in-subagent: tool-call run_command {"command_line":"echo ran > /home/user/project/marker.txt"} by main/default:01a1e10e-8f75-78b2-9fff-af1894523314
      PreToolUse.Bash: tool-call run_command {"command_line":"echo ran > /home/user/project/marker.txt"}
      PreToolUse.Bash.workdir: tool-call run_command {"command_line":"pwd"}
      PreToolUse.apply_patch.codemode: tool-call create_file {"file_path":"/home/user/project/cm.txt","patch":"*** Begin Patch\\n*** Add File: cm.txt\\n+hi\\n*** End Patch"}
      PreToolUse.apply_patch: tool-call create_file {"file_path":"/home/user/project/sub/new.txt","patch":"*** Begin Patch\\n*** Update File: existing.txt\\n@@\\n-old line\\n+new line\\n*** Add File: sub/new.txt\\n+hello\\n*** End Patch"} + edit_file {"file_path":"/home/user/project/existing.txt","patch":"*** Begin Patch\\n*** Update File: existing.txt\\n@@\\n-old line\\n+new line\\n*** Add File: sub/new.txt\\n+hello\\n*** End Patch"}
      PreToolUse.list_mcp_resources: tool-call list_mcp_resources {}
      PreToolUse.mcp__da_sh__touch_marker: tool-call mcp__da_sh__touch_marker {"name":"m4"}
      PreToolUse.mcp__lab__touch_marker.codemode: tool-call lab/touch_marker {"name":"marker.txt"}
      PreToolUse.mcp__lab__touch_marker: tool-call lab/touch_marker {"name":"mcp-marker"}
      PreToolUse.multi_agent_v1wait_agent: tool-call update_plan {"name":"wait_agent","input":{"targets":["01a1e10e-8f75-78b2-9fff-af1894523314"],"timeout_ms":10000}}
      PreToolUse.request_user_input: tool-call ask_question {"questions":[]}
      PreToolUse.spawn_agent: tool-call start_subagent {"agent":"default","prompt":"SUBAGENT please run it"}
      PreToolUse.view_image: tool-call view_file {"file_path":"/home/user/project/a.png"}
      SessionEnd.ephemeral: session-end other
      SessionEnd: session-end other
      SessionStart.ephemeral: session-start false
      SessionStart: session-start false
      Stop: turn-end All done.
      SubagentStart.in-subagent: other by main/default:01a1e10e-8f75-78b2-9fff-af1894523314
      SubagentStop.in-subagent: other by main/default:01a1e10e-8f75-78b2-9fff-af1894523314
      UserPromptSubmit: prompt please create the marker"
    `);
  });

  it.each<[string, JsonObject, string]>([
    ['view_image', { path: 'a/../b.png' }, `view_file {"file_path":"${folder}/b.png"}`],
    ['update_plan', { plan: [] }, 'update_plan {"name":"update_plan","input":{"plan":[]}}'],
    ['collaborationspawn_agent', { message: 'm' }, 'start_subagent {"agent":"default","prompt":"m"}'],
    ['multi_agent_v1send_input', { input: 'x' }, 'multi_agent_v1send_input {"input":"x"}'],
    ['read_mcp_resource', { server: 's', uri: 'u' }, 's/read_mcp_resource {"server":"s","uri":"u"}'],
    ['mcp__lab__a_b', { x: 1 }, 'lab/a_b {"x":1}'],
    ['mcp__a__b__c', { x: 1 }, 'mcp__a__b__c {"x":1}'],
    ['run_command', { x: 1 }, 'host:run_command {"x":1}'],
    ['write_stdin', { chars: 'ls' }, 'write_stdin {"chars":"ls"}'],
    ['apply_patch', { command: 'nonsense' }, 'apply_patch {"command":"nonsense"}'],
    [
      'apply_patch',
      { command: '*** Begin Patch\n*** Environment ID: x\n*** Delete File: a\n*** End Patch' },
      'apply_patch {"command":"*** Begin Patch\\n*** Environment ID: x\\n*** Delete File: a\\n*** End Patch"}',
    ],
    [
      'apply_patch',
      { command: '*** Begin Patch\n*** Update File: a\n*** Move to: ../b\n@@\n+x\n*** Delete File: c\n*** End Patch' },
      `create_file {"file_path":"/home/user/b","patch":"${movePatch}"}
edit_file {"file_paths":["${folder}/c","${folder}/a"],"patch":"${movePatch}"}`,
    ],
  ])(proves('C04')('translates %s %j'), (tool, input, summary) => {
    const event = readFixture('PreToolUse.Bash', { tool_name: tool, tool_input: input });
    expect(shown(event)).toEqual(summary.split('\n'));
  });

  const addA = '*** Begin Patch\n*** Add File: a\n+x\n*** End Patch';
  it.each([
    [`apply_patch <<'EOF'\n${addA}\nEOF\n`, `${folder}/a`],
    [`apply_patch <<EOF\n${addA}\nEOF`, `${folder}/a`],
    [`applypatch <<"EOF"\n${addA}\nEOF`, `${folder}/a`],
    [`cd sub && apply_patch <<'EOF'\n${addA}\nEOF`, `${folder}/sub/a`],
    [`cd '/x y' && apply_patch <<'EOF'\n${addA}\nEOF`, '/x y/a'],
  ])(proves('C11')('finds the files of a patch in the command line %j'), (command, file) => {
    const event = readFixture('PreToolUse.Bash', { tool_input: { command } });
    const calls = 'calls' in event ? event.calls : [];
    expect(calls.map(({ tool, args }) => [tool, args['file_path']])).toEqual([
      ['run_command', undefined],
      ['create_file', file],
    ]);
  });

  it.each([
    `apply_patch <<'EOF' && ls\n${addA}\nEOF`,
    `apply_patch '${addA}'`,
    `ls; apply_patch <<'EOF'\n${addA}\nEOF`,
    "apply_patch <<'EOF'\nnonsense\nEOF",
    `cd "$x" && apply_patch <<'EOF'\n${addA}\nEOF`,
    `cd ~ && apply_patch <<'EOF'\n${addA}\nEOF`,
    `cd - && apply_patch <<'EOF'\n${addA}\nEOF`,
    `cd "$x" && cd b && apply_patch <<'E OF'\n${addA}\nE OF`,
  ])(proves('C11')('does not know the files of %j'), (command) => {
    const event = readFixture('PreToolUse.Bash', { tool_input: { command } });
    const calls = 'calls' in event ? event.calls : [];
    expect(calls.map(({ tool }) => tool)).toEqual(['run_command', 'apply_patch']);
  });

  it(proves('C02')('decides an unknown event that carries a call'), () => {
    const event = readFixture('PreToolUse.Bash', { hook_event_name: 'BeforeEverything' });
    expect(shown(event)).toEqual(['run_command {"command_line":"echo ran > /home/user/project/marker.txt"}']);
    expect(() => readFixture('Stop', { hook_event_name: 'New', tool_input: {} })).toThrow(
      expect.objectContaining({ code: 'PAYLOAD_INVALID' }),
    );
  });

  it('uses the folder of the hook process for the policy', () => {
    const payload = recordedEvents('codex').find(({ name }) => name.endsWith('workdir'))?.input.payload ?? {};
    expect(codex.read({ payload, env, folder: '/session' })).toMatchObject({
      cwd: `${folder}/sub`,
      project: '/session',
    });
  });

  it('translates changed args back', () => {
    const event = readFixture('PreToolUse.Bash');
    const [bash] = 'calls' in event ? event.calls : [];
    expect(bash?.toInput({ command_line: 'ls' })).toEqual({ command: 'ls' });
    expect(bash?.toInput({ command_line: 'ls', working_dir: '/x' })).toBeUndefined();
  });

  it(proves('C02')('survives changed payloads: it throws, or returns exactly the call'), () => {
    fc.assert(
      fc.property(mutatedPayloads(payloads, ['tool_name', 'tool_input', 'Bash', 'mcp__a__b__c']), (payload) => {
        const input = { payload, env, folder };
        checkRead(codex, input);
        codex.recognises(input);
      }),
      { seed, numRuns: runs(1000) },
    );
  });
});

const [record] = codexRecords;

function render(answer: HookAnswer, event: string | HostEvent): unknown {
  if (record === undefined) throw new TypeError('There is no record.');
  const { stdout, stderr, exitCode } = codex.render(
    answer,
    typeof event === 'string' ? readFixture(event) : event,
    record,
  );
  return exitCode === 0 && stderr === '' ? stdout : `exit ${exitCode}, stdout ${stdout || 'empty'}: ${stderr}`;
}

const deny: HookAnswer = { type: 'deny', reason: 'Denied by rule "x".' };
const ask: HookAnswer = { type: 'ask', reason: 'Asked by rule "x".' };
const rewrite: HookAnswer = { type: 'rewrite', input: { command: 'ls' } };
const replace: HookAnswer = { type: 'replace-result', text: 'a\u0000b' };

describe('render', () => {
  it.each(names)(proves('C02')('no opinion on %s is {}'), (name) => {
    expect(render({ type: 'pass' }, name)).toBe('{}');
  });

  it.each<[string, HookAnswer, string]>([
    [
      'PreToolUse.Bash',
      deny,
      '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"Denied by rule \\"x\\"."}}',
    ],
    [
      'PreToolUse.Bash',
      ask,
      '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"Asked by rule \\"x\\"."}}',
    ],
    [
      'PreToolUse.Bash',
      { type: 'deny', reason: '' },
      '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"Denied."}}',
    ],
    [
      'PreToolUse.Bash',
      rewrite,
      '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","updatedInput":{"command":"ls"}}}',
    ],
    [
      'PermissionRequest.Bash',
      ask,
      '{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"Asked by rule \\"x\\"."}}}',
    ],
    ['UserPromptSubmit', deny, '{"decision":"block","reason":"Denied by rule \\"x\\"."}'],
    ['PostToolUse.Bash', replace, '{"decision":"block","reason":"a\\u0000b"}'],
    [
      'PostToolUse.Bash',
      { type: 'replace-result', text: '' },
      '{"decision":"block","reason":"Bridle removed the result."}',
    ],
    ['SessionStart', deny, '{"continue":false,"stopReason":"Denied by rule \\"x\\"."}'],
    ['PreCompact', deny, '{"continue":false,"stopReason":"Denied by rule \\"x\\"."}'],
    ['Stop', deny, '{}'],
    ['SessionEnd', deny, '{}'],
    ['SubagentStop.in-subagent', deny, '{}'],
  ])(proves('C02', 'C03', 'C05')('%s: %j'), (event, answer, output) => {
    expect(render(answer, event)).toBe(output);
  });

  it.each([deny, ask, rewrite, replace])(proves('C02')('blocks a call of an unknown event: %j'), (answer) => {
    expect(render(answer, readFixture('PreToolUse.Bash', { hook_event_name: 'New' }))).toMatch(
      /^exit 2, stdout empty: \S/,
    );
  });
});
