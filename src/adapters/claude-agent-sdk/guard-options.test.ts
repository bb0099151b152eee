/** The hooks of the Claude Agent SDK, called as Claude Code calls them. The suite in test/frameworks runs the SDK itself. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { allow, allowMcp, ask, deny, type JournalEntry, postToolCall, transform } from 'bridle';
import { type ClaudeOptions, createGuard, type FrameworkGuardOptions, guardOptions } from 'bridle/claude-agent-sdk';
import { openStore } from 'bridle/store';
import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { proves } from '../../../test/contract/cite.ts';

type Fields = Readonly<Record<string, unknown>>;
type Hook = (input: unknown, id: string | undefined, context: { readonly signal: AbortSignal }) => Promise<Fields>;

const folders: string[] = [];

function folder(): string {
  const created = mkdtempSync(join(tmpdir(), 'bridle-claude-'));
  folders.push(created);
  return created;
}

afterEach(() => {
  for (const each of folders.splice(0)) rmSync(each, { recursive: true, force: true });
});

const { signal } = new AbortController();
const isEvil = (args: Fields): boolean => String(args['command_line']).includes('evil');

/** Opens guarded options. `hook` calls all hooks of an event at the same time, as Claude Code does. */
function open(guardWith: Partial<FrameworkGuardOptions>, options: ClaudeOptions = {}) {
  const journal: JournalEntry[] = [];
  const append = (entry: JournalEntry): void => void journal.push(entry);
  const guard = createGuard({ policy: [allow('*')], journal: { append }, ...guardWith });
  const cwd = folder();
  const env = { HOME: folder(), PATH: process.env['PATH'] };
  const guarded: ClaudeOptions = guardOptions(guard, { cwd, env, ...options });
  const hook = async (event: string, fields: Fields): Promise<readonly Fields[]> => {
    const input = { session_id: 's', transcript_path: '/t', cwd, prompt_id: 'p', hook_event_name: event, ...fields };
    const hooks = (guarded.hooks?.[event] ?? []).flatMap((matcher) => matcher.hooks) as unknown as readonly Hook[];
    return Promise.all(hooks.map((each) => each(input, String(fields['tool_use_id']), { signal })));
  };
  const command = async (text: string, fields: Fields = {}): Promise<readonly Fields[]> =>
    hook('PreToolUse', { tool_name: 'Bash', tool_input: { command: text }, tool_use_id: 'c1', ...fields });
  return {
    guard,
    guarded,
    journal,
    hook,
    command,
    statuses: () => journal.map(({ kind, status }) => `${kind} ${status}`),
  };
}

function decisionOf(output: Fields | undefined): unknown {
  return (output?.['hookSpecificOutput'] as Fields | undefined)?.['permissionDecision'];
}

const rewriting = (text: string) =>
  vi.fn<() => Promise<object>>(async () => ({
    hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'allow', updatedInput: { command: text } },
  }));

const answer = (text: string) => async () => ({ behavior: 'allow', updatedInput: { command: text } });

const restoring = async () => ({ hookSpecificOutput: { hookEventName: 'PostToolUse', updatedToolOutput: 'secret' } });

const serverOf = (handler: (...given: readonly unknown[]) => unknown, name = 'send') => {
  const registered = { handler, inputSchema: { type: 'object', properties: { to: { type: 'string' } } } };
  return { type: 'sdk', name: 'own', instance: { _registeredTools: { [name]: registered } } };
};

const handlerOf = (server: ReturnType<typeof serverOf>) => server.instance._registeredTools['send']?.handler;

const run = (): undefined => undefined;

