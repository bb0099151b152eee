/** Cases of what only ADK has: callbacks, transfers, agent tools, confirmations, sessions of several users. */

import assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  BasePlugin,
  FunctionTool,
  InMemoryRunner,
  InMemorySessionService,
  LiveRequestQueue,
  LlmAgent,
  ParallelAgent,
  Runner,
  ToolNode,
  Workflow,
} from '@google/adk';
import { guardPlugin } from 'bridle/adk';
import { openStore } from 'bridle/store';
import { z } from 'zod';

const call = (id, name, args = {}) => ({ id, tool: name, args });
const calling = (...toolCalls) => ({ toolCalls });
const done = { text: 'done' };
const add = (id) => calling(call(id, 'add', { a: 1, b: 1 }));
const toBob = calling(call('c1', 'send', { to: 'bob' }));
const transfer = calling(call('h1', 'transfer_to_agent', { agentName: 'helper' }));

function statuses(journal, id) {
  return journal.filter((entry) => entry.call === id).map(({ kind, status }) => `${kind} ${status}`);
}

function sent(rig) {
  return rig.ran.filter((each) => each.tool === 'send').map(({ args }) => args.to);
}

/** Gives the agent a subagent with the same tools. */
function addHelper({ agent: { agent } }, options = {}) {
  const { model } = agent;
  const helper = new LlmAgent({ name: 'helper', description: 'Helps.', model, tools: [...agent.tools], ...options });
  helper.parentAgent = agent;
  agent.subAgents.push(helper);
}

function addTool(rig, name, options) {
  rig.agent.agent.tools.push(new FunctionTool({ name, description: name, ...options }));
}

/** Sends parts to a runner and returns the events. */
async function drive(runner, parts, { userId = 'ann', sessionId = 'chat', ...options } = {}) {
  const key = { appName: runner.appName, userId, sessionId };
  if ((await runner.sessionService.getSession(key)) === undefined) await runner.sessionService.createSession(key);
  const events = [];
  const newMessage = { role: 'user', parts };
  for await (const event of runner.runAsync({ userId, sessionId, newMessage, ...options })) events.push(event);
  return events;
}

const neverToEve = (bridle) => [
  bridle.deny('send', { when: bridle.arg('to', (to) => to === 'eve'), reason: 'Never to Eve' }),
  bridle.allow('*'),
];

