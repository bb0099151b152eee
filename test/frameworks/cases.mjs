/**
 * The cases that every framework passes, each on the real package with a scripted model. A case gets a rig (rig.mjs). A
 * driver that cannot support a case skips it with the framework's limit.
 */

import assert from 'node:assert/strict';

const call = (id, tool, args = {}) => ({ id, tool, args });
const calling = (...toolCalls) => ({ toolCalls });
const done = { text: 'done' };

function one(id) {
  return calling(call(id, 'add', { a: 1, b: 1 }));
}

/** The statuses of the records of a call, in order. */
function statuses(journal, id) {
  return journal.filter((entry) => entry.call === id).map(({ kind, status }) => `${kind} ${status}`);
}

function assertNotRun(rig, tool) {
  assert.deepEqual(
    rig.ran.filter((each) => each.tool === tool),
    [],
    `${tool} ran`,
  );
}

/** The model reads the reason, and no stack trace. */
function assertSeen(result, id, text) {
  const seen = result.seen[id]?.text;
  assert.ok(
    seen?.includes(text),
    `the model should see ${JSON.stringify(text)} for ${id}, but saw ${JSON.stringify(seen)}`,
  );
  assert.ok(!/\n\s+at /.test(seen), `the model saw a stack trace: ${seen}`);
}

