/** Cases of what only OpenAI Agents have: handoffs, agents as tools, names of models, the state of a run. */

import assert from 'node:assert/strict';
import { Agent, handoff, Runner, run, shellTool, tool } from '@openai/agents';
import { z } from 'zod';

const call = (id, name, args = {}) => ({ toolCalls: [{ id, tool: name, args }] });
const done = { text: 'done' };
const toHelper = call('h1', 'transfer_to_helper');
const toBob = call('c1', 'send', { to: 'bob' });

function statuses(journal, id) {
  return journal.filter((entry) => entry.call === id).map(({ kind, status }) => `${kind} ${status}`);
}

function sent(rig) {
  return rig.ran.filter((each) => each.tool === 'send').map(({ args }) => args.to);
}

const helperOf = ({ model, tools }) => new Agent({ name: 'helper', model, tools });

export const cases = {
  async handoff({ open, bridle }) {
    const kinds = [(helper) => helper, (helper) => handoff(helper)];
    for (const kind of kinds) {
      const rig = await open({
        policy: [bridle.deny('send', { reason: 'not even a helper' }), bridle.allow('*')],
        arrange: (parts) => ({ handoffs: [kind(helperOf(parts))] }),
        script: [toHelper, toBob, done],
      });
      const result = await rig.run('go');
      assert.equal(result.text, 'done');
      assert.equal(result.seen.c1.text, 'not even a helper');
      assert.deepEqual(rig.journal[0].agent, ['main', 'helper']);
      assert.deepEqual(sent(rig), []);
    }
  },

  async 'late-handoff'({ open, bridle }) {
    let helper;
    const rig = await open({
      policy: [bridle.deny('send', { reason: 'no' }), bridle.allow('*')],
      arrange: (parts) => void (helper = helperOf(parts)),
      script: [toHelper, toBob, done],
    });
    rig.agent.agent.handoffs.push(helper);
    assert.equal((await rig.run('go')).seen.c1.text, 'no');
    assert.deepEqual(sent(rig), []);
  },

  async 'handoff-resumed-elsewhere'({ open, bridle }) {
    const parts = {
      policy: [bridle.ask('send'), bridle.allow('*')],
      arrange: (given) => ({ handoffs: [helperOf(given)] }),
      session: 'thread-1',
    };
    const paused = await (await open({ ...parts, script: [toHelper, toBob] })).run('go');
    assert.equal(paused.paused.asks.length, 1);
    // The state begins with the helper, which nobody has handed off to in this process.
    const rig = await open({ ...parts, script: [done] });
    await rig.resume(paused.paused, { c1: { type: 'approve' } });
    assert.deepEqual(sent(rig), []);
  },

  async clone({ open, bridle }) {
    const rig = await open({
      policy: [bridle.deny('send', { reason: 'no' }), bridle.allow('*')],
      script: [toBob, done],
    });
    const result = await rig.agent.run('go', { from: rig.agent.agent.clone({ name: 'copy' }).clone({}) });
    assert.equal(result.seen.c1.text, 'no');
    assert.deepEqual(sent(rig), []);
  },

  async 'ask-in-agent-tool'({ open, bridle }) {
    const rig = await open({
      policy: [bridle.ask('send'), bridle.allow('*')],
      subagent: true,
      script: (delegate) => [{ toolCalls: [delegate('d1', 'Write')] }, toBob, { text: 'sent it' }, done],
    });
    const first = await rig.run('go');
    assert.deepEqual(
      first.paused.asks.map(({ id }) => id),
      ['c1'],
    );
    const result = await rig.resume(first.paused, { c1: { type: 'approve' } });
    assert.equal(result.text, 'done');
    assert.deepEqual(sent(rig), ['bob']);
    assert.deepEqual(statuses(rig.journal, 'c1'), ['decided asked', 'decided approved', 'settled ok']);
    assert.deepEqual(rig.journal.find((entry) => entry.call === 'c1').agent, ['main', 'helper']);
  },

  async 'agent-in-a-function'({ open, bridle }) {
    const rig = await open({
      policy: [bridle.deny('send', { reason: 'no' }), bridle.allow('*')],
      arrange({ model, tools }) {
        const helper = helperOf({ model, tools });
        const execute = async () => (await run(helper, 'Write')).finalOutput;
        return { tools: [tool({ name: 'ask', description: '', parameters: z.object({}), execute })] };
      },
      script: [call('d1', 'ask'), toBob, { text: 'I may not' }, done],
    });
    assert.equal((await rig.run('go')).text, 'done');
    assert.deepEqual(sent(rig), []);
    assert.deepEqual(rig.journal.find((entry) => entry.call === 'c1').agent, ['main', 'helper']);
  },

  async 'invalid-json'({ open, bridle }) {
    for (const [raw, seen] of [
      ['{"to":', /valid JSON/],
      ['', /valid JSON/],
      ['[]', /Invalid args for send/],
      ['"bob"', /Invalid args for send/],
    ]) {
      for (const stream of [false, true]) {
        const script = [{ toolCalls: [{ id: 'c1', tool: 'send', raw }] }, done];
        const rig = await open({ policy: [bridle.allow('*')], script });
        const result = await rig.run('go', { stream });
        assert.equal(result.paused, undefined, `${raw} pauses the run`);
        assert.match(result.seen.c1.text, seen);
        assert.deepEqual(sent(rig), []);
      }
    }
  },

  async 'always-approve'({ open, bridle }) {
    const rig = await open({
      policy: [bridle.ask('send'), bridle.allow('*')],
      script: [toBob, call('c2', 'send', { to: 'eve' }), done],
    });
    const first = await rig.run('go');
    const result = await rig.resume(first.paused, { c1: { type: 'approve', always: true } });
    assert.deepEqual(sent(rig), ['bob'], 'an answer counts for one call');
    assert.match(result.seen.c2.text, /does not count/);
  },

  async 'rewritten-then-paused'({ open, bridle }) {
    const rig = await open({
      policy: [bridle.ask('send'), bridle.allow('*')],
      hooks: [
        bridle.preToolCall(
          ({ call: { tool: name, args } }) => (name === 'add' ? bridle.transform({ ...args, b: 40 }) : undefined),
          { name: 'forty' },
        ),
      ],
      script: [call('c0', 'add', { a: 1, b: 1 }), toBob, call('c2', 'send', { to: 'ann' }), done],
    });
    let result = await rig.run('go');
    assert.deepEqual(result.history.c0, { a: 1, b: 40 });
    result = await rig.resume(result.paused, { c1: { type: 'approve', args: { to: 'eve' } } });
    result = await rig.resume(result.paused, { c2: { type: 'approve' } });
    assert.equal(result.text, 'done');
    assert.deepEqual(sent(rig), ['eve', 'ann']);
  },

  async 'rewritten-ask'({ open, bridle }) {
    const toAnn = bridle.preToolCall(({ call: { args } }) => bridle.transform({ ...args, to: 'ann' }), {
      name: 'to-ann',
    });
    const parts = { policy: [bridle.ask('send'), bridle.allow('*')], hooks: [toAnn], script: [toBob, done] };
    const rig = await open(parts);
    const first = await rig.run('go');
    // The SDK shows the args that the model wrote.
    const result = await rig.resume(first.paused, { c1: { type: 'approve' } });
    assert.match(result.seen.c1.text, /was shown the original ones/);
    assert.deepEqual(sent(rig), []);
    const second = await open(parts);
    const { agent, runner, adapter } = second.agent;
    const { state, interruptions } = await runner.run(agent, 'go');
    const question = adapter.questionOf(interruptions[0]);
    assert.deepEqual(question.args, { to: 'ann' });
    adapter.approveWithEdits(state, interruptions[0], question.args);
    assert.equal((await runner.run(agent, state)).finalOutput, 'done');
    assert.deepEqual(sent(second), ['ann']);
  },

  async 'defaults-in-an-ask'({ open, bridle }) {
    const parameters = {
      type: 'object',
      properties: { to: { type: 'string', default: 'bob' } },
      required: [],
      additionalProperties: false,
    };
    const rig = await open({
      policy: [bridle.ask('send'), bridle.allow('*')],
      arrange: () => ({
        tools: [
          tool({ name: 'send', description: '', strict: false, parameters, execute: ({ to }) => `sent to ${to}` }),
        ],
      }),
      script: [call('c1', 'send', {}), done],
    });
    const first = await rig.run('go');
    const result = await rig.resume(first.paused, { c1: { type: 'approve' } });
    assert.equal(result.seen.c1.text, 'sent to bob');
  },

  async 'edited-in-the-same-process'({ open, bridle }) {
    const rig = await open({
      policy: [bridle.ask('send'), bridle.allow('*')],
      script: [toBob, call('c2', 'send', { to: 'ann' }), done],
    });
    const { agent, runner, adapter } = rig.agent;
    const first = await runner.run(agent, 'go');
    adapter.approveWithEdits(first.state, first.interruptions[0], { to: 'eve' });
    // Another process would run the args that the model wrote.
    assert.throws(() => first.state.toString(), /cannot be saved/);
    assert.throws(() => JSON.stringify(first.state), /cannot be saved/);
    const second = await runner.run(agent, first.state);
    assert.deepEqual(sent(rig), ['eve']);
    const result = await rig.resume({ state: second.state.toString() }, { c2: { type: 'approve' } });
    assert.equal(result.text, 'done');
    assert.deepEqual(sent(rig), ['eve', 'ann']);
  },

  async 'edited-in-another-run'({ open, bridle }) {
    const rig = await open({ policy: [bridle.ask('send'), bridle.allow('*')], script: [toBob, toBob, done] });
    const { agent, runner, adapter } = rig.agent;
    const first = await runner.run(agent, 'go');
    adapter.approveWithEdits(first.state, first.interruptions[0], { to: 'eve' });
    const second = await runner.run(agent, 'go');
    second.state.approve(second.interruptions[0]);
    await runner.run(agent, second.state);
    assert.ok(!sent(rig).includes('eve'), 'an edit counts only in the run that was answered');
  },

  async 'local-tools'({ open, bridle }) {
    const shell = shellTool({ shell: { run: async () => ({ output: [] }) } });
    await assert.rejects(
      open({ policy: [bridle.allow('*')], arrange: () => ({ tools: [shell] }), script: [done] }),
      /"shell"/,
    );
    const rig = await open({ policy: [bridle.allow('*')], script: [done] });
    rig.agent.agent.tools.push(shell);
    await assert.rejects(rig.run('go'), /"shell"/);
  },

  async 'tool-wants-approval'({ open, bridle }) {
    // The SDK pauses for any true value.
    for (const answer of [true, 'yes']) {
      const rig = await open({
        policy: [bridle.allow('*')],
        arrange: ({ tools }) => ({ tools: tools.map((each) => ({ ...each, needsApproval: async () => answer })) }),
        script: [toBob, done],
      });
      const first = await rig.run('go');
      assert.equal(first.paused.asks.length, 1);
      assert.deepEqual(sent(rig), []);
      assert.equal((await rig.resume(first.paused, { c1: { type: 'approve' } })).text, 'done');
      assert.deepEqual(sent(rig), ['bob']);
    }
  },

  async 'sessions-by-context'({ open, bridle }) {
    const hooks = [
      bridle.preToolCall(
        async (_payload, ctx) => {
          const count = await ctx.session.update('calls', (before) => (before ?? 0) + 1);
          return count > 1 ? bridle.reject('One call is enough') : undefined;
        },
        { name: 'one-call' },
      ),
      bridle.preLlmCall((_request, ctx) => void models.push(ctx.sessionId), { name: 'sessions' }),
    ];
    const models = [];
    const rig = await open({
      policy: [bridle.allow('*')],
      hooks,
      session: ({ user }) => user,
      script: [call('c1', 'send', { to: 'a' }), call('c2', 'send', { to: 'b' }), done, done],
    });
    await Promise.all(['ann', 'bob'].map((user) => rig.agent.run('go', { context: { user } })));
    assert.equal(sent(rig).length, 2, 'each user has a session');
    assert.deepEqual(
      models.toSorted((a, b) => a.localeCompare(b)),
      ['ann', 'ann', 'bob', 'bob'],
    );
    await assert.rejects(rig.run('go', { context: {} }), /session/);
  },

  async 'model-by-name'({ open, bridle }) {
    let calls = 0;
    const hooks = [bridle.preLlmCall(() => void calls++, { name: 'count' })];
    const parts = { policy: [bridle.allow('*')], hooks, arrange: () => ({ model: 'scripted' }), script: [toBob, done] };
    const rig = await open(parts);
    const provider = { getModel: async () => rig.agent.model };
    await assert.rejects(rig.run('go', { on: new Runner({ modelProvider: provider }) }), /preLlmCall/);
    const second = await open(parts);
    const { guardModel } = await import('bridle/openai-agents');
    const modelProvider = guardModel(second.guard, { getModel: async () => second.agent.model });
    assert.equal((await second.run('go', { on: new Runner({ modelProvider }) })).text, 'done');
    assert.equal(calls, 2);
    assert.deepEqual(sent(second), ['bob']);
    await assert.rejects(
      new Runner({ modelProvider }).run(
        new Agent({ name: 'other', model: 'x', tools: second.agent.agent.tools }),
        'go',
      ),
      /"send".*unguarded/,
    );
  },

  async 'mcp-with-server-names'({ open, bridle }) {
    const rig = await open({
      policy: [bridle.denyMcp('files', ['remove'], { reason: 'Keep it' }), bridle.allow('*')],
      mcp: true,
      arrange: () => ({ mcpConfig: { includeServerInToolNames: true } }),
      script: [call('c1', 'mcp_files__read', { path: 'a' }), call('c2', 'mcp_files__remove', { path: 'a' }), done],
    });
    const result = await rig.run('go');
    assert.match(result.seen.c1.text, /contents of a/);
    assert.equal(result.seen.c2.text, 'Keep it');
    assert.deepEqual(rig.mcpCalls(), ['read']);
    assert.deepEqual(
      rig.journal.filter(({ kind }) => kind === 'decided').map(({ server, tool: name }) => `${server}/${name}`),
      ['files/read', 'files/remove'],
    );
  },

  async 'refused-elsewhere'({ open, bridle, writeFile }) {
    const { openStore } = await import('bridle/store');
    const store = await openStore({ at: `${writeFile('place', '')}.db` });
    const parts = { policy: [bridle.ask('send'), bridle.allow('*')], options: { store }, session: 'thread-1' };
    const first = await (await open({ ...parts, script: [toBob] })).run('go');
    const rig = await open({ ...parts, script: [done] });
    const result = await rig.resume(first.paused, { c1: { type: 'deny', reason: 'not Bob' } });
    assert.equal(result.seen.c1.text, 'not Bob');
    assert.deepEqual(sent(rig), []);
    assert.deepEqual(statuses(rig.journal, 'c1'), ['decided refused']);
    assert.deepEqual(await store.approvals.list({ state: 'pending' }), []);
    await store.close();
  },

  async 'model-again'({ open, bridle }) {
    const again = bridle.postLlmCall(
      ({ response }) => (response.text === 'draft' ? bridle.retry('Say more') : undefined),
      { name: 'editor' },
    );
    for (const stream of [false, true]) {
      const rig = await open({ policy: [bridle.allow('*')], hooks: [again], script: [{ text: 'draft' }, done] });
      const result = await rig.run('go', { stream });
      assert.equal(result.text, 'done');
      assert.deepEqual(
        rig
          .requests()[1]
          .slice(-2)
          .map(({ role, content }) => [role, content[0].text ?? content]),
        [
          ['assistant', 'draft'],
          ['user', 'Say more'],
        ],
      );
      if (stream) assert.ok(!result.streamed.join('').includes('draft'));
    }
  },

  async 'rejected-stream'({ open, bridle }) {
    const closed = bridle.preLlmCall(() => bridle.reject('Not today'), { name: 'closed' });
    const rig = await open({ policy: [bridle.allow('*')], hooks: [closed], script: [done] });
    const result = await rig.run('go', { stream: true });
    assert.equal(result.text, 'Not today');
    assert.deepEqual(rig.requests(), []);
  },

  async 'broken-stream'({ open, bridle }) {
    let errors = 0;
    const retry = bridle.onLlmError(
      () => {
        errors++;
        return bridle.retry();
      },
      { name: 'retry' },
    );
    const rig = await open({ policy: [bridle.allow('*')], hooks: [retry], script: [{ error: 'overloaded' }, done] });
    assert.equal((await rig.run('go', { stream: true })).text, 'done');
    assert.equal(errors, 1);
    const { model } = rig.agent;
    model.getStreamedResponse = async function* () {
      yield { type: 'response_started' };
      throw new Error('connection lost');
    };
    await assert.rejects(rig.run('go', { stream: true }), /connection lost/);
  },

  async 'stored-prompt'({ open, bridle }) {
    const parts = { policy: [bridle.allow('*')], arrange: () => ({ prompt: { promptId: 'p1' } }), script: [done] };
    await assert.rejects(open(parts), /stored prompt/);
  },

  async 'same-helper-twice'({ open, bridle }) {
    const rig = await open({
      policy: [bridle.deny('fail', { reason: 'no' }), bridle.allow('*')],
      subagent: true,
      script: (delegate) => [
        { toolCalls: [delegate('d1', 'one'), delegate('d2', 'two')] },
        call('c1', 'send', { to: 'a' }),
        call('c2', 'send', { to: 'b' }),
        { text: 'x' },
        { text: 'y' },
        done,
      ],
    });
    assert.equal((await rig.run('go')).text, 'done');
    assert.deepEqual(sent(rig).toSorted(), ['a', 'b']);
    for (const id of ['c1', 'c2', 'd1', 'd2'])
      assert.deepEqual(statuses(rig.journal, id), ['decided allowed', 'settled ok'], id);
  },

  async 'timeout-of-the-sdk'({ open, bridle }) {
    const rig = await open({
      policy: [bridle.allow('*')],
      arrange: ({ tools }) => ({ tools: tools.map((each) => ({ ...each, timeoutMs: 50 })) }),
      script: [call('c1', 'wait'), done],
    });
    const result = await rig.run('go');
    assert.match(result.seen.c1.text, /timed out after 50ms/);
    assert.equal(rig.aborted, true);
    const settled = await rig.until(() => rig.journal.find(({ kind }) => kind === 'settled'));
    assert.notEqual(settled.status, 'ok');
  },
};