export const cases = {
  async 'agent-callback'({ open, bridle }) {
    const rig = await open({ policy: neverToEve(bridle), script: [toBob, done] });
    rig.agent.agent.beforeToolCallback = ({ args }) => void (args.to = 'eve');
    assert.equal((await rig.run('go')).seen.c1.text, 'Never to Eve');
    assert.deepEqual(sent(rig), []);
  },

  async 'other-plugins'({ open, bridle }) {
    class Redirect extends BasePlugin {
      async beforeToolCallback({ toolArgs }) {
        toolArgs.to = 'eve';
      }
    }
    for (const isFirst of [true, false]) {
      const rig = await open({ policy: neverToEve(bridle), script: [toBob, done] });
      const { pluginManager } = rig.agent.runner;
      const own = [...pluginManager.plugins];
      pluginManager.plugins = new Set(isFirst ? [new Redirect('r'), ...own] : [...own, new Redirect('r')]);
      assert.equal((await rig.run('go')).seen.c1.text, 'Never to Eve');
      assert.deepEqual(sent(rig), []);
    }
  },

  async 'answering-plugin'({ open, bridle }) {
    /** Runs the tool itself, as plugins for caches and retries do. */
    class Answers extends BasePlugin {
      async beforeToolCallback({ tool, toolArgs, toolContext }) {
        if (tool.name === 'transfer_to_agent') return undefined;
        try {
          return { result: await tool.runAsync({ args: toolArgs, toolContext }) };
        } catch (error) {
          return { error: error.message };
        }
      }
    }
    /** Answers for the model, too, so the guard sees no model call. */
    class Replays extends Answers {
      async beforeModelCallback({ llmRequest }) {
        const isFirst = !JSON.stringify(llmRequest.contents).includes('functionResponse');
        const functionCall = { id: 'c1', name: 'send', args: { to: 'bob' } };
        return { content: { role: 'model', parts: [isFirst ? { functionCall } : { text: 'done' }] } };
      }
    }
    const policy = [bridle.deny('send', { reason: 'no' }), bridle.allow('*')];
    const openWith = async (Plugin) => {
      const rig = await open({ policy, script: [toBob, add('c2'), done] });
      const { pluginManager } = rig.agent.runner;
      pluginManager.plugins = new Set([new Plugin('first'), ...pluginManager.plugins]);
      return rig;
    };
    const rig = await openWith(Answers);
    const { seen } = await rig.run('go');
    assert.deepEqual([seen.c1.text, seen.c2.text], ['no', '2']);
    assert.deepEqual(statuses(rig.journal, 'c2'), ['decided allowed', 'settled ok']);
    const replayed = await openWith(Replays);
    await replayed.run('go');
    assert.deepEqual(statuses(replayed.journal, 'c1'), ['decided denied']);
    assert.deepEqual([...sent(rig), ...sent(replayed)], []);
    // A tool that is a node of a workflow.
    const ran = [];
    const tool = new FunctionTool({ name: 'send', description: 'Sends.', execute: () => void ran.push('send') });
    const agent = new Workflow({ name: 'flow', edges: [['START', new ToolNode(tool)]] });
    const plugins = [new Answers('first'), guardPlugin(rig.guard)];
    const sessionService = new InMemorySessionService();
    await drive(new Runner({ appName: 'test', agent, sessionService, plugins }), [{ text: '{}' }]);
    assert.deepEqual(ran, []);
    assert.equal(rig.journal.at(-1).status, 'denied');
  },

  async transfer({ open, bridle }) {
    // No rule covers transfer_to_agent, which ADK adds itself.
    const rig = await open({
      policy: [bridle.deny('send', { reason: 'no' }), ...['add', 'fail', 'wait'].map((name) => bridle.allow(name))],
      script: [transfer, toBob, done],
    });
    addHelper(rig);
    const result = await rig.run('go');
    assert.equal(result.text, 'done');
    assert.equal(result.seen.c1.text, 'no');
    assert.deepEqual(rig.journal.find((entry) => entry.call === 'c1').agent, ['main', 'helper']);
  },

  async 'transfer-ask'({ open, bridle }) {
    const rig = await open({ policy: [bridle.ask('send'), bridle.allow('*')], script: [transfer, toBob, done] });
    addHelper(rig);
    const first = await rig.run('go');
    const result = await rig.resume(first.paused, { c1: { type: 'approve' } });
    assert.equal(result.seen.c1.text, 'sent to bob');
    assert.deepEqual(statuses(rig.journal, 'c1'), ['decided asked', 'decided approved', 'settled ok']);
  },

  async 'agent-tool'({ open, bridle }) {
    const delegate = (id) => calling(call(id, 'helper', { request: 'Write' }));
    const rig = await open({
      policy: [bridle.ask('send'), bridle.allow('*')],
      subagent: true,
      script: [
        delegate('d1'),
        calling(call('c1', 'add', { a: 1, b: 1 })),
        { text: 'two' },
        delegate('d2'),
        calling(call('c2', 'send', { to: 'bob' })),
        { text: 'I may not' },
        done,
      ],
    });
    const result = await rig.run('go');
    assert.equal(result.text, 'done');
    assert.equal(result.seen.d1.text, 'two');
    assert.match(result.seen.c2.text, /nobody has answered/, 'ADK loses a pause inside an AgentTool');
    assert.deepEqual(rig.journal.find((entry) => entry.call === 'c1').agent, ['main', 'helper']);
    assert.equal(new Set(rig.journal.map((entry) => entry.session)).size, 1);
    assert.deepEqual(sent(rig), []);
  },

  async 'parallel-agents'({ open, bridle }) {
    const rig = await open({
      policy: [bridle.allow('*')],
      script: [calling(call('c1', 'add', { a: 1, b: 1 })), calling(call('c2', 'add', { a: 2, b: 2 })), done, done],
    });
    const { model, tools } = rig.agent.agent;
    const subAgents = ['one', 'two'].map((name) => new LlmAgent({ name, description: name, model, tools: [...tools] }));
    const agent = new ParallelAgent({ name: 'both', subAgents });
    const plugins = [guardPlugin(rig.guard)];
    await drive(new Runner({ appName: 'test', agent, sessionService: new InMemorySessionService(), plugins }), [
      { text: 'go' },
    ]);
    assert.deepEqual(
      rig.journal.filter(({ kind }) => kind === 'decided').map(({ call: id, agent: path }) => [id, path.join('/')]),
      [
        ['c1', 'main/one'],
        ['c2', 'main/two'],
      ],
    );
  },

  async 'other-runner'({ open, bridle }) {
    const rig = await open({
      policy: [bridle.deny('send', { reason: 'no' }), bridle.allow('*')],
      script: [toBob, done, toBob, done],
    });
    await rig.run('go');
    assert.deepEqual(sent(rig), []);
    await drive(new InMemoryRunner({ appName: 'other', agent: rig.agent.agent }), [{ text: 'go' }]);
    assert.deepEqual(sent(rig), ['bob'], 'a Runner without the plugin works as before');
  },

  async 'replaced-tool'({ open, bridle }) {
    const rig = await open({
      policy: [bridle.deny('send', { reason: 'no' }), bridle.allow('*')],
      script: [add('c1'), toBob, done, add('c2'), toBob, done],
    });
    await rig.run('go');
    const tool = (name) => rig.agent.agent.tools.find((each) => each.name === name);
    tool('send').runAsync = async () => void rig.ran.push({ tool: 'send', args: {} });
    const run = tool('add').runAsync;
    tool('add').runAsync = (request) => run(request);
    const result = await rig.run('again');
    assert.equal(result.seen.c1.text, 'no');
    assert.equal(result.seen.c2.text, '2');
    assert.deepEqual(statuses(rig.journal, 'c2'), ['decided allowed', 'settled ok'], 'it is decided once');
    assert.deepEqual(sent(rig), []);
    // Code that calls a tool itself is not a call of an agent.
    assert.equal(await tool('add').runAsync({ args: { a: 1, b: 2 } }), '3');
  },

  async 'late-provider-tool'({ open, bridle }) {
    const rig = await open({ policy: [bridle.allow('*')], script: [done] });
    rig.agent.agent.beforeModelCallback = ({ request }) => void request.config.tools.push({ urlContext: {} });
    await assert.rejects(rig.run('go'), /"urlContext" would run unguarded/);
    assert.equal(rig.requests().length, 0);
  },

  async 'tool-in-tool'({ open, bridle }) {
    const rig = await open({
      policy: neverToEve(bridle),
      script: [calling(call('c1', 'outer')), calling(call('c2', 'twice')), done],
    });
    const tool = (name) => rig.agent.agent.tools.find((each) => each.name === name);
    const send = (to, toolContext) => tool('send').runAsync({ args: { to }, toolContext });
    addTool(rig, 'outer', { execute: (_args, context) => send('eve', context) });
    addTool(rig, 'twice', {
      execute: async (_args, context) => [await send('bob', context), await send('ann', context)],
    });
    const { seen } = await rig.run('go');
    assert.match(seen.c1.text, /Never to Eve/);
    assert.deepEqual(sent(rig), ['bob', 'ann']);
  },

  async users({ open, bridle }) {
    const rig = await open({ policy: [bridle.allow('*')], script: [toBob, done, toBob, done] });
    for (const userId of ['ann', 'ben']) await drive(rig.agent.runner, [{ text: 'go' }], { userId });
    assert.equal(new Set(rig.journal.map((entry) => entry.session)).size, 2, 'each user has a session');
  },

  async turns({ open, bridle }) {
    const rig = await open({
      policy: [bridle.ask('send'), bridle.allow('*')],
      script: [toBob, add('c2'), done, add('c3'), done],
    });
    const first = await rig.run('go');
    await rig.resume(first.paused, { c1: { type: 'approve' } });
    await rig.run('and again');
    const turnOf = (id) => rig.journal.filter((entry) => entry.call === id).map(({ turn }) => turn);
    assert.deepEqual(turnOf('c1'), [1, 1, 1], 'a resumed run continues its turn');
    assert.deepEqual([turnOf('c2')[0], turnOf('c3')[0]], [1, 2]);
  },

  async 'asked-again'({ open, bridle }) {
    const place = mkdtempSync(join(tmpdir(), 'bridle-adk-'));
    const store = await openStore({ at: join(place, 'store.db'), keys: join(place, 'keys') });
    const rig = await open({
      policy: [bridle.ask('send', { approval: 'signed' }), bridle.allow('*')],
      options: { store, journal: undefined, cwd: place },
      script: [calling(call('c1', 'send', { to: 'bob' }), call('c2', 'add', { a: 1, b: 1 })), done],
    });
    let result = await rig.run('go');
    for (let attempt = 0; attempt < 3; attempt++) {
      assert.deepEqual(
        result.paused?.asks.map(({ id }) => id),
        ['c1'],
        'an answer that does not count leaves the question open',
      );
      result = await rig.resume(result.paused, { c1: { type: 'approve' } });
    }
    assert.equal(rig.requests().length, 1);
    assert.deepEqual(
      rig.ran.map((each) => each.tool),
      ['add'],
    );
    await rig.guard.end();
    await store.close();
  },

  async answers({ open, bridle }) {
    const answers = [
      [{ confirmed: true }, 'sent to bob'],
      [{ confirmed: true, payload: { args: { to: 'bob' } } }, 'sent to bob'],
      [{ confirmed: true, payload: { args: { to: 'ann' } } }, 'sent to ann'],
      [{ confirmed: true, payload: { args: 5 } }, 'The edited args are not an object'],
      [{ confirmed: false, payload: { reason: 'not now' } }, 'not now'],
      [{ confirmed: false }, /denied/],
      [{ confirmed: 'false' }, /denied/],
      [{}, /denied/],
    ];
    for (const [response, text] of answers) {
      const rig = await open({ policy: [bridle.ask('send'), bridle.allow('*')], script: [toBob, done] });
      const [{ ask: id }] = (await rig.run('go')).paused.asks;
      await drive(rig.agent.runner, [{ functionResponse: { id, name: 'adk_request_confirmation', response } }]);
      const { error, result } = rig.requests().at(-1).at(-1).parts[0].functionResponse.response;
      if (typeof text === 'string') assert.equal(error ?? result, text);
      else assert.match(error, text);
      assert.equal(sent(rig).length, error === undefined ? 1 : 0);
    }
  },

  async 'own-confirmation'({ open, bridle }) {
    for (const rule of [bridle.allow('own'), bridle.ask('own')]) {
      const rig = await open({ policy: [rule, bridle.allow('*')], script: [calling(call('c1', 'own')), done] });
      let count = 0;
      const execute = () => `ran ${++count}`;
      addTool(rig, 'own', { parameters: z.object({}), requireConfirmation: true, execute });
      const first = await rig.run('go');
      assert.equal(count, 0);
      const result = await rig.resume(first.paused, { c1: { type: 'approve' } });
      assert.equal(result.seen.c1.text, 'ran 1');
    }
  },

  async 'tool-schemas'({ open, bridle }) {
    const rig = await open({
      policy: [bridle.allow('*')],
      script: [
        calling(
          call('c1', 'convert', { on: 'yes' }),
          call('c2', 'fill', { n: '5' }),
          call('c3', 'gemini', { q: 'x', n: null }),
          call('c4', 'none'),
          call('c5', 'gemini', { q: 5 }),
        ),
        done,
      ],
    });
    const got = [];
    const execute = (args) => (got.push(args), 'ok');
    addTool(rig, 'convert', { parameters: z.object({ on: z.stringbool() }), execute });
    addTool(rig, 'fill', { parameters: z.object({ n: z.coerce.number(), m: z.number().default(3) }), execute });
    const properties = { q: { type: 'STRING' }, n: { type: 'INTEGER', nullable: true } };
    addTool(rig, 'gemini', { parameters: { type: 'OBJECT', properties, required: ['q'] }, execute });
    addTool(rig, 'none', { execute: () => 'ok' });
    const { seen } = await rig.run('go');
    assert.deepEqual(
      ['c1', 'c2', 'c3', 'c4'].map((id) => seen[id].text),
      ['ok', 'ok', 'ok', 'ok'],
    );
    assert.match(seen.c5.text, /q: is of type number/);
    assert.deepEqual(got, [{ on: true }, { n: 5, m: 3 }, { q: 'x', n: null }]);
  },

  async 'stuck-tool'({ open, bridle }) {
    const rig = await open({
      policy: [bridle.allow('*')],
      options: { grant: { timeoutMs: 50 } },
      script: [calling(call('c1', 'stuck')), done],
    });
    addTool(rig, 'stuck', { execute: () => new Promise((resolve) => setTimeout(resolve, 60_000).unref()) });
    assert.match((await rig.run('go')).seen.c1.text, /did not finish within 50 ms/);
    assert.deepEqual(statuses(rig.journal, 'c1'), ['decided allowed', 'settled timeout']);
  },

  async 'code-executor'({ open, bridle }) {
    const rig = await open({ policy: [bridle.allow('*')], script: [done] });
    rig.agent.agent.codeExecutor = {};
    await assert.rejects(rig.run('go'), /code executor of the agent "assistant" would run unguarded/);
  },

  async live({ open, bridle }) {
    const rig = await open({ policy: [bridle.allow('*')], script: [done] });
    await rig.run('go');
    const options = { userId: 'ann', sessionId: 'chat', liveRequestQueue: new LiveRequestQueue() };
    await assert.rejects(rig.agent.runner.runLive(options).next(), /cannot guard runLive/);
  },

  async 'guard-fails'({ open, bridle }) {
    const rig = await open({ policy: [bridle.allow('*')], script: [toBob, done] });
    const session = rig.guard.session.bind(rig.guard);
    let calls = 0;
    // The run begins, and then the guard breaks.
    rig.guard.session = (...args) => {
      if (++calls > 1) throw new Error('a bug');
      return session(...args);
    };
    await rig.run('go').catch(() => undefined);
    assert.deepEqual(sent(rig), []);
  },
};
