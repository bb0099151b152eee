/** Attempts to bypass the guard, the budget or the history that once worked and must not work again. */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { allowAll, deny, denyAll, preTurn, replace, postTurn, transform, preToolCall } from 'bridle';
import { createAgent, memorySessions, type AgentLoop, type SavedSession, type SessionStore } from 'bridle/agent';
import { scriptedModel } from 'bridle/testing';
import { defineTool } from 'bridle/tools';
import type { LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { describe, expect, it, onTestFinished } from 'vitest';
import { act, agentRig, calling } from '../../test/rigs/agent-rig.ts';
import { proves } from '../../test/contract/cite.ts';
import { conversationProblems } from '../../test/rigs/conversation.ts';

const providerTool = { type: 'provider', id: 'x.code', name: 'code', args: {} };

describe('a custom loop', () => {
  it(proves('A20')('cannot add tools for the model through its settings'), async () => {
    const loop: AgentLoop = {
      name: 'sly',
      run: async ({ generate }) => void (await generate({ tools: [], settings: { tools: [providerTool] } })),
    };
    const { agent, model } = await agentRig(['x'], { loop, policy: [denyAll()] });
    await agent.chat('x');
    expect(model.calls[0]?.tools).toEqual([]);
    await agent.stop();
  });

  it(proves('A20', 'G13')('that makes concurrent calls has them run one after another'), async () => {
    const running = new Set<string>();
    const seen: number[] = [];
    const slow = defineTool({
      name: 'slow',
      run: async (_args, { call }) => {
        running.add(call.id);
        seen.push(running.size);
        await new Promise((resolve) => setTimeout(resolve, 5));
        running.delete(call.id);
      },
    });
    const loop: AgentLoop = {
      name: 'hasty',
      async run({ call }) {
        await Promise.all(['a', 'b', 'c'].map((id) => call([{ id, tool: 'slow', args: {} }])));
      },
    };
    const { agent } = await agentRig([], { loop, tools: [slow] });
    await agent.chat('x');
    expect(seen).toEqual([1, 1, 1]);
    await agent.stop();
  });

  it(proves('A20', 'A07')('that does not await its calls leaves a valid history'), async () => {
    const loop: AgentLoop = { name: 'careless', run: async ({ generate }) => void generate().catch(() => undefined) };
    const late = postTurn(() => new Promise<void>((resolve) => setTimeout(resolve, 20)), { name: 'late' });
    const steps = [calling('act'), 'two'];
    const { agent, model } = await agentRig(steps, { loop, hooks: [late], tools: [act()], script: { delayMs: 2 } });
    await agent.chat('one');
    await agent.chat('two');
    expect(model.calls.flatMap(({ prompt }) => conversationProblems(prompt))).toEqual([]);
    await agent.stop();
  });
});

describe('a caller', () => {
  it(proves('A07')('that aborts while a hook asks a question ends its turn'), async () => {
    const asks = preTurn(async (_payload, ctx) => void (await ctx.ask([{ question: 'Really?' }])), { name: 'asks' });
    const never = { name: 'never', onInteraction: () => new Promise<never>(() => undefined) };
    const { agent } = await agentRig([], { hooks: [asks, never] });
    const controller = new AbortController();
    const turn = agent.chat('x', { signal: controller.signal });
    setTimeout(() => controller.abort(), 10);
    expect((await turn).stopReason).toBe('cancelled');
    await agent.stop();
  });

  it(proves('A07')('that aborts before the turn starts does not reach any hook'), async () => {
    let entered = 0;
    const { agent } = await agentRig([], { hooks: [preTurn(() => void entered++, { name: 'count' })] });
    expect((await agent.chat('x', { signal: AbortSignal.abort() })).stopReason).toBe('cancelled');
    expect(entered).toBe(0);
    await agent.stop();
  });
});

it(proves('A18')('a failed attempt counts if its usage was reported'), async () => {
  const parts: readonly LanguageModelV4StreamPart[] = [
    {
      type: 'finish',
      finishReason: { unified: 'error', raw: undefined },
      usage: {
        inputTokens: { total: 100, noCache: 100, cacheRead: 0, cacheWrite: 0 },
        outputTokens: { total: 0, text: 0, reasoning: 0 },
      },
    },
  ];
  const model = { ...scriptedModel([]), doStream: async () => ({ stream: ReadableStream.from(parts) }) };
  const agent = createAgent({ model, capabilities: 'none', retries: 0, telemetry: false });
  await agent.start();
  await expect(agent.chat('x')).rejects.toMatchObject({ code: 'LLM_FAILED' });
  expect(agent.usage.total.inputTokens).toBe(100);
  await agent.stop();
});

it(proves('A15')('data is left out if a hook replaced the text it was parsed from'), async () => {
  const redact = postTurn(({ output }) => replace({ ...output, text: '[redacted]' }), { name: 'redact' });
  const { agent } = await agentRig(['{"k":"SECRET"}'], { hooks: [redact] });
  const schema = { type: 'object', properties: { k: { type: 'string' } } };
  expect(await agent.chat('x', { schema })).toMatchObject({ text: '[redacted]', data: undefined });
  await agent.stop();
});

it(proves('A16', 'G07')('text that a tool attaches is part of the result that hooks see'), async () => {
  const seen: unknown[] = [];
  const tool = defineTool({
    name: 'sly',
    run: (_args, { attach }) => attach({ mediaType: 'text/plain', data: Buffer.from('hidden words') }),
  });
  const exe = defineTool({
    name: 'exe',
    run: (_args, { attach }) => attach({ mediaType: 'application/x-msdownload', data: new Uint8Array(3) }),
  });
  const watch = { name: 'results', postToolCall: ({ result }: { result: unknown }) => void seen.push(result) };
  const { agent } = await agentRig([calling('sly', 'exe'), 'ok'], { tools: [tool, exe], hooks: [watch] });
  await agent.chat('x');
  expect(seen).toEqual(expect.arrayContaining(['hidden words', expect.stringContaining('left out')]));
  await agent.stop();
});

describe('a session', () => {
  it(proves('A17')('is not resumed by another agent'), async () => {
    const store = memorySessions();
    const first = await agentRig(['x'], { name: 'alpha', session: { id: 's', store } });
    await first.agent.chat('x');
    await first.agent.stop();
    await expect(agentRig([], { name: 'beta', session: { id: 's', store } })).rejects.toThrow(
      /belongs to the agent "alpha"/,
    );
  });

  it(
    proves('A17')('saves its turn before the first call, so that idempotency keys do not repeat after a kill'),
    async () => {
      const saves: SavedSession[] = [];
      const store: SessionStore = {
        load: async () => undefined,
        save: async (session) => void saves.push(session),
        delete: async () => undefined,
      };
      let before = 0;
      const tool = defineTool({ name: 'pay', run: () => (before = saves.length) });
      const { agent } = await agentRig([calling('pay'), 'ok'], { tools: [tool], session: { id: 's', store } });
      await agent.chat('x');
      expect(before).toBe(1);
      expect(saves[0]).toMatchObject({ turns: 1, messages: [] });
      await agent.stop();
    },
  );
});

it(proves('A10')('a list of enabled tools also hides server tools'), async () => {
  const { agent } = await agentRig([], { capabilities: { enabledTools: ['view_file'] } });
  expect(agent.tools.map(({ name }) => name)).toEqual(['view_file']);
  await agent.stop();
});

it(proves('A13', 'G02')("a subagent's condition is evaluated again after hooks changed the arguments"), async () => {
  const executed: unknown[] = [];
  const tool = defineTool({ name: 'write', tier: 'observe', run: (args) => void executed.push(args) });
  const child = scriptedModel([calling(['write', { to: 'fine' }]), 'done']);
  const rewrite = preToolCall(({ call }) => (call.tool === 'write' ? transform({ to: 'secret' }) : undefined), {
    name: 'rewrite',
  });
  const { agent } = await agentRig([calling(['start_subagent', { agent: 'c', prompt: 'go' }]), 'ok'], {
    capabilities: 'all',
    tools: [tool],
    policy: [allowAll()],
    hooks: [rewrite],
    subagents: { c: { model: child, policy: [deny('write', { when: ({ to }) => to === 'secret' })] } },
  });
  await agent.chat('x');
  expect(executed).toEqual([]);
  await agent.stop();
});

it(proves('A03')('a provider is not loaded from the working folder of an agent'), async () => {
  const folder = mkdtempSync(join(tmpdir(), 'bridle-planted-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const planted = join(folder, 'node_modules/@ai-sdk/mistral');
  mkdirSync(planted, { recursive: true });
  writeFileSync(join(planted, 'package.json'), '{"name":"@ai-sdk/mistral","type":"module","exports":"./index.js"}');
  writeFileSync(join(planted, 'index.js'), 'globalThis.planted = true;');
  const agent = createAgent({ model: 'mistral/large', cwd: folder, capabilities: 'none' });
  await expect(agent.start()).rejects.toMatchObject({ message: expect.stringContaining('npm install') });
  expect(globalThis).not.toHaveProperty('planted');
});
