/** Capabilities decide what the model sees, policy decides what runs, and custom tools can replace built-in ones. */

import { deny, type JsonObject } from 'bridle';
import { createAgent, type AgentOptions, type Capabilities } from 'bridle/agent';
import { scriptedModel } from 'bridle/testing';
import { defineTool, type RunnableTool } from 'bridle/tools';
import fc from 'fast-check';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import { act, agentRig, calling, look } from '../../../test/rigs/agent-rig.ts';
import { proves } from '../../../test/contract/cite.ts';
import { conversationProblems } from '../../../test/rigs/conversation.ts';
import { runs } from '../../../test/property-runs.ts';

const model = scriptedModel([]);
const reading = ['list_directory', 'search_directory', 'find_file', 'view_file'];
const speaking = ['ask_question', 'finish'];
const everything = [...reading, 'create_file', 'edit_file', 'run_command', 'read_url_content', ...speaking];

function listed(capabilities: Capabilities | undefined, more: Partial<AgentOptions> = {}): readonly string[] {
  const agent = createAgent({ model, capabilities, default: 'allow', telemetry: false, ...more });
  return agent.tools.map(({ name }) => name).toSorted();
}

function outputs(history: readonly { readonly content: unknown }[]) {
  const parts = history[2]?.content as readonly { output: { type: string; value: string } }[];
  return parts.map(({ output }) => output);
}

describe('capabilities', () => {
  it(proves('A10')('come as presets'), () => {
    expect(listed(undefined)).toEqual(everything.toSorted());
    expect(listed('all')).toEqual(everything.toSorted());
    expect(listed('none')).toEqual([]);
    expect(listed('readOnly')).toEqual([...reading, ...speaking].toSorted());
    expect(listed('nondestructive')).toEqual([...reading, ...speaking, 'create_file'].toSorted());
    expect(listed('fileTools')).toEqual([...reading, ...speaking, 'create_file', 'edit_file'].toSorted());
    expect(listed({ preset: 'readOnly', disabledTools: ['finish'] })).not.toContain('finish');
  });

  it(proves('A10')('do not affect custom tools, unless they list them'), () => {
    const tools = [act(), look()];
    expect(listed('none', { tools })).toEqual(['act', 'look']);
    expect(listed({ preset: 'none', disabledTools: ['act'] }, { tools })).toEqual(['look']);
    expect(listed({ enabledTools: ['act', 'view_file'] }, { tools })).toEqual(['act', 'view_file']);
    expect(listed({ enabledTools: [] }, { tools })).toEqual([]);
  });

  it(proves('A10')('accept the aliases of tools'), () => {
    expect(listed({ enabledTools: ['read_file', 'LIST_DIR'] })).toEqual(['list_directory', 'view_file']);
    expect(listed({ disabledTools: ['RUN_COMMAND'] })).not.toContain('run_command');
  });

  it(proves('A10')('hide start_subagent if subagents are turned off'), () => {
    const subagents = { helper: { description: 'helps' } };
    expect(listed(undefined, { subagents })).toContain('start_subagent');
    expect(listed({ subagents: false }, { subagents })).not.toContain('start_subagent');
    expect(listed(undefined)).not.toContain('start_subagent');
  });

  it(proves('A10')('that contradict each other or name unknown tools are errors'), () => {
    const wrong: readonly [unknown, RegExp][] = [
      [{ enabledTools: ['finish'], disabledTools: ['view_file'] }, /either enabledTools or disabledTools/],
      [{ enabledTools: ['veiw_file'] }, /"veiw_file".*view_file/],
      [{ disabledTools: ['nothing_like_it_at_all'] }, /nothing_like_it_at_all/],
      ['readonly', /readonly/],
      [{ preset: 'constructor' }, /constructor/],
      [{ enabledTools: 'finish' }, /enabledTools/],
      [{ subagents: 'no' }, /subagents/],
      [{ enabled: [] }, /enabled/],
      [7, /capabilities/],
      [null, /capabilities/],
      [[], /capabilities/],
    ];
    for (const [capabilities, message] of wrong) {
      expect(() => listed(capabilities as Capabilities)).toThrow(
        expect.objectContaining({ code: 'OPTION_INVALID', message: expect.stringMatching(message) }),
      );
    }
  });

  it(proves('A10')('hide a tool from the model and from calls; a denied tool is listed but does not run'), async () => {
    const executed: string[] = [];
    const note = (name: string): RunnableTool => look(() => (executed.push(name), name), name);
    const { agent, model } = await agentRig([calling('denied', 'hidden', 'open'), 'fine'], {
      tools: [note('denied'), { ...note('hidden'), aliases: { names: ['veiled'] } }, note('open')],
      capabilities: { preset: 'none', disabledTools: ['hidden'] },
      policy: [deny('denied', { reason: 'no' })],
    });
    await agent.chat('go');
    expect(model.calls[0]?.tools.map(({ name }) => name)).toEqual(['denied', 'open']);
    expect(executed).toEqual(['open']);
    expect(outputs(agent.history)).toEqual([
      { type: 'error-text', value: 'no' },
      { type: 'error-text', value: expect.stringContaining('hidden') },
      { type: 'text', value: 'open' },
    ]);
    await agent.stop();
  });

  it(proves('A10')('a tool that is not listed cannot be called by any of its names'), async () => {
    await fc.assert(
      fc.asyncProperty(fc.subarray(everything), fc.boolean(), async (names, only) => {
        const capabilities = only ? { enabledTools: names } : { disabledTools: names };
        const hidden = only ? everything.filter((name) => !names.includes(name)) : names;
        const agent = createAgent({ model, capabilities, default: 'allow', telemetry: false });
        expect(agent.tools.map(({ name }) => name).filter((name) => hidden.includes(name))).toEqual([]);
        expect(agent.tools).toHaveLength(everything.length - hidden.length);
        const calls = hidden.flatMap((name) => [name, name.toUpperCase()]);
        if (calls.length === 0) return;
        const rig = await agentRig([calling(...calls), 'fine'], { capabilities });
        await rig.agent.chat('go');
        expect(outputs(rig.agent.history).map(({ type }) => type)).toEqual(calls.map(() => 'error-text'));
        expect(rig.eventTypes()).not.toContain('tool_started');
        await rig.agent.stop();
      }),
      { numRuns: runs(25) },
    );
  });
});

