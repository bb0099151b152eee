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
import { claude } from './claude.ts';
import { claudeRecords } from './record.ts';

// No shell is found, so that results do not depend on the shells of this machine.
const env = { ...recordedEnv('claude'), CLAUDE_CODE_SHELL: '/none' };
const payloads = recordedEvents('claude').map(({ input }) => input.payload);
const names = recordedEvents('claude').map(({ name }) => name);

function readFixture(name: string, changes: JsonObject = {}): HostEvent {
  const recorded = recordedEvents('claude').find((each) => each.name === name);
  return claude.read({ payload: { ...recorded?.input.payload, ...changes }, env, folder });
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
      expect(claude.recognises({ payload, env, folder })).toBe(false);
    }
  });
});

describe('read', () => {
  it(proves('C04', 'C09')('every recorded event'), () => {
    const events = recordedEvents('claude').map(({ name }) => [name, readFixture(name)] as const);
    expect([...new Set(events.map(([, { project }]) => project))]).toEqual([folder]);
    expect([...new Set(events.map(([, { version }]) => version))]).toEqual(['2.1.325']);
    expect(events.map(([name, event]) => `${name}: ${summarise(event)}`).join('\n')).toMatchInlineSnapshot(`
      "ConfigChange: settings-change /home/user/.claude/settings.json
      MessageDisplay: other
      PermissionRequest.Bash: tool-call run_command {"command_line":"echo ran > /home/user/project/marker.txt"}
      PostCompact: compaction after hello there hello there hello there hello there hello there hello there hello there hello there hello there hello there hello there hello there hello there hello there hello there hello there hello there hello there hello there hello there hello there hello there hello there hello there hello there hello there hello there hello there hello there hello there
      PostToolBatch: other
      PostToolUse.Agent.subagent: tool-result start_subagent {"agent":"general-purpose","prompt":"SUBAGENT please run it"} → ok by main/general-purpose:a1be1924c0e42bbbb
      PostToolUse.Bash.in-subagent: tool-result run_command {"command_line":"echo ran > /home/user/project/marker.txt"} → ok by main/general-purpose:af504086111791502
      PostToolUse.Bash: tool-result run_command {"command_line":"echo ran > /home/user/project/marker.txt"} → ok
      PostToolUse.Edit: tool-result edit_file {"file_path":"/home/user/project/existing.txt","old_text":"old","new_text":"new","replace_all":false} → ok
      PostToolUse.Read: tool-result view_file {"file_path":"/home/user/project/existing.txt"} → ok
      PostToolUse.Write: tool-result create_file {"file_path":"/home/user/project/new.txt","contents":"hello\\n"} → ok
      PostToolUse.mcp__lab__touch_marker: tool-result lab/touch_marker {"name":"mcp-marker"} → ok
      PostToolUseFailure.Bash: tool-result run_command {"command_line":"exit 3"} → error
      PostToolUseFailure.WebFetch: tool-result read_url_content {"url":"http://127.0.0.1:18080/x"} → error
      PreCompact: compaction before
      PreToolUse.Agent.subagent: tool-call start_subagent {"agent":"general-purpose","prompt":"SUBAGENT please run it"}
      PreToolUse.Bash.in-subagent: tool-call run_command {"command_line":"echo ran > /home/user/project/marker.txt"} by main/general-purpose:af504086111791502
      PreToolUse.Bash: tool-call run_command {"command_line":"echo ran > /home/user/project/marker.txt"}
      PreToolUse.Edit: tool-call edit_file {"file_path":"/home/user/project/existing.txt","old_text":"old","new_text":"new","replace_all":false}
      PreToolUse.Monitor: tool-call run_command {"command_line":"pwd","background":true}
      PreToolUse.Read: tool-call view_file {"file_path":"/home/user/project/existing.txt"}
      PreToolUse.Skill: tool-call Skill {"skill":"x"}
      PreToolUse.TaskCreate: tool-call update_plan {"name":"TaskCreate","input":{"subject":"a","description":"b"}}
      PreToolUse.WebFetch: tool-call read_url_content {"url":"http://127.0.0.1:18080/x"}
      PreToolUse.Write: tool-call create_file {"file_path":"/home/user/project/new.txt","contents":"hello\\n"}
      PreToolUse.mcp__lab__touch_marker: tool-call lab/touch_marker {"name":"mcp-marker"}
      PreToolUse.mcp__my_odd__srv__touch_marker: tool-call my.odd__srv/touch_marker {"name":"zz-marker"}
      SessionEnd: session-end other
      SessionStart.compact: other
      SessionStart: session-start false
      Stop: turn-end All done.
      SubagentStart.in-subagent: other by main/general-purpose:af504086111791502
      SubagentStart.subagent: other by main/general-purpose:a29b25918a81947f1
      SubagentStop.in-subagent: other by main/general-purpose:af504086111791502
      SubagentStop.subagent: other by main/general-purpose:a39b2803d5cb03068
      UserPromptSubmit: prompt please create the marker"
    `);
  });

  it.each<[string, JsonObject, string]>([
    ['Bash', { command: 'ls', run_in_background: true }, 'run_command {"command_line":"ls","background":true}'],
    [
      'Read',
      { file_path: 'a', offset: 5, limit: 2 },
      `view_file {"file_path":"${folder}/a","start_line":5,"end_line":6}`,
    ],
    ['Glob', { pattern: '../*.ts' }, 'find_file {"directory_path":"/home/user","query":"../*.ts"}'],
    ['Grep', { pattern: 'x', path: 'src' }, `search_directory {"directory_path":"${folder}/src","query":"x"}`],
    ['LS', { path: '/x' }, 'list_directory {"directory_path":"/x"}'],
    ['MultiEdit', { file_path: '/x', edits: [] }, 'edit_file {"file_path":"/x","patch":"[]"}'],
    ['NotebookEdit', { notebook_path: '/x', new_source: 's' }, 'edit_file {"file_path":"/x","new_text":"s"}'],
    ['Task', { prompt: 'p' }, 'start_subagent {"agent":"general-purpose","prompt":"p"}'],
    ['WebSearch', { query: 'q' }, 'search_web {"query":"q"}'],
    ['AskUserQuestion', { questions: [] }, 'ask_question {"questions":[]}'],
    ['TodoWrite', { todos: [] }, 'update_plan {"name":"TodoWrite","input":{"todos":[]}}'],
    ['Monitor', { ws: { url: 'wss://x' } }, 'Monitor {"ws":{"url":"wss://x"}}'],
    ['CronCreate', { cron: '* * * * *' }, 'CronCreate {"cron":"* * * * *"}'],
    ['ScheduleWakeup', { prompt: 'p' }, 'ScheduleWakeup {"prompt":"p"}'],
    ['ReadMcpResourceTool', { server: 's', uri: 'u' }, 's/ReadMcpResourceTool {"server":"s","uri":"u"}'],
    ['mcp__a-b__c_d', { x: 1 }, 'a-b/c_d {"x":1}'],
    ['mcp__a_b__c', { x: 1 }, 'mcp__a_b__c {"x":1}'],
    ['mcp__a__b__c', { x: 1 }, 'mcp__a__b__c {"x":1}'],
    ['run_command', { x: 1 }, 'host:run_command {"x":1}'],
    ['Brandnew', { x: 1 }, 'Brandnew {"x":1}'],
  ])(proves('C04')('translates %s %j'), (tool, input, summary) => {
    const event = readFixture('PreToolUse.Bash', { tool_name: tool, tool_input: input });
    expect(shown(event)).toEqual([summary]);
  });

  it(proves('C02')('decides an unknown event that carries a call'), () => {
    const event = readFixture('PreToolUse.Bash', { hook_event_name: 'BeforeEverything' });
    expect(shown(event)).toEqual(['run_command {"command_line":"echo ran > /home/user/project/marker.txt"}']);
    expect(() => readFixture('Stop', { hook_event_name: 'New', tool_input: {} })).toThrow(
      expect.objectContaining({ code: 'PAYLOAD_INVALID' }),
    );
  });

  it('uses the folder of the project, not of the shell, for the policy', () => {
    const event = readFixture('PreToolUse.Bash', { cwd: '/home/user/project/sub' });
    expect([event.cwd, event.project]).toEqual(['/home/user/project/sub', folder]);
    const [payload = {}] = payloads;
    expect(claude.read({ payload, env: {}, folder: '/elsewhere' }).project).toBe('/elsewhere');
  });

  it('translates changed args back, with the rest of the input', () => {
    const event = readFixture('PreToolUse.Bash');
    const [bash] = 'calls' in event ? event.calls : [];
    expect(bash?.toInput({ command_line: 'ls' })).toEqual({ command: 'ls', description: 'make marker' });
    expect(bash?.toInput({ command_line: 'ls', working_dir: '/x' })).toBeUndefined();
    const read = readFixture('PreToolUse.Read', { tool_input: { file_path: '/a', offset: 2, limit: 3, pages: '1' } });
    const [view] = 'calls' in read ? read.calls : [];
    expect(view?.toInput({ file_path: '/b', start_line: 2, end_line: 4 })).toEqual({
      file_path: '/b',
      offset: 2,
      limit: 3,
      pages: '1',
    });
    expect(view?.toInput({ file_path: '/b' })).toBeUndefined();
  });

  it(proves('C02')('survives changed payloads: it throws, or returns exactly the call'), () => {
    fc.assert(
      fc.property(mutatedPayloads(payloads, ['tool_name', 'tool_input', 'Bash', 'mcp__a__b__c']), (payload) => {
        const input = { payload, env, folder };
        checkRead(claude, input);
        claude.recognises(input);
      }),
      { seed, numRuns: runs(1000) },
    );
  });
});