describe('options that would let calls run unguarded', () => {
  it.each<readonly [ClaudeOptions, string]>([
    [{ extraArgs: { bare: null } }, 'bare'],
    [{ extraArgs: { settings: '{}' } }, 'settings'],
    [{ permissionPromptToolName: 'mcp__x__ask' }, 'permissionPromptToolName'],
    [{ settings: '/etc/claude.json' }, 'settings'],
  ])(proves('B03')('are refused: %j'), (options, name) => {
    expect(() => open({}, options)).toThrow(name);
  });

  it(proves('B03')('are overridden where the user may set them elsewhere'), () => {
    const settings = { model: 'x', env: { CLAUDE_CODE_SIMPLE: '1', A: 'b' } };
    const expected = { model: 'x', disableAllHooks: true, env: { CLAUDE_CODE_SIMPLE: '0', A: 'b' } };
    expect(open({}, { settings }).guarded.settings).toEqual(expected);
    expect(open({}, { settings: JSON.stringify(settings) }).guarded.settings).toEqual(expected);
    expect(open({}).guarded.settings).toEqual({ disableAllHooks: true, env: { CLAUDE_CODE_SIMPLE: '0' } });
  });

  it(proves('B03')('include hooks in settings, unless the user accepts them'), () => {
    const settings = { disableAllHooks: false, hooks: { PreToolUse: [] } };
    expect(() => open({}, { settings })).toThrow('settings.hooks would be off');
    expect(open({}, { settings: { disableAllHooks: false } }).guarded.settings).toMatchObject({
      disableAllHooks: true,
    });
    const accepted = guardOptions<unknown>(
      createGuard({ policy: [allow('*')] }),
      { settings },
      { fileHooks: 'unguarded' },
    );
    expect(accepted.settings).toEqual({ ...settings, env: { CLAUDE_CODE_SIMPLE: '0' } });
  });

  it(proves('B03')('wait for the hooks before a deferred call of a resumed session runs'), () => {
    const { extraArgs } = open({}, { extraArgs: { verbose: null } }).guarded;
    expect(extraArgs).toEqual({ verbose: null, 'await-initialize': null });
  });

  it(proves('B04')('include hooks at points that are not reached'), () => {
    const hooks = [{ name: 'never_called', preLlmCall: () => undefined }];
    expect(() => open({ hooks })).toThrow(/never_called.*preLlmCall/);
  });
});

describe('built-in tools', () => {
  it(proves('B03')('are decided by the names of the policy of a coding agent'), async () => {
    const { hook, command, journal } = open({
      policy: [deny('run_command', { when: isEvil }), deny('view_file'), allow('*')],
    });
    expect(await command('echo evil')).toMatchObject([{ hookSpecificOutput: { permissionDecision: 'deny' } }]);
    expect(await command('echo good', { tool_use_id: 'c2' })).toEqual([{}]);
    const [read] = await hook('PreToolUse', { tool_name: 'Read', tool_input: { file_path: 'a' }, tool_use_id: 'c3' });
    expect(decisionOf(read)).toBe('deny');
    expect(journal.map((entry) => ('tool' in entry ? entry.tool : ''))).toEqual([
      'run_command',
      'run_command',
      'view_file',
    ]);
  });

  it('that are left out need no rule', () => {
    const policy = [ask('send')];
    expect(() => open({ policy })).toThrow(/run_command/);
    expect(() => open({ policy }, { tools: ['Bash'] })).toThrow(/run_command/);
    expect(() => open({ policy }, { tools: [] })).not.toThrow();
    expect(() => open({ policy }, { tools: ['Bash', 'Read'], disallowedTools: ['Bash'] })).not.toThrow();
  });

  it(proves('B03')('never run after a payload that is not understood'), async () => {
    const payload = fc.dictionary(
      fc.constantFrom(
        'session_id',
        'cwd',
        'tool_name',
        'tool_input',
        'tool_use_id',
        'mcp_server',
        'agent_id',
        'prompt_id',
      ),
      fc.oneof(
        fc.jsonValue(),
        fc.constantFrom('Bash', 'Read', 'Grep', 'mcp__x__y', 'mcp____', 'constructor', '__proto__'),
      ),
    );
    const { hook } = open({ policy: [deny('*')] });
    await fc.assert(
      fc.asyncProperty(payload, async (fields) => {
        const [output] = await hook('PreToolUse', fields);
        expect(decisionOf(output)).toBe('deny');
      }),
    );
  });
});