describe('a custom tool', () => {
  it(proves('A12')('with the name of a built-in tool replaces it, and the policy still applies'), async () => {
    const executed: JsonObject[] = [];
    const own = defineTool({ name: 'run_command', description: 'mine', run: (args) => (executed.push(args), 'mine') });
    const tools = [own];
    const free = await agentRig([calling(['run_command', { any: 'thing' }]), 'fine'], { tools, capabilities: 'all' });
    await free.agent.chat('go');
    expect(executed).toEqual([{ any: 'thing' }]);
    expect(free.agent.tools.filter(({ name }) => name === 'run_command')).toMatchObject([{ description: 'mine' }]);
    const bound = await agentRig([calling('run_command'), 'fine'], { tools, policy: [deny('run_command')] });
    await bound.agent.chat('go');
    expect(executed).toHaveLength(1);
    expect(outputs(bound.agent.history)[0]?.type).toBe('error-text');
    await Promise.all([free.agent.stop(), bound.agent.stop()]);
  });

  it(proves('A12')('given twice is an error, and so is a value that is not a tool; one error lists all'), () => {
    const wrong = [act(), look(), act(), { name: 'x' }, undefined, { run: () => 1 }] as unknown as RunnableTool[];
    expect(() => createAgent({ model, tools: wrong })).toThrow(
      expect.objectContaining({ code: 'TOOL_INVALID', problems: expect.objectContaining({ length: 4 }) }),
    );
    expect(() => createAgent({ model, tools: [act()], subagents: { a: { tools: [act()] } } })).toThrow(
      expect.objectContaining({ code: 'TOOL_INVALID' }),
    );
  });

  it(proves('A12')('may have a Standard Schema: the model sees it, arguments are checked and typed'), async () => {
    const seen: unknown[] = [];
    const add = defineTool({
      name: 'add',
      schema: z.object({ a: z.number(), b: z.number().default(2) }),
      run: (args) => {
        expectTypeOf(args).toEqualTypeOf<{ a: number; b: number }>();
        seen.push(args);
        return args.a + args.b;
      },
    });
    const { agent, model: asked } = await agentRig([calling(['add', { a: 1 }], ['add', { a: 'x' }]), 'fine'], {
      tools: [add],
    });
    await agent.chat('go');
    expect(seen).toEqual([{ a: 1, b: 2 }]);
    expect(outputs(agent.history)).toEqual([
      { type: 'text', value: '3' },
      { type: 'error-text', value: expect.stringContaining('a') },
    ]);
    expect(asked.calls[0]?.tools[0]).toMatchObject({
      inputSchema: { type: 'object', properties: { a: { type: 'number' } } },
    });
    await agent.stop();
  });

  it(proves('A12')('may have a JSON Schema or none'), async () => {
    const schema = {
      type: 'object',
      properties: { n: { type: 'integer', minimum: 1 } },
      required: ['n'],
      additionalProperties: false,
    };
    const strict = defineTool({ name: 'strict', schema, run: ({ n }) => `n is ${JSON.stringify(n)}` });
    const { agent, model: asked } = await agentRig(
      [calling(['strict', { n: 3 }], ['strict', { n: 0 }], ['strict', { n: 3, m: 1 }], ['free', { any: 1 }]), 'fine'],
      { tools: [strict, act((args) => args, 'free')] },
    );
    await agent.chat('go');
    expect(outputs(agent.history).map(({ type }) => type)).toEqual(['text', 'error-text', 'error-text', 'text']);
    expect(asked.calls[0]?.tools.map((tool) => 'inputSchema' in tool && tool.inputSchema.type)).toEqual([
      'object',
      'object',
    ]);
    await agent.stop();
  });

  it(proves('A12')('whose schema cannot be shown to a model is refused by name'), () => {
    const silent = { '~standard': { version: 1, vendor: 'x', validate: (value: unknown) => ({ value }) } } as const;
    const tool = defineTool({ name: 'silent', schema: silent, run: () => 1 });
    expect(() => createAgent({ model, tools: [tool] })).toThrow(
      expect.objectContaining({ code: 'TOOL_INVALID', message: expect.stringContaining('"silent"') }),
    );
    createAgent({ model, tools: [{ ...tool, inputSchema: { type: 'object' } }] });
  });

  it(proves('A12')('may have any name: the model gets a valid one, and the right tool runs'), async () => {
    const executed: string[] = [];
    const names = ['größe', 'a.b', 'a_b', 'a b', 'x'.repeat(90), `${'x'.repeat(89)}y`];
    const tools = names.map((name) => look(() => (executed.push(name), name), name));
    const { agent, model: asked } = await agentRig(
      [({ tools: shown = [] }) => ({ toolCalls: shown.map(({ name }) => ({ tool: name })) }), 'fine'],
      { tools },
    );
    await agent.chat('go');
    expect(executed).toEqual(names);
    expect(new Set(asked.calls[0]?.tools.map(({ name }) => name)).size).toBe(names.length);
    expect(conversationProblems(agent.history)).toEqual([]);
    await agent.stop();
  });

  it(proves('A12')('may use an alias of a built-in tool, which then means only the custom tool'), async () => {
    const own = look(() => 'mine', 'read_file');
    const { agent } = await agentRig([calling('read_file', 'VIEW_FILE'), 'fine'], {
      tools: [own],
      capabilities: 'all',
    });
    await agent.chat('go');
    expect(outputs(agent.history)).toEqual([
      { type: 'text', value: 'mine' },
      { type: 'error-text', value: expect.stringContaining('file_path') },
    ]);
    await agent.stop();
    const aliased = { ...look(() => 'mine', 'reader'), aliases: { names: ['read_file'] } };
    const other = await agentRig([calling('read_file'), 'fine'], { tools: [aliased], capabilities: 'none' });
    await other.agent.chat('go');
    expect(outputs(other.agent.history)).toEqual([{ type: 'text', value: 'mine' }]);
    await other.agent.stop();
  });

  it(
    proves('A10', 'A12')('named finish ends the turn like the built-in one, and the policy can deny both'),
    async () => {
      const deniedRig = await agentRig([calling('finish'), 'went on'], {
        capabilities: 'all',
        policy: [deny('finish')],
      });
      expect(await deniedRig.agent.chat('go')).toMatchObject({ stopReason: 'end', text: 'went on' });
      const ownRig = await agentRig([calling('finish')], { tools: [look(() => 'my end', 'finish')] });
      expect(await ownRig.agent.chat('go')).toMatchObject({ stopReason: 'finished', text: 'my end' });
      await Promise.all([deniedRig.agent.stop(), ownRig.agent.stop()]);
    },
  );
});
