/** Cases of what only Strands has: middleware, events, interrupts, direct calls, structured output. */

import assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  AfterToolCallEvent,
  Agent,
  BeforeToolCallEvent,
  ExecuteToolStage,
  McpClient,
  SequentialToolExecutor,
  tool as createTool,
} from '@strands-agents/sdk';
import { Graph } from '@strands-agents/sdk/multiagent';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { openStore } from 'bridle/store';
import { guardPlugin } from 'bridle/strands';
import { z } from 'zod';
import { fileServerProcess } from '../mcp-server.mjs';

const tool = (options) => createTool({ description: options.name, ...options });
const call = (id, name, args = {}) => ({ id, tool: name, args });
const calling = (...toolCalls) => ({ toolCalls });
const done = { text: 'done' };
const toBob = calling(call('c1', 'send', { to: 'bob' }));

function statuses(journal, id) {
  return journal.filter((entry) => entry.call === id).map(({ kind, status }) => `${kind} ${status}`);
}

function sent(rig) {
  return rig.ran.filter((each) => each.tool === 'send').map(({ args }) => args.to);
}

const neverToEve = (bridle) => [
  bridle.deny('send', { when: bridle.arg('to', (to) => to === 'eve'), reason: 'Never to Eve' }),
  bridle.allow('*'),
];

const coveredOnly = (bridle) => ['add', 'send', 'fail', 'wait'].map((name) => bridle.allow(name));

const askColor = (_args, { interrupt }) => `it is ${interrupt({ name: 'color', reason: 'Which color?' })}`;

/** Does not look at the signal. */
const hang = () => new Promise((resolve) => setTimeout(resolve, 60_000).unref());

async function* countUp() {
  yield 'one';
  yield 'two';
  return 'three';
}

/** The fields of objects that all objects share. */
function sharedFields() {
  return [Object.prototype, Object, Reflect.get({}, 'toString')].map((each) => Reflect.ownKeys(each));
}

function respond(agent, interrupts, response) {
  return agent.invoke(interrupts.map(({ id }) => ({ interruptResponse: { interruptId: id, response } })));
}

