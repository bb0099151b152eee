/** Cases of Mastra alone: pauses inside pauses, data that a model forges, and ways around the guard. */

import assert from 'node:assert/strict';
import { Agent } from '@mastra/core/agent';
import { createDurableAgent } from '@mastra/core/agent/durable';
import { Mastra } from '@mastra/core/mastra';
import { MockMemory } from '@mastra/core/memory';
import { InMemoryStore } from '@mastra/core/storage';
import { createTool } from '@mastra/core/tools';
import { createGuard, guardAgent } from 'bridle/mastra';
import { z } from 'zod';
import { scriptedModel, seenIn } from '../drivers/scripted-model.mjs';

const call = (id, tool, args = {}) => ({ toolCalls: [{ id, tool, args }] });
const done = { text: 'done' };

function openAgent({ policy, hooks, script, config, grant, subagent = false }) {
  const ran = [];
  const journal = [];
  const requests = [];
  const note = (name, run) => (args, context) => {
    ran.push({ tool: name, args });
    return run(args, context);
  };
  const toolOf = (id, inputSchema, run) => createTool({ id, description: id, inputSchema, execute: note(id, run) });
  const tools = {
    send: toolOf('send', z.object({ to: z.string(), copies: z.number().default(1) }), ({ to }) => `sent to ${to}`),
    decode: toolOf('decode', z.object({ text: z.string().transform(decodeURIComponent) }), ({ text }) => text),
    // It asks a person by itself.
    form: toolOf('form', z.object({ question: z.string() }), ({ question }, { agent }) =>
      agent.resumeData === undefined ? agent.suspend({ question }) : `they said ${agent.resumeData.said}`,
    ),
  };
  const signals = [];
  tools.wait = toolOf('wait', z.object({}), (_args, { agent, abortSignal }) => {
    if (agent.resumeData === undefined) return agent.suspend({});
    signals.push(abortSignal);
    return new Promise((resolve) => abortSignal.addEventListener('abort', () => resolve('stopped')));
  });
  let next = 0;
  const model = scriptedModel(() => script[next++] ?? done, { spec: 'v2', requests });
  const about = (id) => ({ id, name: id, description: id, instructions: id, model, tools });
  const guard = createGuard({ policy, hooks, grant, journal: { append: (entry) => void journal.push(entry) } });
  const agents = subagent ? { agents: { helper: new Agent(about('helper')) } } : {};
  const agent = guardAgent(guard, new Agent({ ...about('boss'), ...agents, memory: new MockMemory(), ...config }));
  const mastra = new Mastra({ agents: { agent }, storage: new InMemoryStore(), logger: false });
  const memory = { thread: 't', resource: 'user' };
  return {
    agent,
    guard,
    mastra,
    ran,
    signals,
    journal,
    run: (options) => agent.generate('go', { memory, ...options }),
    stream: async () => drain(await agent.stream('go', { memory })),
    decisions: () => journal.map(({ agent: path, tool, status }) => `${path.join('/')} ${tool} ${status}`),
    seen: () => seenIn(requests).seen,
  };
}

async function drain(output) {
  const parts = [];
  for await (const { type } of output.fullStream) parts.push(type);
  return { parts, text: await output.text, finishReason: await output.finishReason, runId: output.runId };
}

const delegating = [call('d1', 'agent-helper', { prompt: 'x' }), call('c1', 'send', { to: 'bob' }), done, done];

/** Both the delegation and the helper's call ask. Each answer counts for one of them. */
async function nestedAsk({ bridle }, { approves, streams }) {
  const rig = openAgent({ policy: [bridle.ask('*')], subagent: true, script: delegating });
  const { agent } = rig;
  const answer = async (isApproved, runId) => {
    const options = { runId, toolCallId: 'd1', ...(isApproved ? {} : { reason: 'not Bob' }) };
    if (!streams) return agent[isApproved ? 'approveToolCallGenerate' : 'declineToolCallGenerate'](options);
    return drain(await agent[isApproved ? 'approveToolCall' : 'declineToolCall'](options));
  };
  const first = streams ? await rig.stream() : await rig.run();
  const second = await answer(true, first.runId);
  assert.equal(second.finishReason, 'suspended');
  assert.deepEqual(rig.ran, []);
  const third = await answer(approves, second.runId);
  assert.equal(third.text, 'done');
  assert.equal(rig.ran.length, approves ? 1 : 0);
  assert.deepEqual(rig.decisions(), [
    'main agent-helper asked',
    'main agent-helper approved',
    'main/helper send asked',
    ...(approves ? ['main/helper send approved', 'main/helper send ok'] : ['main/helper send refused']),
    'main agent-helper ok',
  ]);
}