const [record] = claudeRecords;

function render(answer: HookAnswer, event: string | HostEvent): unknown {
  if (record === undefined) throw new TypeError('There is no record.');
  const { stdout, stderr, exitCode } = claude.render(
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
      '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask","permissionDecisionReason":"Asked by rule \\"x\\"."}}',
    ],
    [
      'PreToolUse.Bash',
      rewrite,
      '{"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":{"command":"ls"}}}',
    ],
    [
      'PermissionRequest.Bash',
      deny,
      '{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"Denied by rule \\"x\\"."}}}',
    ],
    ['PermissionRequest.Bash', ask, '{}'],
    [
      'PermissionRequest.Bash',
      rewrite,
      '{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"The policy changes the input of this call, which Claude Code cannot do here."}}}',
    ],
    ['UserPromptSubmit', deny, '{"decision":"block","reason":"Denied by rule \\"x\\"."}'],
    ['UserPromptSubmit', ask, '{"decision":"block","reason":"Asked by rule \\"x\\"."}'],
    [
      'PostToolUse.Bash',
      replace,
      '{"hookSpecificOutput":{"hookEventName":"PostToolUse","updatedToolOutput":{"stdout":"a\\u0000b","stderr":"","interrupted":false,"isImage":false,"noOutputExpected":false}}}',
    ],
    [
      'PostToolUse.Bash',
      {
        type: 'replace-result',
        text: '{"stdout":"[masked]","stderr":"","interrupted":false,"isImage":false,"noOutputExpected":false}',
      },
      '{"hookSpecificOutput":{"hookEventName":"PostToolUse","updatedToolOutput":{"stdout":"[masked]","stderr":"","interrupted":false,"isImage":false,"noOutputExpected":false}}}',
    ],
    [
      'PostToolUse.Read',
      { type: 'replace-result', text: 'x\ny' },
      '{"hookSpecificOutput":{"hookEventName":"PostToolUse","updatedToolOutput":{"type":"text","file":{"filePath":"/home/user/project/existing.txt","content":"x\\ny","numLines":2,"startLine":1,"totalLines":2}}}}',
    ],
    [
      'PostToolUse.mcp__lab__touch_marker',
      { type: 'replace-result', text: 'x' },
      '{"hookSpecificOutput":{"hookEventName":"PostToolUse","updatedToolOutput":[{"type":"text","text":"x"}]}}',
    ],
    ['PostToolUse.Write', { type: 'replace-result', text: 'x' }, '{"decision":"block","reason":"x"}'],
    ['PostToolUse.Bash', deny, '{"decision":"block","reason":"Denied by rule \\"x\\"."}'],
    [
      'PostToolUseFailure.Bash',
      replace,
      '{"hookSpecificOutput":{"hookEventName":"PostToolUseFailure","additionalContext":"a\\u0000b"}}',
    ],
    ['ConfigChange', deny, 'exit 2, stdout empty: Denied by rule "x".\n'],
    ['PreCompact', deny, '{"decision":"block","reason":"Denied by rule \\"x\\"."}'],
    ['Stop', deny, '{}'],
    ['SessionStart', deny, '{}'],
    ['SessionEnd', deny, '{}'],
    ['SubagentStop.subagent', deny, '{}'],
  ])(proves('C02', 'C03')('%s: %j'), (event, answer, output) => {
    expect(render(answer, event)).toBe(output);
  });

  it.each([deny, ask, rewrite, replace])(proves('C02')('blocks a call of an unknown event: %j'), (answer) => {
    expect(render(answer, readFixture('PreToolUse.Bash', { hook_event_name: 'New' }))).toMatch(
      /^exit 2, stdout empty: \S/,
    );
  });
});
