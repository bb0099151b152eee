/** Cases of VoltAgent alone: agents behind tools, the tool router, other models, and answers that are sent twice. */

import assert from 'node:assert/strict';
import { Agent, createTool, PlanAgent } from '@voltagent/core';
import { createGuard, guardAgent } from 'bridle/voltagent';
import { z } from 'zod';
import { scriptedModel, seenIn } from '../drivers/scripted-model.mjs';

const call = (id, tool, args = {}) => ({ toolCalls: [{ id, tool, args }] });
const done = { text: 'done' };
const nothing = () => undefined;
const quiet = Object.fromEntries(['trace', 'debug', 'info', 'warn', 'error', 'fatal'].map((name) => [name, nothing]));
quiet.child = () => quiet;

function openAgent({ policy, hooks, script, build = (options) => new Agent(options), guardOptions }) {
  const ran = [];
  const journal = [];
  const requests = [];
  const send = createTool({
    name: 'send',
    description: 'send',
    parameters: z.object({ to: z.string() }),
    execute: async ({ to }) => {
      ran.push(to);
      return `sent to ${to}`;
    },
  });
  let next = 0;
  const model = scriptedModel(() => script[next++] ?? done, { spec: 'v3', requests });
  const common = { name: 'boss', instructions: 'x', model, logger: quiet, maxRetries: 0, memory: false, tools: [send] };
  const guard = createGuard({ policy, hooks, journal: { append: (entry) => void journal.push(entry) } });
  const agent = guardAgent(guard, build(common), guardOptions);
  return {
    agent,
    ran,
    common,
    send,
    run: (options, input = 'go') => agent.generateText(input, { conversationId: 'c', userId: 'u', ...options }),
    decisions: () => journal.map(({ agent: path, tool, status }) => `${path.join('/')} ${tool} ${status}`),
    seen: () => seenIn(requests).seen,
  };
}