describe('hooks of the program', () => {
  it('do not see a call that Bridle refuses', async () => {
    const own = rewriting('echo x');
    const { command } = open({ policy: [deny('*')] }, { hooks: { PreToolUse: [{ hooks: [own] }] } });
    expect(await command('echo x')).toMatchObject([{ hookSpecificOutput: { permissionDecision: 'deny' } }, {}]);
    expect(own).not.toHaveBeenCalled();
  });

  it(proves('B03')('may change a call, which is then decided again'), async () => {
    const policy = [deny('run_command', { when: isEvil }), allow('*')];
    const openWith = (text: string) => open({ policy }, { hooks: { PreToolUse: [{ hooks: [rewriting(text)] }] } });
    const good = await openWith('echo good').command('echo x');
    expect(good).toMatchObject([{}, { hookSpecificOutput: { updatedInput: { command: 'echo good' } } }]);
    const [, evil] = await openWith('echo evil').command('echo x');
    expect(decisionOf(evil)).toBe('deny');
  });

  it(proves('B03')('may answer prompts, but a change is decided again'), async () => {
    const policy = [deny('run_command', { when: isEvil }), allow('*')];
    for (const [text, behavior] of [
      ['echo good', 'allow'],
      ['echo evil', 'deny'],
    ] as const) {
      const { guarded, command, hook } = open(
        { policy },
        {
          canUseTool: answer(text),
          hooks: {
            PermissionRequest: [{ hooks: [async () => ({ hookSpecificOutput: { decision: await answer(text)() } })] }],
          },
        },
      );
      const call = { tool_name: 'Bash', tool_input: { command: 'echo x' } };
      await command('echo x');
      const prompt = guarded.canUseTool as (tool: string, input: object, context: object) => Promise<Fields>;
      expect(await prompt('Bash', call.tool_input, { signal, toolUseID: 'c1' })).toMatchObject({ behavior });
      await command('echo x', { tool_use_id: 'c2' });
      const [requested] = await hook('PermissionRequest', call);
      expect(requested).toMatchObject({ hookSpecificOutput: { decision: { behavior } } });
    }
  });

  it('cannot undo a change of a result', async () => {
    const hooks = [postToolCall(() => transform('hidden'), { name: 'hide' })];
    const { command, hook } = open({ hooks }, { hooks: { PostToolUse: [{ hooks: [restoring] }] } });
    await command('cat a');
    const output = { stdout: 'secret', stderr: '', interrupted: false, isImage: false };
    const outputs = await hook('PostToolUse', {
      tool_name: 'Bash',
      tool_input: { command: 'cat a' },
      tool_use_id: 'c1',
      tool_response: output,
    });
    expect(outputs[0]).toMatchObject({ hookSpecificOutput: { updatedToolOutput: { stdout: 'hidden' } } });
    expect(JSON.stringify(outputs[1])).not.toContain('secret');
  });
});