export const cases = {
  async 'inner-middleware'({ open, bridle }) {
    const rig = await open({ policy: neverToEve(bridle), script: [toBob, done] });
    const { agent } = rig.agent;
    await agent.initialize();
    agent.addMiddleware(ExecuteToolStage, async function* (context, next) {
      return yield* next({ ...context, toolUse: { ...context.toolUse, input: { to: 'eve' } } });
    });
    const result = await rig.run('go');
    assert.equal(result.seen.c1.text, 'Never to Eve');
    assert.deepEqual(sent(rig), []);
  },

  async 'selected-tool'({ open, bridle }) {
    const rig = await open({
      policy: [bridle.deny('other', { reason: 'not the other' }), bridle.allow('*')],
      script: [toBob, done],
    });
    const other = tool({ name: 'other', inputSchema: z.object({}), callback: () => rig.ran.push('other') });
    rig.agent.agent.addHook(BeforeToolCallEvent, (event) => void (event.selectedTool = other));
    assert.equal((await rig.run('go')).seen.c1.text, 'not the other');
    assert.deepEqual(rig.ran, []);
  },

  async 'inherited-names'({ open, bridle }) {
    const before = sharedFields();
    for (const name of ['__proto__', 'constructor', 'toString']) {
      const rig = await open({ policy: [bridle.allow('*')], script: [calling(call('c1', name)), toBob, done] });
      const result = await rig.run('go');
      const after = sharedFields();
      // The other cases need a clean process.
      for (const field of after[0].filter((key) => !before[0].includes(key))) delete Object.prototype[field];
      assert.deepEqual(after, before, `${name} changes objects of the process`);
      assert.equal(result.text, 'done');
      assert.deepEqual(sent(rig), ['bob']);
    }
  },

  async 'direct-call'({ open, bridle }) {
    const rig = await open({
      policy: [bridle.deny('send', { reason: 'no' }), bridle.ask('fail'), bridle.allow('*')],
      script: [done],
    });
    const { agent } = rig.agent;
    await agent.initialize();
    await assert.rejects(agent.tool.send.invoke({ to: 'bob' }), /^no$|: no$/);
    await assert.rejects(agent.tool.fail.invoke({}), /nobody has answered/);
    const { content } = await agent.tool.add.invoke({ a: 1, b: 2 });
    assert.equal(content[0].text, '3');
    assert.deepEqual(
      rig.ran.map((each) => each.tool),
      ['add'],
    );
  },

  async 'subagent-ask'({ open, bridle }) {
    const rig = await open({
      policy: [bridle.ask('send'), bridle.allow('*')],
      subagent: true,
      script: [calling(call('d1', 'helper', { input: 'Write to Bob' })), toBob, { text: 'I may not' }, done],
    });
    const result = await rig.run('go');
    assert.equal(result.paused, undefined);
    assert.match(result.seen.c1.text, /nobody has answered/);
    assert.equal(result.seen.d1.text, 'I may not');
    assert.deepEqual(sent(rig), []);
  },

  async graph({ open, bridle }) {
    const rig = await open({ policy: [bridle.ask('send'), bridle.allow('*')], script: [toBob, done, done] });
    const { model, tools } = rig.agent.agent;
    const nodes = ['one', 'two'].map((id) => {
      const plugins = [guardPlugin(rig.guard, { session: 'graph', agent: ['main', id] })];
      return new Agent({ id, name: id, model, printer: false, tools, plugins });
    });
    const graph = new Graph({ nodes, edges: [['one', 'two']], sources: ['one'], maxSteps: 9, timeout: 60_000 });
    const { interrupts } = await graph.invoke('go');
    assert.deepEqual(sent(rig), []);
    const result = await respond(graph, interrupts, true);
    assert.equal(result.status, 'COMPLETED');
    assert.deepEqual(sent(rig), ['bob']);
    assert.deepEqual(rig.journal[0].agent, ['main', 'one']);
  },

  async 'added-during-run'({ open, bridle }) {
    const rig = await open({
      policy: coveredOnly(bridle),
      script: [calling(call('c1', 'add', { a: 1, b: 1 })), calling(call('c2', 'new')), done],
    });
    rig.agent.agent.addHook(AfterToolCallEvent, ({ agent }) => {
      if (agent.toolRegistry.get('new') !== undefined) return;
      agent.toolRegistry.add(tool({ name: 'new', inputSchema: z.object({}), callback: () => rig.ran.push('new') }));
    });
    const result = await rig.run('go');
    assert.match(result.seen.c2.text, /no rule covers "new"/);
    assert.equal(rig.ran.length, 1);
  },

  async background({ open, bridle }) {
    const rules = [
      [bridle.allow('send'), ['decided allowed', 'settled ok']],
      [bridle.deny('send', { reason: 'no' }), ['decided denied']],
      [bridle.ask('send'), ['decided asked', 'decided approved', 'settled ok']],
    ];
    for (const [rule, expected] of rules) {
      const rig = await open({ policy: [rule, bridle.allow('*')], script: [toBob, done, done, done] });
      const { model, tools } = rig.agent.agent;
      const agent = new Agent({
        model,
        printer: false,
        tools,
        backgroundTasks: { always: ['send'], agentic: [] },
        plugins: [guardPlugin(rig.guard)],
      });
      const { interrupts = [] } = await agent.invoke('go');
      if (interrupts.length > 0) await respond(agent, interrupts, true);
      await rig.until(() => statuses(rig.journal, 'c1').length === expected.length);
      assert.deepEqual(statuses(rig.journal, 'c1'), expected);
      assert.deepEqual(sent(rig), expected.includes('settled ok') ? ['bob'] : []);
    }
  },

  async 'structured-output'({ open, bridle }) {
    const rig = await open({
      policy: coveredOnly(bridle),
      script: [calling(call('s1', 'strands_structured_output', { sum: 3 }))],
    });
    const result = await rig.agent.agent.invoke('go', { structuredOutputSchema: z.object({ sum: z.number() }) });
    assert.deepEqual(result.structuredOutput, { sum: 3 });
  },

  async 'tool-interrupt'({ open, bridle }) {
    const rig = await open({
      policy: [bridle.allow('*')],
      hooks: [bridle.onToolError(() => bridle.recover('recovered'), { name: 'recover' })],
      script: [calling(call('c1', 'question')), done],
    });
    const { agent } = rig.agent;
    agent.toolRegistry.add(tool({ name: 'question', inputSchema: z.object({}), callback: askColor }));
    const paused = await agent.invoke('go');
    assert.deepEqual(
      paused.interrupts.map(({ name }) => name),
      ['color'],
    );
    await respond(agent, paused.interrupts, 'blue');
    assert.match(JSON.stringify(rig.requests().at(-1)), /it is blue/);
  },

  async 'asked-tool-interrupt'({ open, bridle }) {
    const rig = await open({
      policy: [bridle.ask('question'), bridle.allow('*')],
      script: [calling(call('c1', 'question')), done],
    });
    const { agent } = rig.agent;
    agent.toolRegistry.add(tool({ name: 'question', inputSchema: z.object({}), callback: askColor }));
    const names = [];
    let result = await agent.invoke('go');
    for (let pauses = 0; result.stopReason === 'interrupt' && pauses < 5; pauses++) {
      const [{ id, name }] = result.interrupts;
      names.push(name);
      result = await respond(agent, [{ id }], name === 'color' ? 'blue' : true);
    }
    // An approval counts for one execution, and the tool runs twice.
    assert.deepEqual(names, ['bridle-approval', 'color', 'bridle-approval']);
    assert.match(JSON.stringify(rig.requests().at(-1)), /it is blue/);
  },

  async 'stuck-tool'({ open, bridle }) {
    const rig = await open({
      policy: [bridle.allow('*')],
      options: { grant: { timeoutMs: 50 } },
      script: [calling(call('c1', 'stuck')), done],
    });
    rig.agent.agent.toolRegistry.add(tool({ name: 'stuck', inputSchema: z.object({}), callback: hang }));
    assert.match((await rig.run('go')).seen.c1.text, /did not finish within 50 ms/);
    assert.deepEqual(statuses(rig.journal, 'c1'), ['decided allowed', 'settled timeout']);
  },

  async 'tool-events'({ open, bridle }) {
    const script = [calling(call('c1', 'slow')), done];
    const results = [];
    for (const bare of [true, false]) {
      const rig = await open({ bare, policy: [bridle.allow('*')], script });
      rig.agent.agent.toolRegistry.add(tool({ name: 'slow', inputSchema: z.object({}), callback: countUp }));
      results.push(await rig.run('go', { stream: true }));
    }
    assert.deepEqual(results[1].parts, results[0].parts);
    assert.equal(results[1].parts.filter((part) => part === 'toolStreamUpdateEvent').length, 2);
    assert.equal(results[1].seen.c1.text, 'three');
  },

  async 'tool-schemas'({ open, bridle }) {
    const rig = await open({
      policy: [bridle.allow('*')],
      script: [calling(call('c1', 'convert', { on: 'yes' }), call('c2', 'fill', { n: '5' }), call('c3', 'none')), done],
    });
    const got = [];
    const callback = (args) => (got.push(args), 'ok');
    rig.agent.agent.toolRegistry.add([
      tool({ name: 'convert', inputSchema: z.object({ on: z.stringbool() }), callback }),
      tool({ name: 'fill', inputSchema: z.object({ n: z.coerce.number(), m: z.number().default(3) }), callback }),
      tool({ name: 'none', callback: () => 'ok' }),
    ]);
    const { seen } = await rig.run('go');
    assert.deepEqual(
      Object.values(seen).map(({ text }) => text),
      ['ok', 'ok', 'ok'],
    );
    assert.deepEqual(got, [{ on: true }, { n: 5, m: 3 }]);
    const decided = rig.journal.find((entry) => entry.call === 'c2');
    assert.deepEqual(decided.args, { n: 5, m: 3 }, 'the policy sees the defaults');
  },

  async sequential({ open, bridle }) {
    const rig = await open({
      policy: [bridle.ask('send'), bridle.deny('add', { reason: 'no' }), bridle.allow('*')],
      script: [calling(call('c1', 'send', { to: 'bob' }), call('c2', 'add', { a: 1, b: 1 })), done],
    });
    rig.agent.agent._toolExecutor = new SequentialToolExecutor();
    const first = await rig.run('go');
    const result = await rig.resume(first.paused, { c1: { type: 'approve' } });
    assert.equal(result.seen.c1.text, 'sent to bob');
    assert.equal(result.seen.c2.text, 'no');
  },

  async 'all-questions'({ open, bridle }) {
    const rig = await open({
      policy: [bridle.ask('send'), bridle.allow('*')],
      script: [calling(call('c1', 'send', { to: 'ann' }), call('c2', 'send', { to: 'bob' })), done],
    });
    const { agent } = rig.agent;
    const { interrupts } = await agent.invoke('go');
    assert.deepEqual(
      interrupts.map(({ name, reason }) => [name, reason.tool, reason.args.to]),
      [
        ['bridle-approval', 'send', 'ann'],
        ['bridle-approval', 'send', 'bob'],
      ],
    );
    const again = await respond(agent, [interrupts[1]], true);
    assert.deepEqual(sent(rig), ['bob'], 'each question has its own answer');
    assert.deepEqual(
      again.interrupts.map(({ id }) => id),
      [interrupts[0].id],
    );
  },

  async answers({ open, bridle }) {
    const answers = [
      [true, 'sent to bob'],
      [' Yes ', 'sent to bob'],
      [{ type: 'approve', args: { to: 'ann' } }, 'sent to ann'],
      [{ type: 'approve', args: 5 }, 'The edited args are not an object'],
      [{ type: 'deny', reason: 'not now' }, 'not now'],
      ['too risky', 'too risky'],
      [false, /denied/],
      [null, /denied/],
      ['no', /denied/],
      [{ approved: true }, /denied/],
    ];
    for (const [answer, text] of answers) {
      const rig = await open({ policy: [bridle.ask('send'), bridle.allow('*')], script: [toBob, done] });
      const { agent } = rig.agent;
      const { interrupts } = await agent.invoke('go');
      await respond(agent, interrupts, answer);
      const seen = rig.requests().at(-1).at(-1).content[0].toolResult.content[0].text;
      if (typeof text === 'string') assert.equal(seen, text);
      else assert.match(seen, text);
      assert.equal(sent(rig).length, seen.startsWith('sent') ? 1 : 0);
    }
  },

  async 'asked-again'({ open, bridle }) {
    const place = mkdtempSync(join(tmpdir(), 'bridle-strands-'));
    const store = await openStore({ at: join(place, 'store.db'), keys: join(place, 'keys') });
    const rig = await open({
      policy: [bridle.ask('send', { approval: 'signed' }), bridle.allow('*')],
      options: { store, journal: undefined, cwd: place },
      script: [calling(call('c1', 'send', { to: 'bob' }), call('c2', 'add', { a: 1, b: 1 })), done],
    });
    const { agent } = rig.agent;
    let { interrupts } = await agent.invoke('go');
    const [{ id }] = interrupts;
    for (let attempt = 0; attempt < 2; attempt++) {
      ({ interrupts } = await respond(agent, interrupts, true));
      assert.deepEqual(
        interrupts.map((each) => each.id),
        [id],
        'an answer that does not count leaves the question open',
      );
    }
    assert.deepEqual(
      rig.ran.map((each) => each.tool),
      ['add'],
    );
    await rig.guard.end();
    await store.close();
  },

  async 'unnamed-mcp'({ open, bridle }) {
    const rig = await open({ policy: [bridle.allow('*')], script: [done, done] });
    const { command, args } = fileServerProcess();
    const client = new McpClient({ transport: new StdioClientTransport({ command, args }) });
    const { model } = rig.agent.agent;
    const invoke = (options) =>
      new Agent({
        model,
        printer: false,
        tools: [client],
        plugins: [guardPlugin(rig.guard, options)],
      }).invoke('go');
    try {
      await assert.rejects(invoke({}), /MCP server of the tool "read" has no name/);
      await invoke({ mcpServers: { files: client } });
      assert.ok(rig.guard.attachedTool({ server: 'files', tool: 'read' }));
    } finally {
      await client.disconnect();
    }
  },
};