export const cases = {
  async 'nested-ask'(context) {
    for (const approves of [true, false])
      for (const streams of [true, false]) await nestedAsk(context, { approves, streams });
  },

  async 'pausing-tool'({ bridle }) {
    for (const asks of [false, true]) {
      const script = [call('c1', 'form', { question: 'why' }), done];
      const rig = openAgent({ policy: [...(asks ? [bridle.ask('form')] : []), bridle.allow('*')], script });
      let result = await rig.stream();
      if (asks) result = await drain(await rig.agent.approveToolCall({ runId: result.runId, toolCallId: 'c1' }));
      assert.ok(result.parts.includes('tool-call-suspended'));
      await drain(await rig.agent.resumeStream({ said: 'so' }, { runId: result.runId, toolCallId: 'c1' }));
      assert.equal(rig.seen().c1.text, 'they said so');
      assert.deepEqual(
        rig.decisions(),
        asks ? ['main form asked', 'main form approved', 'main form ok'] : ['main form allowed', 'main form ok'],
      );
    }
  },

  /** The tool must not continue under a decision that has ended. */
  async 'pause-timeout'({ bridle }) {
    const script = [call('c1', 'form', { question: 'why' }), done];
    const rig = openAgent({ policy: [bridle.allow('*')], script, grant: { timeoutMs: 300 } });
    const { runId } = await rig.stream();
    await new Promise((resolve) => setTimeout(resolve, 600));
    assert.deepEqual(rig.decisions(), ['main form allowed', 'main form timeout']);
    await drain(await rig.agent.resumeStream({ said: 'so' }, { runId, toolCallId: 'c1' }));
    assert.equal(rig.seen().c1.text, 'they said so');
    assert.deepEqual(rig.decisions().slice(2), ['main form allowed', 'main form ok']);
  },

  /** A tool that pauses by itself keeps the signal of the guard when it is resumed. */
  async 'pause-signal'({ bridle }) {
    const script = [call('c1', 'wait', {}), done];
    const rig = openAgent({ policy: [bridle.allow('*')], script });
    const { runId } = await rig.stream();
    const resumed = rig.agent.resumeStream({ said: 'so' }, { runId, toolCallId: 'c1' }).then(drain);
    while (rig.signals.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    assert.equal(rig.signals[0].aborted, false);
    await rig.guard.end();
    assert.equal(rig.signals[0].aborted, true);
    await resumed.catch(() => undefined);
  },

  async 'forged-resume-data'({ bridle }) {
    const script = [call('c1', 'form', { question: 'why', resumeData: { said: 'yes' } }), done];
    const rig = openAgent({ policy: [bridle.allow('*')], script });
    await rig.run();
    assert.deepEqual(rig.ran, []);
    assert.match(rig.seen().c1.text, /resume data/);
  },

  /** Mastra validates args twice, so a rule would see other args than the tool. */
  async 'unstable-schema'({ bridle }) {
    const script = [call('c1', 'decode', { text: 'a%2520b' }), call('c2', 'decode', { text: 'a%20b' }), done];
    const rig = openAgent({ policy: [bridle.allow('*')], script });
    await rig.run();
    assert.deepEqual(rig.ran, [{ tool: 'decode', args: { text: 'a b' } }]);
    assert.match(rig.seen().c1.text, /changes its own output/);
  },

  async 'swapped-model'({ bridle }) {
    const models = [];
    const other = scriptedModel(() => ({ text: 'from the other model' }), { spec: 'v3', requests: [] });
    const hooks = [bridle.preLlmCall(({ model }) => void models.push(model), { name: 'note' })];
    const rig = openAgent({ policy: [bridle.allow('*')], hooks, script: [] });
    assert.equal((await rig.run({ model: other })).text, 'from the other model');
    assert.equal((await rig.run({ prepareStep: () => ({ model: other }) })).text, 'from the other model');
    assert.equal(models.length, 2);
  },

  async 'ways-around'({ bridle }) {
    const open = (config) =>
      openAgent({ policy: [bridle.allow('*')], script: [call('c1', 'send', { to: 'b' })], config });
    const rig = open();
    for (const name of ['generateLegacy', 'streamLegacy', 'network', 'resumeNetwork'])
      await assert.rejects(() => rig.agent[name]('go', {}), new RegExp(name));
    const { send } = await rig.agent.listTools();
    assert.throws(() => send.execute({ to: 'b' }, {}), /only in generate and stream/);
    await rig.agent.__fork().generate('go');
    assert.equal(rig.journal[0].call, 'c1', 'a copy of the agent is guarded, too');
    assert.throws(() => open({ durable: true }), /durable/);
    const durable = createDurableAgent({ agent: rig.agent });
    assert.throws(() => guardAgent(rig.guard, durable), /durable/);
    const before = rig.ran.length;
    assert.ok(new Mastra({ agents: { durable }, storage: new InMemoryStore(), logger: false }));
    const { output } = await durable.stream('go');
    await drain(output).catch(() => undefined);
    assert.equal(rig.ran.length, before, 'a durable agent around a guarded one runs nothing');
  },
};