describe('a call that a hook outside of the program changed', () => {
  const result = { tool_response: { stdout: '' }, error: 'failed' };

  it.each(['PostToolUse', 'PostToolUseFailure'])(proves('B03')('is an error and ends the run: %s'), async (event) => {
    const { command, hook, journal } = open({});
    await command('echo good');
    const ran = { tool_name: 'Bash', tool_input: { command: 'echo evil' }, tool_use_id: 'c1', ...result };
    expect(await hook(event, ran)).toMatchObject([{ continue: false }]);
    await vi.waitFor(() => expect(journal.at(-1)).toMatchObject({ kind: 'settled', status: 'error' }));
    expect(JSON.stringify(journal.at(-1))).toContain('other args than those that were decided');
    // Claude Code goes on after an error.
    const [next] = await command('echo good', { tool_use_id: 'c2' });
    expect(next).toMatchObject({ continue: false, hookSpecificOutput: { permissionDecision: 'deny' } });
  });

  it(proves('B03')('ends the run if it was refused'), async () => {
    const { command, hook } = open({ policy: [deny('*')] });
    await command('echo x');
    const ran = { tool_name: 'Bash', tool_input: { command: 'echo x' }, tool_use_id: 'c1', ...result };
    expect(await hook('PostToolUse', ran)).toMatchObject([{ continue: false }]);
  });

  // What Claude Code makes of a changed input: decided, ran, and whether it is the same call.
  it.each<readonly [string, Fields, (cwd: string) => Fields, boolean]>([
    ['Read', { file_path: 'a/../b' }, (cwd) => ({ file_path: `${cwd}/b` }), true],
    ['Read', { file_path: 'b' }, (cwd) => ({ file_path: `${cwd}/c` }), false],
    ['Read', { file_path: '~/b' }, () => ({ file_path: '/home/b' }), false],
    ['Bash', { command: 'ls', extra: 1 }, () => ({ command: 'ls', timeout: 5 }), true],
    ['Bash', { command: 'ls' }, () => ({ command: 'ls', run_in_background: true }), false],
    ['Bash', { command: 'ls' }, () => ({ command: 'ls', run_in_background: false }), true],
    ['Bash', { command: 'ls' }, () => ({ command: 5 }), false],
    ['Bash', { command: 'ls' }, () => ({}), false],
    [
      'Edit',
      { file_path: 'a', old_string: 'x', new_string: 'y' },
      (cwd) => ({ file_path: `${cwd}/a`, old_string: 'x', new_string: 'y', replace_all: false }),
      true,
    ],
    [
      'Edit',
      { file_path: 'a', old_string: 'x', new_string: 'y' },
      (cwd) => ({ file_path: `${cwd}/a`, old_string: 'x', new_string: 'z', replace_all: false }),
      false,
    ],
    ['mcp__files__read', { path: 'a' }, () => ({ path: 'a', all: false }), false],
    ['mcp__files__read', { path: 'a' }, () => ({ path: 'a' }), true],
    ['Unknown', { a: 1 }, () => ({ a: 2 }), false],
  ])('is told from what Claude Code completes: %s %j', async (...[name, decided, ran, isSame]) => {
    const { hook, guarded } = open({ policy: [allow('*'), allowMcp('files', ['read'])] });
    const server = name.startsWith('mcp__') ? { mcp_server: { name: 'files', source: 'dynamic' } } : {};
    const call = { tool_name: name, tool_use_id: 'c1', ...server };
    expect(await hook('PreToolUse', { ...call, tool_input: decided })).toEqual([{}]);
    const [output] = await hook('PostToolUse', { ...call, tool_input: ran(String(guarded.cwd)), tool_response: 'x' });
    expect(output).toEqual(isSame ? {} : expect.objectContaining({ continue: false }));
  });
});

describe('tools of in-process servers', () => {
  it(proves('B03')('are decided even if no hook has reported the call'), async () => {
    const run = vi.fn<() => Promise<object>>(async () => ({ content: [{ type: 'text', text: 'sent' }] }));
    const [allowed, denied] = [serverOf(run), serverOf(run)];
    open({ policy: [allow('*')] }, { mcpServers: { own: allowed } });
    open({ policy: [deny('send', { reason: 'not this' }), allow('*')] }, { mcpServers: { own: denied } });
    expect(await handlerOf(allowed)?.({ to: 'bob' }, {})).toEqual({ content: [{ type: 'text', text: 'sent' }] });
    await expect(handlerOf(denied)?.({ to: 'bob' }, { _meta: { 'claudecode/toolUseId': 'c1' } })).rejects.toThrow(
      'not this',
    );
    expect(run).toHaveBeenCalledTimes(1);
  });

  it(proves('B03')('run only with the decision about themselves'), async () => {
    const run = vi.fn<() => Promise<object>>(async () => ({ content: [] }));
    const server = serverOf(run);
    const { command } = open({ policy: [deny('send'), allow('*')] }, { mcpServers: { own: server } });
    await command('echo x');
    await expect(handlerOf(server)?.({ to: 'bob' }, { _meta: { 'claudecode/toolUseId': 'c1' } })).rejects.toThrow(
      'send',
    );
    expect(run).not.toHaveBeenCalled();
  });

  it('keep results that say that the tool failed', async () => {
    const failed = { isError: true, content: [{ type: 'text', text: 'no such person' }] };
    const server = serverOf(async () => failed);
    const { statuses } = open({}, { mcpServers: { own: server } });
    expect(await handlerOf(server)?.({ to: 'bob' }, {})).toBe(failed);
    expect(statuses()).toEqual(['decided allowed', 'settled error']);
  });

  it(proves('B03')('are refused if rules could not tell them apart'), () => {
    expect(() => open({}, { mcpServers: { a: serverOf(run), b: serverOf(run) } })).toThrow('"send"');
    const named = { mcpServers: { a: serverOf(run, 'run_command') } };
    expect(() => open({}, named)).toThrow('"run_command"');
    expect(() => open({}, { ...named, tools: [] })).not.toThrow();
  });

  it(proves('B05')('are refused if the place of their handlers is missing'), () => {
    expect(() => open({}, { mcpServers: { own: { type: 'sdk', instance: {} } } })).toThrow('list of its tools');
  });
});

