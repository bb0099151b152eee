/** Mistakes that prevent an agent from being created or started, because they would leave a gap. */

import { deny, ask, allowAll, allowMcp, transform, preToolCall } from 'bridle';
import { createAgent, fileSessions, memorySessions, type AgentOptions } from 'bridle/agent';
import { humanApproval, rewriteArguments } from 'bridle/ready-made';
import { scriptedModel } from 'bridle/testing';
import { defineTool } from 'bridle/tools';
import { describe, expect, expectTypeOf, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { agentParts, agentRig, calling } from '../../../test/rigs/agent-rig.ts';
import { proves } from '../../../test/contract/cite.ts';
import { filesystemServer, tempFolder } from '../../../test/mcp-servers/servers.ts';

const deploy = defineTool({ name: 'deploy', run: () => 'deployed' });
const other = defineTool({ name: 'other', run: () => 'done' });

function starting(options: Partial<AgentOptions>): Promise<unknown> {
  const { agent } = agentParts([], { default: undefined, ...options });
  onTestFinished(() => agent.stop().catch(() => undefined));
  return agent.start();
}

describe('a hook that names its tools', () => {
  it.each([
    ['humanApproval', humanApproval({ tools: ['deplyo'], ask: () => false })],
    ['rewriteArguments', rewriteArguments({ tool: 'deplyo', rewrite: () => undefined })],
    ['humanApproval for a server', humanApproval({ tools: ['flies/deploy'], ask: () => false })],
  ])(proves('P14', 'E11')('must name tools that exist: %s'), async (_what, hook) => {
    await expect(starting({ tools: [deploy], policy: [allowAll()], hooks: [hook] })).rejects.toMatchObject({
      code: 'POLICY_INVALID',
      message: expect.stringMatching(/deplyo"; did you mean "deploy"|flies/),
    });
  });

  it(proves('A02', 'E11')('covers those tools and no others'), async () => {
    const gate = humanApproval({ tools: ['deploy'], ask: () => false });
    await starting({ tools: [deploy], hooks: [gate] });
    await expect(starting({ tools: [deploy, other], hooks: [gate] })).rejects.toMatchObject({
      code: 'AGENT_UNSAFE',
      message: expect.stringMatching(/^no rule covers "other",/),
    });
    await starting({ tools: [deploy, other], hooks: [humanApproval({ tools: ['*'], ask: () => false })] });
  });
});

describe('a rule for a server tool', () => {
  it.each([
    ['deny', deny('files/writ_file')],
    ['ask', ask('files/writ_file', { handler: () => false })],
  ])(proves('P14', 'M04')('must name an existing tool, if it restricts: %s'), async (_effect, rule) => {
    const mcpServers = [filesystemServer(tempFolder())];
    const options = { mcpServers, pins: false, workspaces: [], policy: [rule, allowMcp('files')] } as const;
    const named = mcpServers.map((config) => ({ ...config, name: 'files' }));
    await expect(starting({ ...options, mcpServers: named })).rejects.toMatchObject({
      code: 'POLICY_INVALID',
      message: expect.stringContaining('no tool is named "writ_file" on server "files"; did you mean "write_file"?'),
    });
  });

  it(proves('P14', 'A13')('must name an existing tool, also in the layer of a subagent'), async () => {
    const subagents = { child: { policy: [deny('files/writ_file')] } };
    const options = { mcpServers: [filesystemServer(tempFolder())], pins: false, workspaces: [], subagents } as const;
    await expect(starting({ ...options, policy: [allowAll()] })).rejects.toMatchObject({
      code: 'POLICY_INVALID',
      message: expect.stringContaining('did you mean "write_file"?'),
    });
  });

  it(proves('W01')('warns about undeclared path arguments, as for other tools'), async () => {
    const named = { ...filesystemServer(tempFolder()), name: 'files' };
    const { agent } = await agentRig([], { mcpServers: [named], pins: false });
    onTestFinished(() => agent.stop());
    expect(agent.warnings.join('\n')).toMatch(/files\/read_text_file/);
  });
});

describe('another session', () => {
  it(proves('A17')('is saved in the same store as the first one'), async () => {
    const store = memorySessions();
    const { agent } = await agentRig(['one', 'two'], { session: { store } });
    const first = await agent.open({ id: 'user-a' });
    await first.chat('x');
    await first.stop();
    const again = await agent.open({ id: 'user-a' });
    expect(again.history).toHaveLength(2);
    await agent.stop();
  });

  it(proves('A17')('with an unknown cost still has an unknown cost after a resume'), async () => {
    const store = memorySessions();
    const usage = { inputTokens: 1000 };
    const run = async (): Promise<number | undefined> => {
      const { agent } = await agentRig([{ text: 'x', usage }], { session: { id: 's', store } });
      const before = agent.usage.cost;
      await agent.chat('x');
      await agent.stop();
      return before;
    };
    expect([await run(), await run()]).toEqual([0, undefined]);
  });
});

describe('a mistake in the options', () => {
  const model = scriptedModel([]);
  it.each<[string, object, RegExp]>([
    ['a setting', { settings: { temprature: 1 } }, /"settings.temprature" is not known; did you mean "temperature"/],
    [
      'the kind of a setting',
      { settings: { temperature: 'hot' } },
      /"settings.temperature" is a string, not a finite number/,
    ],
    ['an option of the built-ins', { builtins: { enviroment: {} } }, /"builtins.enviroment" is not known/],
    [
      'the schema of a tool',
      { tools: [{ ...deploy, parameters: {} }] },
      /"parameters", which Bridle ignores; use "schema"/,
    ],
    ['the work of a tool', { tools: [{ ...deploy, execute: () => 1 }] }, /"execute", which Bridle ignores; use "run"/],
    ['a field of a tool', { tools: [{ ...deploy, descripton: 'x' }] }, /did you mean "description"/],
    [
      'a preset beside a list',
      { capabilities: { preset: 'readOnly', enabledTools: ['finish'] } },
      /either a preset or enabledTools/,
    ],
    [
      'a store that cannot save',
      { session: { store: { load: () => undefined } } },
      /"session.store" has no method save/,
    ],
  ])('is refused when the agent is made: %s', (_what, options, message) => {
    expect(() => createAgent({ model, default: 'deny', ...options })).toThrow(message);
  });

  it('is an error in the options of a turn or a session', async () => {
    const { agent } = await agentRig([]);
    await expect(agent.chat('x', { shema: {} } as object)).rejects.toThrow(
      /"shema" is not known; did you mean "schema"/,
    );
    await expect(agent.open({ moode: 'resume' } as object)).rejects.toThrow(
      /"moode" is not known; did you mean "mode"/,
    );
    expect(() => fileSessions(undefined as unknown as string)).toThrow(/pass the path of a folder/);
    await agent.stop();
  });
});

it(proves('G03')('the start event of a call has its effective arguments'), async () => {
  const fix = preToolCall(({ call }) => transform({ ...call.args, amount: 5 }), { name: 'fix' });
  const pay = defineTool({ name: 'pay', run: () => 'paid' });
  const { agent, events } = await agentRig([calling(['pay', { amount: 900 }]), 'ok'], { tools: [pay], hooks: [fix] });
  await agent.chat('pay');
  const args = (type: string): unknown => events.find((event) => event.type === type);
  expect([args('tool_requested'), args('tool_started')]).toMatchObject([
    { args: { amount: 900 } },
    { args: { amount: 5 } },
  ]);
  await agent.stop();
});

it(proves('A15')('the schema determines the type of the data'), async () => {
  const { agent } = await agentRig(['{"a":"x"}']);
  const { data } = await agent.chat('x', { schema: z.object({ a: z.string() }) });
  expectTypeOf(data).toEqualTypeOf<{ a: string } | undefined>();
  expect(data?.a).toBe('x');
  await agent.stop();
});
