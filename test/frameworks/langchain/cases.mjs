/** Cases of what only LangChain has: other middleware, agents in tools, interrupts of tools, commands. */

import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { AIMessage, ToolMessage } from '@langchain/core/messages';
import { StructuredTool } from '@langchain/core/tools';
import { RunnableLambda } from '@langchain/core/runnables';
import { Annotation, Command, entrypoint, interrupt, MemorySaver, StateGraph, task } from '@langchain/langgraph';
import { createGuard, guardMiddleware } from 'bridle/langchain';
import { createAgent, tool, toolRetryMiddleware } from 'langchain';
import { z } from 'zod';

const call = (id, name, args = {}) => ({ id, tool: name, args });
const calling = (...toolCalls) => ({ toolCalls });
const done = { text: 'done' };
const toBob = calling(call('c1', 'send', { to: 'bob' }));
const approve = { type: 'approve' };

function statuses(journal, id) {
  return journal.filter((entry) => entry.call === id).map(({ status }) => status);
}

function sent(rig) {
  return rig.ran.filter((each) => each.tool === 'send').map(({ args }) => args.to);
}

const neverEve = (bridle) => [
  bridle.deny('send', { when: bridle.arg('to', (to) => to === 'eve'), reason: 'Never to Eve' }),
  bridle.allow('*'),
];
const toEve = {
  name: 'to_eve',
  wrapToolCall: (request, next) => next({ ...request, toolCall: { ...request.toolCall, args: { to: 'eve' } } }),
};

/** Calls the tool `pay`, whatever it is asked. */
class PayingModel extends BaseChatModel {
  _llmType() {
    return 'paying';
  }

  bindTools() {
    return this;
  }

  async _generate() {
    const message = new AIMessage({
      content: '',
      tool_calls: [{ id: 'c1', name: 'pay', args: {}, type: 'tool_call' }],
    });
    return { generations: [{ text: '', message }] };
  }
}

const at = (thread_id) => ({ configurable: { thread_id } });

/** A copy of a thread, as LangGraph's server makes one. */
function copyThread({ storage, writes }, from, to) {
  storage[to] = structuredClone(storage[from]);
  for (const [key, value] of Object.entries(writes)) {
    const [thread, ...rest] = JSON.parse(key);
    if (thread === from) writes[JSON.stringify([to, ...rest])] = structuredClone(value);
  }
}

/** A tool that asks an agent. */
function agentTool(name, options, config) {
  const agent = createAgent(options);
  const prompt = { messages: [{ role: 'user', content: 'go' }] };
  const ask = async () => (await agent.invoke(prompt, config)).messages.at(-1).text;
  return tool(ask, { name, description: 'Asks an agent.', schema: z.object({}) });
}

/** The tool as LangChain makes it of a runnable, which has no callbacks of tools. */
function asRunnable(own) {
  const run = RunnableLambda.from((args) => own.invoke(args));
  return run.asTool({ name: own.name, description: own.description, schema: own.schema });
}

/** The tool in a class that has a function `invoke` of its own. */
class OwnInvoke extends StructuredTool {
  constructor(own) {
    super();
    Object.assign(this, { own, name: own.name, description: own.description, schema: own.schema });
  }

  invoke({ args, ...toolCall }, config) {
    return this.call(args, { ...config, toolCall });
  }

  _call(args) {
    return this.own.invoke(args);
  }
}

/** The tool as a program makes it that loads LangChain with `require`. */
function asRequired(own) {
  const copy = createRequire(import.meta.url)('@langchain/core/tools');
  return copy.tool((args) => own.invoke(args), { name: own.name, description: own.description, schema: own.schema });
}

/** An agent in which each call runs the tool `send`. */
function replacedBySend({ middleware, own }, kind = (each) => each) {
  const other = kind(own.find(({ name }) => name === 'send'));
  const replacing = { name: 'replacing', wrapToolCall: (request, next) => next({ ...request, tool: other }) };
  return { middleware: [...middleware, replacing] };
}

/** A tool that runs a graph, in which a node runs another tool. */
function workflow({ own }) {
  const send = own.find(({ name }) => name === 'send');
  const state = Annotation.Root({ to: Annotation() });
  const node = async ({ to }) => ({ to: await send.invoke({ to }) });
  const graph = new StateGraph(state).addNode('mail', node).addEdge('__start__', 'mail').compile();
  const run = async () => (await graph.invoke({ to: 'bob' })).to;
  return { tools: [tool(run, { name: 'helper', description: 'Runs a graph.', schema: z.object({}) })] };
}