describe('a result', () => {
  it('that cannot be replaced ends the run before the model sees it', async () => {
    const hooks = [postToolCall(() => transform('hidden'), { name: 'hide' })];
    const { hook } = open({ hooks });
    const call = { tool_name: 'Glob', tool_input: { pattern: '*' }, tool_use_id: 'c1' };
    await hook('PreToolUse', call);
    const outputs = await hook('PostToolUse', { ...call, tool_response: { filenames: ['secret'], numFiles: 1 } });
    expect(outputs).toMatchObject([{ continue: false }]);
  });

  it('of a call that is not known changes nothing', async () => {
    const { hook } = open({});
    expect(await hook('PostToolUse', { tool_use_id: 'other', tool_response: 'x' })).toEqual([{}]);
    expect(await hook('PostToolUseFailure', { tool_use_id: 'other', error: 'x' })).toEqual([{}]);
  });

  it('is settled as an error if Claude Code does not run the call', async () => {
    const { command, hook, statuses } = open({});
    await command('echo x');
    await hook('Stop', { last_assistant_message: 'done' });
    await vi.waitFor(() => expect(statuses()).toEqual(['decided allowed', 'settled error']));
  });
});

describe('a question', () => {
  it('that nobody can answer refuses the call', async () => {
    const { command, statuses } = open({ policy: [ask('*')] });
    const [output] = await command('echo x');
    expect(decisionOf(output)).toBe('deny');
    expect(statuses()).toEqual(['decided asked']);
  });

  it.each([
    ['throws', async () => Promise.reject(new Error('broken'))],
    ['gives a malformed answer', async () => ({ behavior: 'maybe' })],
    ['gives no answer', async () => undefined],
    ['edits to something else', async () => ({ behavior: 'allow', updatedInput: 'x' })],
  ])(proves('B06')('refuses the call if canUseTool %s'), async (_what, canUseTool) => {
    const { command } = open({ policy: [ask('*')] }, { canUseTool });
    const [output] = await command('echo x');
    expect(decisionOf(output)).toBe('deny');
  });

  it(
    proves('B06')('goes to the store if only a signed answer counts, and defers one call of the main agent'),
    async () => {
      const place = folder();
      const store = await openStore({ at: join(place, 'store.db'), keys: join(place, 'keys') });
      const canUseTool = vi.fn<() => Promise<object>>(async () => ({ behavior: 'allow' }));
      const policy = [ask('run_command', { approval: 'signed' }), allow('*')];
      const { command, guard } = open({ policy, store, journal: undefined }, { canUseTool });
      const first = await command('echo x');
      const second = await command('echo y', { tool_use_id: 'c2' });
      const inSubagent = await command('echo z', {
        tool_use_id: 'c3',
        agent_id: 'a',
        agent_type: 'helper',
        prompt_id: 'q',
      });
      const again = await command('echo x');
      const decisions = [first, second, inSubagent, again].map(([output]) => decisionOf(output));
      expect(decisions).toEqual(['defer', 'deny', 'deny', 'defer']);
      expect(canUseTool).not.toHaveBeenCalled();
      const changed = await command('echo evil');
      expect(decisionOf(changed[0])).not.toBeUndefined();
      await guard.end();
      await store.close();
    },
  );
});