const cases = {
  async allow({ open, bridle }) {
    const rig = await open({ policy: [bridle.allow('*')], script: [calling(call('c1', 'add', { a: 1, b: 2 })), done] });
    const result = await rig.run('What is 1 + 2?');
    assert.equal(result.text, 'done');
    assertSeen(result, 'c1', '3');
    assert.deepEqual(rig.ran, [{ tool: 'add', args: { a: 1, b: 2 } }]);
    assert.deepEqual(statuses(rig.journal, 'c1'), ['decided allowed', 'settled ok']);
  },

  async deny({ open, bridle }) {
    const rig = await open({
      policy: [bridle.deny('send', { reason: 'No mail from here' }), bridle.allow('*')],
      script: [calling(call('c1', 'send', { to: 'bob' })), done],
    });
    const result = await rig.run('Write to Bob');
    assertNotRun(rig, 'send');
    assertSeen(result, 'c1', 'No mail from here');
    assert.equal(result.text, 'done', 'the run continues after a denial');
    assert.deepEqual(statuses(rig.journal, 'c1'), ['decided denied']);
  },

  async 'policy-file'({ open, writeFile }) {
    const policy = writeFile(
      'bridle.yaml',
      'version: 1\nrules:\n  - allow: add\n  - deny: send\n    reason: Not by file\n',
    );
    const rig = await open({
      policy,
      script: [calling(call('c1', 'add', { a: 1, b: 2 })), calling(call('c2', 'send', { to: 'b' })), done],
    });
    const result = await rig.run('go');
    assertSeen(result, 'c1', '3');
    assertSeen(result, 'c2', 'Not by file');
    assertNotRun(rig, 'send');
  },

  async 'ask-approve'({ open, bridle }) {
    const rig = await open({
      policy: [bridle.ask('send'), bridle.allow('*')],
      script: [calling(call('c1', 'send', { to: 'bob' })), done],
    });
    const first = await rig.run('Write to Bob');
    assert.deepEqual(
      first.paused?.asks.map(({ id, tool }) => ({ id, tool })),
      [{ id: 'c1', tool: 'send' }],
    );
    assertNotRun(rig, 'send');
    const result = await rig.resume(first.paused, { c1: { type: 'approve' } });
    assert.equal(result.text, 'done');
    assertSeen(result, 'c1', 'sent to bob');
    assert.equal(rig.ran.length, 1);
    assert.deepEqual(statuses(rig.journal, 'c1'), ['decided asked', 'decided approved', 'settled ok']);
    const approved = rig.journal.find(({ status }) => status === 'approved');
    assert.equal(approved.approval.place, 'framework', 'the answer is recorded as unsigned');
  },

  async 'ask-refuse'({ open, bridle }) {
    const rig = await open({
      policy: [bridle.ask('send'), bridle.allow('*')],
      script: [calling(call('c1', 'send', { to: 'bob' })), done],
    });
    const first = await rig.run('Write to Bob');
    const result = await rig.resume(first.paused, { c1: { type: 'deny', reason: 'Bob is on holiday' } });
    assertNotRun(rig, 'send');
    assertSeen(result, 'c1', 'Bob is on holiday');
    assert.deepEqual(statuses(rig.journal, 'c1'), ['decided asked', 'decided refused']);
  },

  async 'ask-edit'({ open, bridle }) {
    const policy = [
      bridle.deny('send', { when: bridle.arg('to', (to) => to === 'eve'), reason: 'Never to Eve' }),
      bridle.ask('send'),
      bridle.allow('*'),
    ];
    const rig = await open({
      policy,
      script: [calling(call('c1', 'send', { to: 'bob' })), done, calling(call('c2', 'send', { to: 'bob' })), done],
    });
    const first = await rig.run('Write to Bob');
    const result = await rig.resume(first.paused, { c1: { type: 'approve', args: { to: 'ann' } } });
    assertSeen(result, 'c1', 'sent to ann');
    assert.deepEqual(rig.ran, [{ tool: 'send', args: { to: 'ann' } }]);
    const second = await rig.run('Again');
    const refused = await rig.resume(second.paused, { c2: { type: 'approve', args: { to: 'eve' } } });
    assertSeen(refused, 'c2', 'Never to Eve');
    assert.equal(rig.ran.length, 1);
  },

  async 'ask-expire'({ open, bridle, clock }) {
    const rig = await open({
      policy: [bridle.ask('send'), bridle.allow('*')],
      options: { askTimeoutMs: 60_000, clock },
      script: [calling(call('c1', 'send', { to: 'bob' })), done],
    });
    const first = await rig.run('Write to Bob');
    await clock.advance(61_000);
    const result = await rig.resume(first.paused, { c1: { type: 'approve' } });
    assertNotRun(rig, 'send');
    assertSeen(result, 'c1', 'expired');
    assert.deepEqual(statuses(rig.journal, 'c1'), ['decided asked', 'decided expired']);
  },

  async 'ask-changed'({ open, bridle }) {
    const rig = await open({
      policy: [bridle.ask('send'), bridle.allow('*')],
      script: [calling(call('c1', 'send', { to: 'bob' })), done],
    });
    const first = await rig.run('Write to Bob');
    const forged = rig.forge(first.paused, 'c1', { to: 'eve' });
    const result = await rig.resume(forged, { c1: { type: 'approve' } }).catch((error) => ({ error }));
    assertNotRun(rig, 'send');
    if (result.error === undefined) assertSeen(result, 'c1', 'changed');
  },

  async 'ask-restart'({ open, bridle }) {
    const parts = {
      policy: [bridle.ask('send'), bridle.allow('*')],
      script: [calling(call('c1', 'send', { to: 'bob' })), done],
      session: 'thread-1',
    };
    const first = await (await open(parts)).run('Write to Bob');
    // Another process without a store cannot know what was asked, so the answer does not count.
    const rig = await open({ ...parts, script: [done] });
    await rig.resume(first.paused, { c1: { type: 'approve' } }).catch(() => undefined);
    assertNotRun(rig, 'send');
  },

  async 'ask-replayed'({ open, bridle }) {
    const one = calling(call('c1', 'send', { to: 'bob' }));
    const rig = await open({
      policy: [bridle.ask('send'), bridle.allow('*')],
      script: [one, done, done, done, done, done],
    });
    const { paused } = await rig.run('Write to Bob');
    // A client sends the same answer again and again.
    for (let times = 0; times < 5; times++)
      await rig.resume(structuredClone(paused), { c1: { type: 'approve' } }).catch(() => undefined);
    assert.equal(rig.ran.length, 1, 'an answer counts once');
  },

  async 'same-id'({ open, bridle }) {
    const rig = await open({
      policy: [bridle.deny('send', { reason: 'no mail' }), bridle.allow('*')],
      note: true,
      script: [calling(call('c1', 'send', { to: 'bob' }), call('c1', 'note', { to: 'bob' })), done],
    });
    await rig.run('go').catch(() => undefined);
    assertNotRun(rig, 'send');
  },

  async 'ask-signed'({ open, bridle }) {
    const rig = await open({
      policy: [bridle.ask('send', { approval: 'signed' }), bridle.allow('*')],
      script: [calling(call('c1', 'send', { to: 'bob' })), done],
    });
    // Without a store, no answer can be signed. `durable-ask` has one.
    const result = await rig.run('Write to Bob');
    assertNotRun(rig, 'send');
    assertSeen(result, 'c1', 'only a signed answer counts');
    assert.deepEqual(statuses(rig.journal, 'c1'), ['decided denied']);
  },

  async 'own-approver'({ open, bridle }) {
    const shown = [];
    const approver = ({ shown: { text } }) => {
      shown.push(text);
      return true;
    };
    const rig = await open({
      policy: [bridle.ask('send'), bridle.allow('*')],
      options: { approver },
      script: [calling(call('c1', 'send', { to: 'bob' })), done],
    });
    const result = await rig.run('Write to Bob');
    assert.equal(result.paused, undefined);
    assertSeen(result, 'c1', 'sent to bob');
    assert.equal(shown.length, 1);
  },

  async rewrite({ open, bridle }) {
    const rig = await open({
      policy: [
        bridle.deny('send', { when: bridle.arg('to', (to) => to === 'eve'), reason: 'Never to Eve' }),
        bridle.allow('*'),
      ],
      hooks: [
        {
          name: 'redirect',
          tools: ['send'],
          preToolCall: ({ call: { args } }) => bridle.transform({ ...args, to: args.to === 'bob' ? 'ann' : 'eve' }),
        },
      ],
      script: [calling(call('c1', 'send', { to: 'bob' })), calling(call('c2', 'send', { to: 'mallory' })), done],
    });
    const result = await rig.run('go');
    assertSeen(result, 'c1', 'sent to ann');
    assertSeen(result, 'c2', 'Never to Eve');
    assert.deepEqual(rig.ran, [{ tool: 'send', args: { to: 'ann' } }]);
    if (rig.showsRewrittenArgs) assert.deepEqual(result.history.c1, { to: 'ann' });
  },

  async 'rewrite-and-ask'({ open, bridle }) {
    const rig = await open({
      policy: [bridle.ask('send'), bridle.allow('*')],
      hooks: [bridle.preToolCall(() => bridle.transform({ to: 'eve' }), { name: 'redirect' })],
      script: [calling(call('c1', 'send', { to: 'bob' })), done],
    });
    const first = await rig.run('go');
    await rig.resume(first.paused, { c1: { type: 'approve' } }).catch(() => undefined);
    // Either the person was shown the args that run, or nothing runs.
    const [ask] = first.paused?.asks ?? [];
    const shown = typeof ask?.args === 'string' ? JSON.parse(ask.args) : ask?.args;
    if (rig.ran.length > 0) assert.deepEqual(rig.ran[0].args, shown);
  },

  async 'changed-result'({ open, bridle }) {
    const rig = await open({
      policy: [bridle.allow('*')],
      hooks: [
        bridle.postToolCall(({ result }) => bridle.transform(String(result).replace('bob', '***')), { name: 'redact' }),
      ],
      script: [calling(call('c1', 'send', { to: 'bob' })), done],
    });
    const result = await rig.run('go');
    assertSeen(result, 'c1', 'sent to ***');
    assert.ok(!result.seen.c1.text.includes('bob'));
  },

  async 'recovered-error'({ open, bridle }) {
    const rig = await open({
      policy: [bridle.allow('*')],
      hooks: [
        bridle.onToolError(({ error }) => bridle.recover(`recovered from ${error.message}`), { name: 'recover' }),
      ],
      errorsReachGuard: true,
      script: [calling(call('c1', 'fail')), done],
    });
    const result = await rig.run('go');
    assertSeen(result, 'c1', 'recovered from disk full');
    assert.deepEqual(statuses(rig.journal, 'c1'), ['decided allowed', 'settled recovered']);
  },

  async 'tool-error'({ open, bridle }) {
    const script = [calling(call('c1', 'fail')), done];
    // A framework may turn errors into text before a guard sees them, unless the tool is declared otherwise.
    for (const errorsReachGuard of [false, true]) {
      const bareRig = await open({ bare: true, errorsReachGuard, script });
      const bare = await bareRig.run('go').catch((error) => ({ error }));
      const rig = await open({ policy: [bridle.allow('*')], errorsReachGuard, script });
      const result = await rig.run('go').catch((error) => ({ error }));
      assert.equal(String(result.error), String(bare.error));
      assert.deepEqual(result.seen?.c1, bare.seen?.c1, 'the model sees the same error as without a guard');
      assert.deepEqual(statuses(rig.journal, 'c1'), ['decided allowed', 'settled error']);
    }
  },

  async 'hook-throws'({ open, bridle }) {
    const broken = bridle.preToolCall(
      () => {
        throw new Error('bug in the hook');
      },
      { name: 'broken' },
    );
    const rig = await open({
      policy: [bridle.allow('*')],
      hooks: [broken],
      script: [calling(call('c1', 'send', { to: 'b' })), done],
    });
    const result = await rig.run('go');
    assertNotRun(rig, 'send');
    assertSeen(result, 'c1', 'broken');
  },

  async 'hook-hangs'({ open, bridle }) {
    const stuck = bridle.preToolCall(() => new Promise(() => undefined), { name: 'stuck', timeoutMs: 50 });
    const rig = await open({
      policy: [bridle.allow('*')],
      hooks: [stuck],
      script: [calling(call('c1', 'send', { to: 'b' })), done],
    });
    const result = await rig.run('go');
    assertNotRun(rig, 'send');
    assertSeen(result, 'c1', 'stuck');
  },

  async 'hook-malformed'({ open, bridle }) {
    const odd = bridle.preToolCall(() => ({ type: 'maybe' }), { name: 'odd' });
    const rig = await open({
      policy: [bridle.allow('*')],
      hooks: [odd],
      script: [calling(call('c1', 'send', { to: 'b' })), done],
    });
    const result = await rig.run('go');
    assertNotRun(rig, 'send');
    assertSeen(result, 'c1', 'odd');
  },

  async 'invalid-args'({ open, bridle }) {
    const script = [calling(call('c1', 'add', { a: 'one', b: 2 })), done];
    const bare = await (await open({ bare: true, script })).run('go').catch((error) => ({ error }));
    const rig = await open({ policy: [bridle.allow('*')], script });
    const result = await rig.run('go').catch((error) => ({ error }));
    assertNotRun(rig, 'add');
    assert.equal(result.error === undefined, bare.error === undefined, 'the run ends as without a guard');
    if (result.error === undefined) assert.ok(result.seen.c1.text.length > 0);
  },

  async 'unknown-tool'({ open, bridle }) {
    const script = [calling(call('c1', 'constructor')), done];
    const bare = await (await open({ bare: true, script })).run('go').catch((error) => ({ error }));
    const rig = await open({ policy: [bridle.allow('*')], script });
    const result = await rig.run('go').catch((error) => ({ error }));
    assert.deepEqual(rig.ran, []);
    assert.equal(result.error === undefined, bare.error === undefined, 'the run ends as without a guard');
  },

  async parallel({ open, bridle }) {
    const rig = await open({
      policy: [bridle.deny('send', { reason: 'no' }), bridle.allow('*')],
      script: [
        calling(call('c1', 'add', { a: 1, b: 1 }), call('c2', 'send', { to: 'b' }), call('c3', 'add', { a: 2, b: 2 })),
        done,
      ],
    });
    const result = await rig.run('go');
    assertSeen(result, 'c1', '2');
    assertSeen(result, 'c2', 'no');
    assertSeen(result, 'c3', '4');
    assert.equal(rig.ran.length, 2);
  },

  async 'parallel-ask'({ open, bridle }) {
    const rig = await open({
      policy: [bridle.ask('send'), bridle.allow('*')],
      script: [
        calling(
          call('c1', 'add', { a: 1, b: 1 }),
          call('c2', 'send', { to: 'ann' }),
          call('c3', 'send', { to: 'bob' }),
        ),
        done,
      ],
    });
    let result = await rig.run('go');
    const answers = { c2: { type: 'approve' }, c3: { type: 'deny', reason: 'not Bob' } };
    // A framework may pause once for each question.
    for (let pauses = 0; result.paused !== undefined && pauses < 3; pauses++)
      result = await rig.resume(result.paused, answers);
    assertSeen(result, 'c2', 'sent to ann');
    assertSeen(result, 'c3', 'not Bob');
    assertSeen(result, 'c1', '2');
    assert.equal(rig.ran.filter(({ tool }) => tool === 'add').length, 1, 'the finished sibling does not run again');
    assert.deepEqual(
      rig.ran.filter(({ tool }) => tool === 'send').map(({ args }) => args),
      [{ to: 'ann' }],
    );
  },

  async streaming({ open, bridle }) {
    const script = [calling(call('c1', 'add', { a: 1, b: 2 })), { text: 'The sum is three.' }];
    const bare = await (await open({ bare: true, script })).run('go', { stream: true });
    const rig = await open({ policy: [bridle.allow('*')], script });
    const result = await rig.run('go', { stream: true });
    assert.equal(result.text, 'The sum is three.');
    assert.deepEqual(result.parts, bare.parts, 'the stream has the same parts in the same order');
    assertSeen(result, 'c1', '3');
  },

  async 'streaming-deny'({ open, bridle }) {
    const rig = await open({
      policy: [bridle.deny('*', { reason: 'nothing' })],
      script: [calling(call('c1', 'add', { a: 1, b: 2 })), done],
    });
    const result = await rig.run('go', { stream: true });
    assert.deepEqual(rig.ran, []);
    assertSeen(result, 'c1', 'nothing');
  },

  async cancel({ open, bridle }) {
    const controller = new AbortController();
    const rig = await open({ policy: [bridle.allow('*')], script: [calling(call('c1', 'wait')), done] });
    rig.whenRun(() => controller.abort());
    await rig.run('go', { signal: controller.signal }).catch(() => undefined);
    const settled = await rig.until(() => rig.journal.find(({ call: id, kind }) => id === 'c1' && kind === 'settled'));
    assert.ok(['error', 'cancelled'].includes(settled.status), settled.status);
    assert.equal(rig.aborted, true, 'the tool saw the abort');
  },

  async 'time-limit'({ open, bridle }) {
    const rig = await open({
      policy: [bridle.allow('*')],
      options: { grant: { timeoutMs: 50 } },
      script: [calling(call('c1', 'wait')), done],
    });
    const result = await rig.run('go').catch((error) => ({ error }));
    assert.deepEqual(statuses(rig.journal, 'c1'), ['decided allowed', 'settled timeout']);
    if (result.error === undefined) assertSeen(result, 'c1', 'did not finish within 50 ms');
  },

  async budget({ open, bridle }) {
    const limit = bridle.preToolCall(
      async (_payload, ctx) => {
        const count = await ctx.session.update('calls', (before) => (before ?? 0) + 1);
        return count > 2 ? bridle.reject('Two calls are enough') : undefined;
      },
      { name: 'two-calls' },
    );
    const rig = await open({
      policy: [bridle.allow('*')],
      hooks: [limit],
      script: [one('c1'), one('c2'), done, one('c3'), done],
    });
    await rig.run('go');
    const result = await rig.run('and again');
    assert.equal(rig.ran.length, 2);
    assertSeen(result, 'c3', 'Two calls are enough');
  },

  async 'model-request'({ open, bridle }) {
    const seen = [];
    const rig = await open({
      policy: [bridle.allow('*')],
      hooks: [
        bridle.preLlmCall(
          (request) => {
            seen.push(request.tools.map(({ name }) => name).toSorted());
            const messages = request.messages.map((message) =>
              JSON.parse(JSON.stringify(message).replaceAll('secret', '******')),
            );
            return bridle.transform({ ...request, messages });
          },
          { name: 'redact' },
        ),
      ],
      script: [done],
    });
    const result = await rig.run('my secret');
    assert.equal(result.text, 'done');
    assert.ok(seen[0].includes('add'));
    const sent = JSON.stringify(rig.requests());
    assert.ok(sent.includes('******') && !sent.includes('secret'), `the model got ${sent}`);
  },

  async 'model-answer'({ open, bridle }) {
    const rig = await open({
      policy: [bridle.allow('*')],
      hooks: [
        bridle.postLlmCall(
          ({ response }) => bridle.transform({ ...response, text: response.text.replace('hunter2', '*****') }),
          { name: 'redact' },
        ),
      ],
      script: [{ text: 'The password is hunter2.' }, { text: 'The password is hunter2.' }],
    });
    assert.equal((await rig.run('go')).text, 'The password is *****.');
    const streamed = await rig.run('again', { stream: true });
    assert.equal(streamed.text, 'The password is *****.');
    assert.ok(!JSON.stringify(streamed.streamed ?? '').includes('hunter2'), 'no held text leaks');
  },

  async 'model-observed'({ open, bridle }) {
    const script = [calling(call('c1', 'add', { a: 1, b: 2 })), { text: 'The sum is three.' }];
    const bare = await (await open({ bare: true, script })).run('go', { stream: true });
    const rig = await open({
      policy: [bridle.allow('*')],
      hooks: [bridle.postLlmCall(() => undefined, { name: 'looks-on' })],
      script,
    });
    const result = await rig.run('go', { stream: true });
    assert.deepEqual(result.parts, bare.parts, 'a hook that changes nothing leaves the stream as it is');
  },

  async 'model-rejected'({ open, bridle }) {
    const rig = await open({
      policy: [bridle.allow('*')],
      hooks: [bridle.preLlmCall(() => bridle.reject('Not today'), { name: 'closed' })],
      script: [done],
    });
    const result = await rig.run('go').catch((error) => ({ text: String(error) }));
    assert.ok(result.text.includes('Not today'), result.text);
    assert.equal(rig.requests().length, 0, 'the model was not called');
  },

  async 'model-error'({ open, bridle }) {
    let attempts = 0;
    const rig = await open({
      policy: [bridle.allow('*')],
      hooks: [
        bridle.onLlmError(
          () => {
            attempts++;
            return bridle.retry();
          },
          { name: 'again' },
        ),
      ],
      script: [{ error: 'overloaded' }, done],
    });
    assert.equal((await rig.run('go')).text, 'done');
    assert.equal(attempts, 1);
  },

  async 'unreachable-hook'({ open, bridle, unreachable }) {
    const hook = { name: 'never_called', [unreachable]: () => undefined };
    await assert.rejects(
      async () => (await open({ policy: [bridle.allow('*')], hooks: [hook], script: [done] })).run('go'),
      (error) => /never_called/.test(messages(error)) && messages(error).includes(unreachable),
    );
  },

  async 'session-hooks'({ open, bridle }) {
    const events = [];
    const rig = await open({
      policy: [bridle.allow('*')],
      hooks: [
        bridle.onSessionStart(({ host }) => void events.push(`start ${host}`), { name: 's' }),
        bridle.onSessionEnd(() => void events.push('end'), { name: 'e' }),
      ],
      script: [calling(call('c1', 'add', { a: 1, b: 1 })), done],
    });
    await rig.run('go');
    await rig.guard.end();
    assert.deepEqual(events, [`start ${rig.framework}`, 'end']);
  },

  async mcp({ open, bridle }) {
    const rig = await open({
      policy: [
        bridle.allowMcp('files', ['read']),
        bridle.denyMcp('files', ['remove'], { reason: 'Keep it' }),
        bridle.allow('*'),
      ],
      mcp: true,
      script: (name) => [
        calling(call('c1', name('files', 'read'), { path: 'a' })),
        calling(call('c2', name('files', 'remove'), { path: 'a' })),
        done,
      ],
    });
    const result = await rig.run('go');
    assertSeen(result, 'c1', 'contents of a');
    assertSeen(result, 'c2', 'Keep it');
    assert.deepEqual(rig.mcpCalls(), ['read']);
    assert.deepEqual(
      rig.journal.filter(({ kind }) => kind === 'decided').map(({ server, tool }) => `${server}/${tool}`),
      ['files/read', 'files/remove'],
    );
  },

  async subagent({ open, bridle }) {
    const rig = await open({
      policy: [bridle.deny('send', { reason: 'not even a helper' }), bridle.allow('*')],
      subagent: true,
      // The main agent asks the helper, which calls a tool that is denied.
      script: (delegate) => [
        calling(delegate('d1', 'Write to Bob')),
        calling(call('c1', 'send', { to: 'bob' })),
        { text: 'I may not' },
        done,
      ],
    });
    await rig.run('go');
    assertNotRun(rig, 'send');
    const denied = rig.journal.find((entry) => entry.call === 'c1');
    assert.equal(denied?.status, 'denied');
    assert.equal(denied.agent.at(-1), 'helper', `agent path ${denied.agent}`);
  },

  async 'late-tool'({ open, bridle, lateWays }) {
    for (const late of lateWays) {
      const rig = await open({
        policy: [bridle.deny('late', { reason: 'too late' }), bridle.allow('*')],
        late,
        script: [calling(call('c1', 'late')), done],
      });
      const result = await rig.run('go').catch((error) => ({ error }));
      assertNotRun(rig, 'late');
      if (result.error !== undefined) assert.match(messages(result.error), /late/);
      else assertSeen(result, 'c1', 'too late');
    }
  },

  async 'provider-tool'({ open, bridle }) {
    await assert.rejects(
      async () => (await open({ policy: [bridle.allow('*')], providerTool: true, script: [done] })).run('go'),
      (error) => messages(error).includes('web_search'),
    );
  },

  async journal({ open, bridle, journal: { script, entries } }) {
    const rig = await open({ policy: [bridle.deny('send', { reason: 'no' }), bridle.allow('*')], script });
    await rig.run('go').catch(() => undefined);
    assert.deepEqual(rig.journal.map(comparable), entries);
  },

  async 'journal-fails'({ open, bridle }) {
    const journal = {
      append() {
        throw new Error('disk full');
      },
    };
    const rig = await open({
      policy: [bridle.allow('*')],
      options: { journal },
      script: [calling(call('c1', 'send', { to: 'b' })), done],
    });
    await rig.run('go').catch(() => undefined);
    assertNotRun(rig, 'send');
  },

  async 'durable-ask'({ processes }) {
    const paused = await processes.step('pause');
    assert.deepEqual(paused.ran, []);
    const early = await processes.step('resume', paused);
    assert.deepEqual(early.ran, [], 'without an answer in the store, the call does not run');
    await processes.step('approve');
    const resumed = await processes.step('resume', paused);
    assert.deepEqual(resumed.ran, [{ tool: 'send', args: { to: 'bob' } }]);
    assert.equal(resumed.text, 'done');
  },
};

/** What records of the same calls have in common in every framework, and in Bridle's own agent. */
function comparable({ kind, status, tool, call: id, turn, agent, args, requested, reason }) {
  return JSON.parse(JSON.stringify({ kind, status, tool, call: id, turn, agent, args, requested, reason }));
}

/** The messages of an error and its causes: frameworks wrap errors. */
function messages(error) {
  return error === undefined || error === null
    ? ''
    : `${error.message ?? error} ${messages(error.cause)} ${(error.errors ?? []).map(messages).join(' ')}`;
}

export { cases };