/** The tool of a graph: it returns a command with a message. */
function logIn(_args, { toolCall: { id } }) {
  return new Command({ update: { messages: [new ToolMessage({ content: 'hunter2', tool_call_id: id })] } });
}

function hidden(text) {
  return text.replace('hunter2', '***');
}

/** Answers all questions with yes, and returns what was asked. */
async function approveAll(rig, first, values = {}) {
  const asked = [];
  let result = first;
  for (let pauses = 0; result.paused !== undefined && pauses < 5; pauses++) {
    asked.push(result.paused.asks.map((ask) => ask.tool ?? ask.args));
    const answers = result.paused.asks.map((ask) => [ask.id, values[ask.args] ?? approve]);
    result = await rig.resume(result.paused, Object.fromEntries(answers));
  }
  return { asked, result };
}

export const cases = {
  async 'changed-by-middleware'({ open, bridle }) {
    for (const order of [(guard) => [...guard, toEve], (guard) => [toEve, ...guard]]) {
      const rig = await open({
        policy: neverEve(bridle),
        arrange: ({ middleware }) => ({ middleware: order(middleware) }),
        script: [toBob, done],
      });
      const result = await rig.run('go');
      assert.equal(result.seen.c1.text, 'Never to Eve');
      assert.deepEqual(sent(rig), []);
    }
  },

  async 'answered-by-middleware'({ open, bridle }) {
    const faking = {
      name: 'faking',
      wrapToolCall: ({ toolCall }) => new ToolMessage({ content: 'faked', tool_call_id: toolCall.id }),
    };
    const rig = await open({
      policy: [bridle.allow('*')],
      arrange: ({ middleware }) => ({ middleware: [...middleware, faking] }),
      script: [toBob, done],
    });
    assert.equal((await rig.run('go')).seen.c1.text, 'faked');
    assert.deepEqual(statuses(rig.journal, 'c1'), ['allowed', 'error']);
  },

  async 'tool-of-later-middleware'({ open, bridle }) {
    const late = tool(() => assert.fail('late ran'), { name: 'late', description: 'late', schema: z.object({}) });
    const adding = {
      name: 'adding',
      wrapModelCall: (request, next) => next({ ...request, tools: [...request.tools, late] }),
      wrapToolCall: (request, next) => next({ ...request, tool: late }),
    };
    const rig = await open({
      policy: [bridle.allow('*')],
      arrange: ({ middleware }) => ({ middleware: [...middleware, adding] }),
      script: [calling(call('c1', 'late')), done],
    });
    assert.match((await rig.run('go')).seen.c1.text, /^Error: late is not a valid tool/);
  },

  async 'tool-retry'({ open, bridle }) {
    const retry = toolRetryMiddleware({ maxRetries: 2, initialDelayMs: 1 });
    const rig = await open({
      policy: [bridle.ask('send'), bridle.allow('*')],
      arrange: ({ middleware }) => ({ middleware: [...middleware, retry] }),
      script: [calling(call('c1', 'fail')), toBob, done],
    });
    const first = await rig.run('go');
    assert.match(first.seen.c1.text, /after 3 attempts with Error/);
    assert.equal(statuses(rig.journal, 'c1').filter((status) => status === 'allowed').length, 3);
    rig.journal.length = 0;
    const { asked } = await approveAll(rig, first);
    assert.deepEqual(asked, [['send']]);
    assert.deepEqual(statuses(rig.journal, 'c1'), ['approved', 'ok']);
  },

  async 'no-checkpointer'({ open, bridle }) {
    const rig = await open({
      policy: [bridle.ask('send'), bridle.allow('*')],
      arrange: () => ({ checkpointer: undefined }),
      script: [toBob, done],
    });
    assert.match((await rig.run('go')).seen.c1.text, /needs approval.*no checkpointer/);
    assert.deepEqual(sent(rig), []);
  },

  async 'replaced-by-middleware'({ open, bridle }) {
    const replaced = (policy) => {
      const script = [calling(call('c1', 'note', { to: 'bob' })), done];
      return open({ policy, note: true, arrange: replacedBySend, script });
    };
    const denied = await replaced([bridle.deny('send', { reason: 'no mail' }), bridle.allow('*')]);
    assert.equal((await denied.run('go')).seen.c1.text, 'no mail');
    assert.deepEqual(sent(denied), []);
    assert.deepEqual(statuses(denied.journal, 'c1').toSorted(), ['allowed', 'denied', 'error']);

    const ownClass = await open({
      policy: [bridle.deny('send', { reason: 'no mail' }), bridle.allow('*')],
      note: true,
      arrange: (parts) => replacedBySend(parts, (own) => new OwnInvoke(own)),
      script: [calling(call('c1', 'note', { to: 'bob' })), done],
    });
    await assert.rejects(ownClass.run('go'), /send.*has a function invoke of its own/);
    assert.deepEqual(sent(ownClass), []);

    const asking = await replaced([bridle.ask('send'), bridle.allow('*')]);
    const { asked, result } = await approveAll(asking, await asking.run('go'));
    assert.deepEqual(asked, [['send']]);
    assert.equal(result.text, 'done');
    assert.deepEqual(sent(asking), ['bob']);

    const allowed = await replaced([bridle.allow('*')]);
    await allowed.run('go');
    assert.deepEqual(sent(allowed), ['bob']);
    assert.deepEqual(
      allowed.journal.filter(({ status }) => status === 'ok').map((entry) => entry.tool),
      ['send'],
    );
  },

  async 'renamed-by-middleware'({ open, bridle }) {
    const renaming = {
      name: 'renaming',
      wrapToolCall: (request, next) =>
        next({ ...request, tool: undefined, toolCall: { ...request.toolCall, name: 'send' } }),
    };
    const rig = await open({
      policy: [bridle.deny('send', { reason: 'no mail' }), bridle.allow('*')],
      note: true,
      arrange: ({ middleware }) => ({ middleware: [...middleware, renaming] }),
      script: [calling(call('c1', 'note', { to: 'bob' })), done],
    });
    assert.equal((await rig.run('go')).seen.c1.text, 'no mail');
    assert.deepEqual(sent(rig), []);
  },

  async 'same-id-asks'({ open, bridle }) {
    const pairs = [
      ['c1', ['bob', 'bob']],
      ['c1', ['ann', 'bob']],
      [undefined, ['ann', 'bob']],
      [undefined, ['bob']],
    ];
    for (const [id, names] of pairs) {
      const script = [calling(...names.map((to) => call(id, 'send', { to }))), done];
      const rig = await open({ policy: [bridle.ask('send'), bridle.allow('*')], script });
      const { asked, result } = await approveAll(rig, await rig.run('go'));
      assert.equal(asked.length, names.length, 'each call is asked about once');
      assert.equal(result.text, 'done');
      assert.deepEqual(sent(rig).toSorted(), names);
    }
  },

  async 'unguarded-subagent'({ open, bridle }) {
    const callbacks = [{ name: 'own', handleLLMStart() {} }];
    const ways = [
      ['c1'],
      ['d1'],
      [undefined],
      ['c1', { callbacks }],
      ['c1', { callbacks: [] }],
      [undefined, { callbacks: [] }],
      ['c1', { configurable: { thread_id: 'other' } }],
    ];
    const makers = [(own) => own, asRunnable, asRequired, (own) => new OwnInvoke(own)];
    const kinds = makers.map((make) => (own) => own.map((each) => make(each)));
    for (const [id, config] of ways) {
      for (const kind of kinds) {
        const rig = await open({
          policy: [bridle.allow('*')],
          arrange: ({ model, own }) => ({ tools: [agentTool('helper', { model, tools: kind(own) }, config)] }),
          script: [calling(call('d1', 'helper')), calling(call(id, 'send', { to: 'bob' })), { text: 'I cannot' }, done],
        });
        const result = await rig.run('go');
        assert.deepEqual(sent(rig), []);
        assert.equal(result.text, 'done');
        assert.match(JSON.stringify(rig.requests()[2]), /send.*belongs to an agent without a guard/);
      }
    }
  },

  async 'tasks-of-unguarded-subagent'({ open, bridle }) {
    for (const id of ['c1', undefined]) {
      const arrange = ({ own }) => {
        const send = own.find(({ name }) => name === 'send');
        const callTool = task('callTool', (request) => send.invoke(request));
        const flow = entrypoint('flow', () => callTool({ id, name: 'send', args: { to: 'bob' }, type: 'tool_call' }));
        const run = () => flow.invoke({});
        return { tools: [tool(run, { name: 'helper', description: 'Runs tasks.', schema: z.object({}) })] };
      };
      const rig = await open({ policy: [bridle.allow('*')], arrange, script: [calling(call('d1', 'helper')), done] });
      await assert.rejects(rig.run('go'), /send.*belongs to an agent without a guard/);
      assert.deepEqual(sent(rig), []);
    }
  },

  /** What a tool does without a model is part of its call. */
  async 'workflow-in-a-tool'({ open, bridle }) {
    const script = [calling(call('d1', 'helper')), done];
    const rig = await open({ policy: [bridle.allow('*')], arrange: workflow, script });
    await rig.run('go');
    assert.deepEqual(sent(rig), ['bob']);
  },

  async 'subagents-ask'({ open, bridle }) {
    const rig = await open({
      policy: [bridle.ask('*')],
      arrange: ({ model, own, guarding }) => ({
        tools: [agentTool('helper', { model, tools: own, middleware: guarding() })],
      }),
      script: [calling(call('d1', 'helper')), toBob, { text: 'sent' }, done],
    });
    const { asked, result } = await approveAll(rig, await rig.run('go'));
    assert.deepEqual(asked, [['helper'], ['send']]);
    assert.equal(result.text, 'done');
    assert.deepEqual(sent(rig), ['bob']);
  },

  async 'one-answer-for-two-calls'({ open, bridle }) {
    const rig = await open({
      policy: [bridle.ask('send')],
      options: { default: 'allow' },
      script: [calling(call('c1', 'send', { to: 'ann' }), call('c2', 'send', { to: 'bob' })), done],
    });
    const first = await rig.run('go');
    assert.equal(first.paused.asks.length, 1);
    const [{ id }] = first.paused.asks;
    const second = await rig.resume(first.paused, { [id]: approve });
    assert.equal(sent(rig).length, 1, 'a person has approved one call');
    await rig.resume(second.paused, { [second.paused.asks[0].id]: { type: 'deny' } });
    assert.equal(sent(rig).length, 1);
  },

  async 'malformed-answer'({ open, bridle }) {
    const answers = [
      'yes',
      true,
      { decisions: [] },
      { decisions: [{ type: 'approve' }, { type: 'approve' }] },
      { decisions: [{ type: 'edit', editedAction: { name: 'add', args: { a: 1, b: 1 } } }] },
      { decisions: [{ type: 'edit', editedAction: { name: 'send', args: 'bob' } }] },
    ];
    for (const value of answers) {
      const rig = await open({ policy: [bridle.ask('*')], script: [toBob, done] });
      const first = await rig.run('go');
      const result = await rig.resume(first.paused, { c1: { value } });
      assert.deepEqual(rig.ran, [], JSON.stringify(value));
      assert.equal(result.seen.c1.isError, true);
    }
  },

  async 'tool-pauses'({ open, bridle }) {
    const options = { name: 'sure', description: 'Asks.', schema: z.object({}) };
    class Sure extends StructuredTool {
      name = 'sure';
      description = 'Asks.';
      schema = z.object({});
      async _call() {
        return `said ${interrupt('Really?')}`;
      }
    }
    const policies = [
      [[bridle.allow('*')], [['Really?']]],
      [[bridle.ask('*')], [['sure'], ['Really?']]],
    ];
    for (const [policy, questions] of policies) {
      for (const sure of [tool(() => `said ${interrupt('Really?')}`, options), new Sure()]) {
        const script = [calling(call('c1', 'sure')), done];
        const rig = await open({ policy, arrange: () => ({ tools: [sure] }), script });
        const { asked, result } = await approveAll(rig, await rig.run('go'), { 'Really?': { value: 'yes' } });
        assert.deepEqual(asked, questions);
        assert.equal(result.seen.c1.text, 'said yes');
      }
    }
  },

  /** Threads that are copied have the same tasks, so an approval of one could count in the other. */
  async 'copied-thread'({ bridle }) {
    const started = [];
    const run = (_args, { configurable }) => {
      started.push(configurable.thread_id);
      return interrupt('The pin?');
    };
    const pay = tool(run, { name: 'pay', description: 'Pays.', schema: z.object({}) });
    const checkpointer = new MemorySaver();
    const guard = createGuard({ policy: [bridle.ask('pay')] });
    const middleware = [guardMiddleware(guard)];
    const agent = createAgent({ model: new PayingModel({}), tools: [pay], checkpointer, middleware });
    await agent.invoke({ messages: [{ role: 'user', content: 'go' }] }, at('alice'));
    copyThread(checkpointer, 'alice', 'bob');
    await agent.invoke(new Command({ resume: { decisions: [approve] } }), at('alice'));
    assert.deepEqual(started, ['alice']);
    await agent.invoke(null, at('bob'));
    assert.deepEqual(started, ['alice']);
    await guard.end();
  },

  async schemas({ open, bridle }) {
    const ran = [];
    const text = tool((input) => ran.push(input), { name: 'text', description: 'Takes a text.' });
    const schema = z.object({ to: z.string().transform((to) => `${to}@example.com`) });
    const mail = tool((input) => ran.push(input), { name: 'mail', description: 'Sends mail.', schema });
    const rig = await open({
      policy: [
        bridle.deny('mail', { when: bridle.arg('to', (to) => to === 'eve@example.com'), reason: 'Never to Eve' }),
        bridle.allow('*'),
      ],
      arrange: () => ({ tools: [text, mail] }),
      script: [
        calling(call('c1', 'text', { input: 'hello' })),
        calling(call('c2', 'mail', { to: 'bob' })),
        calling(call('c3', 'mail', { to: 'eve' })),
        done,
      ],
    });
    const result = await rig.run('go');
    assert.deepEqual(ran, ['hello', { to: 'bob@example.com' }]);
    assert.equal(result.seen.c3.text, 'Never to Eve');
  },

  async 'command-result'({ open, bridle }) {
    const login = tool(logIn, { name: 'login', description: 'Logs in.', schema: z.object({}) });
    const redact = bridle.postToolCall(({ result }) => bridle.transform(hidden(String(result))), {
      name: 'redact',
    });
    const rig = await open({
      policy: [bridle.allow('*')],
      hooks: [redact],
      arrange: () => ({ tools: [login] }),
      script: [calling(call('c1', 'login')), done],
    });
    assert.equal((await rig.run('go')).seen.c1.text, '***');
  },

  async 'turn-hooks'({ open, bridle }) {
    const closed = await open({
      policy: [bridle.allow('*')],
      hooks: [bridle.preTurn(() => bridle.reject('Closed today'), { name: 'closed' })],
      script: [done],
    });
    assert.equal((await closed.run('go')).text, 'Closed today');
    assert.equal(closed.requests().length, 0);
    const rig = await open({
      policy: [bridle.allow('*')],
      hooks: [
        bridle.preTurn(({ prompt }) => bridle.transform({ ...prompt, text: hidden(prompt.text) }), { name: 'in' }),
        bridle.postTurn(({ output }) => bridle.transform({ ...output, text: hidden(output.text) }), { name: 'out' }),
      ],
      script: [{ text: 'It is hunter2.' }, { text: 'It is hunter2.' }],
    });
    assert.equal((await rig.run('Is it hunter2?')).text, 'It is ***.');
    assert.ok(!JSON.stringify(rig.requests()).includes('hunter2'));
    const streamed = await rig.run('go', { stream: true });
    assert.equal(streamed.text, 'It is ***.');
    assert.ok(!streamed.streamed.join('').includes('hunter2'), 'no held text leaks');
  },

  async 'provider-ran-a-tool'({ open, bridle }) {
    const content = [{ type: 'server_tool_use', id: 's1', name: 'web_search', input: {} }];
    const rig = await open({ policy: [bridle.allow('*')], script: [{ content }] });
    await assert.rejects(rig.run('go'), /web_search.*the provider runs it/);
  },

  async 'uncovered-tool'({ open, bridle }) {
    const rig = await open({ policy: [bridle.allow('add')], script: [toBob, done] });
    await assert.rejects(rig.run('go'), /no rule covers .*"send"/);
    assert.equal(rig.requests().length, 0);
  },
};