export const cases = {
  /** VoltAgent would lose the question: the subagent's run would just end. */
  async 'subagent-ask'({ bridle }) {
    const script = [
      call('d1', 'delegate_task', { task: 'x', targetAgents: ['helper'] }),
      call('c1', 'send', { to: 'bob' }),
      { text: 'I need approval' },
      done,
    ];
    const rig = openAgent({ policy: [bridle.ask('send'), bridle.allow('*')], script });
    // It is added after the agent was guarded, with a method of its own.
    rig.agent.addSubAgent({ method: 'generateText', agent: new Agent({ ...rig.common, name: 'helper' }) });
    const { text } = await rig.run();
    assert.equal(text, 'done');
    assert.deepEqual(rig.ran, []);
    assert.match(rig.seen().c1.text, /needs approval/);
    assert.deepEqual(rig.decisions(), [
      'main delegate_task allowed',
      'main/helper send asked',
      'main delegate_task ok',
    ]);
  },

  async 'agent-as-tool'({ bridle }) {
    const script = [call('d1', 'helper_tool', { prompt: 'x' }), call('c1', 'send', { to: 'bob' }), done, done];
    const rig = openAgent({
      policy: [bridle.deny('send', { reason: 'not even so' }), bridle.allow('*')],
      script,
      build: (options) => {
        const helper = new Agent({ ...options, id: 'helper', name: 'helper' });
        return new Agent({ ...options, tools: [helper.toTool()] });
      },
    });
    await rig.run();
    assert.deepEqual(rig.ran, []);
    assert.match(rig.seen().c1.text, /not even so/);
    assert.ok(rig.decisions().includes('main/helper send denied'));
  },

  /** A PlanAgent keeps its subagents to itself. */
  async 'plan-agent'({ bridle }) {
    const script = [
      call('d1', 'task', { description: 'x', subagent_type: 'general-purpose' }),
      call('c1', 'send', { to: 'bob' }),
      done,
      done,
    ];
    const rig = openAgent({
      policy: [bridle.deny('send', { reason: 'not even so' }), bridle.allow('*')],
      script,
      build: (options) => new PlanAgent({ ...options, systemPrompt: 'x', planning: false }),
    });
    await rig.run();
    assert.deepEqual(rig.ran, []);
    assert.ok(rig.decisions().includes('main/general-purpose send denied'), rig.decisions().join('\n'));
  },

  async 'tool-router'({ bridle }) {
    const policies = [
      [bridle.deny('send', { reason: 'not even so' }), bridle.allow('*')],
      [bridle.ask('send'), bridle.allow('*')],
    ];
    for (const policy of policies) {
      const script = [
        call('s1', 'searchTools', { query: 'send' }),
        call('c1', 'callTool', { name: 'send', args: { to: 'bob' } }),
        done,
      ];
      const rig = openAgent({
        policy,
        script,
        build: ({ tools, ...options }) => new Agent({ ...options, toolRouting: { pool: tools } }),
      });
      await rig.run().catch((error) => error);
      assert.deepEqual(rig.ran, []);
      assert.ok(
        rig.decisions().some((line) => /^main send (denied|asked)$/.test(line)),
        rig.decisions().join('\n'),
      );
    }
  },

  async 'other-models'({ bridle }) {
    const models = [];
    const other = scriptedModel(() => ({ text: 'from the other model' }), { spec: 'v3', requests: [] });
    const hooks = [bridle.preLlmCall(({ model }) => void models.push(model), { name: 'note' })];
    const script = [done];
    const rig = openAgent({ policy: [bridle.allow('*')], hooks, script });
    assert.equal((await rig.run({ prepareStep: () => ({ model: other }) })).text, 'from the other model');
    assert.equal(models.length, 1);
    await assert.rejects(() => rig.run({ model: other }), /model/);
    const build = (options) => new Agent({ ...options, prepareStep: () => ({ model: other }) });
    const second = openAgent({ policy: [bridle.allow('*')], hooks, script, build });
    assert.equal((await second.run()).text, 'from the other model');
    assert.equal(models.length, 2);
  },

  async 'answer-twice'({ bridle }) {
    const script = [call('c1', 'send', { to: 'bob' }), done, done];
    const rig = openAgent({ policy: [bridle.ask('send'), bridle.allow('*')], script });
    const first = await rig.run();
    const { approvalId } = first.content.find(({ type }) => type === 'tool-approval-request');
    const answer = { role: 'tool', content: [{ type: 'tool-approval-response', approvalId, approved: true }] };
    const messages = [{ role: 'user', content: 'go' }, ...first.response.messages, answer];
    await rig.run({}, messages);
    assert.deepEqual(rig.ran, ['bob']);
    await rig.run({}, structuredClone(messages)).catch((error) => error);
    assert.deepEqual(rig.ran, ['bob'], 'the same answer does not count again');
  },

  async 'changed-args'({ bridle }) {
    const script = [call('c1', 'send', { to: 'bob' }), done];
    const changing = createTool({
      name: 'send',
      description: 'send',
      parameters: z.object({ to: z.string() }),
      execute: async (args) => {
        args.to += '!';
        return `sent to ${args.to}`;
      },
    });
    const openWith = (options) =>
      openAgent({ policy: [bridle.allow('*')], script, build: (common) => new Agent({ ...common, ...options }) });
    const rig = openWith({ tools: [changing] });
    await rig.run();
    assert.equal(rig.seen().c1.text, 'sent to bob!', 'a tool may change its own args');
    const hooked = openWith({ hooks: { onToolStart: ({ args }) => void (args.to = 'eve') } });
    await hooked.run();
    assert.deepEqual(hooked.ran, [], 'nobody else changes args that were decided about');
  },

  async 'yielding-tool'({ bridle }) {
    const progress = createTool({
      name: 'progress',
      description: 'progress',
      parameters: z.object({}),
      async *execute() {
        yield 'half';
        yield 'whole';
      },
    });
    const script = [call('c1', 'progress'), done];
    const build = (options) => new Agent({ ...options, tools: [progress] });
    const rig = openAgent({ policy: [bridle.allow('*')], script, build });
    await rig.run();
    assert.equal(rig.seen().c1.text, 'whole');
    assert.deepEqual(rig.decisions(), ['main progress allowed', 'main progress ok']);
  },
};
