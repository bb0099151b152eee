/**
 * A process that hosts agents and answers their questions, and others that try to answer in its place. The first
 * argument selects the role. Prints the result as one line of JSON.
 */

import { fork } from 'node:child_process';
import { sign } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { isMainThread, Worker, workerData } from 'node:worker_threads';
import { createAgent } from '../../dist/agent/index.js';
import { ask } from '../../dist/index.js';
import { signedText } from '../../dist/approvals/signing/signed-answer.js';
import { createApproverKey, openApproverKey, openStore, signAnswer } from '../../dist/store/index.js';
import { scriptedModel } from '../../dist/testing/index.js';
import { defineTool } from '../../dist/tools/index.js';

const order = isMainThread ? JSON.parse(process.argv[2]) : workerData;
const { role, at, keys } = order;
const store = await openStore({ at, keys, durability: 'process' });

function tell(value) {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}

/** The code and text of an error, or the value. */
async function tried(work) {
  try {
    return await work();
  } catch (error) {
    return `${error.code}: ${error.message}`;
  }
}

async function pending() {
  for (;;) {
    const [record] = await store.approvals.list({ state: 'pending' });
    if (record !== undefined) return record;
    await delay(10);
  }
}

/** Everything reachable from a value through fields, getters and prototypes. */
function reachable(start) {
  const seen = new Set();
  const queue = [start];
  for (let value = queue.pop(); value !== undefined || queue.length > 0; value = queue.pop()) {
    if ((typeof value !== 'object' && typeof value !== 'function') || value === null || seen.has(value)) continue;
    seen.add(value);
    for (const key of Reflect.ownKeys(value)) {
      try {
        queue.push(value[key]);
      } catch {
        // A getter that needs another receiver.
      }
    }
    queue.push(Object.getPrototypeOf(value));
  }
  return seen;
}

function callsOf(count) {
  return Array.from({ length: count }, (_, n) => ({ toolCalls: [{ tool: 'act', args: { n }, id: `c${n}` }] }));
}

function agentOf(count, more = {}) {
  return createAgent({
    model: scriptedModel([...callsOf(count), 'done']),
    capabilities: 'none',
    policy: ask('act', { reason: 'Act?' }),
    default: 'deny',
    telemetry: false,
    tools: [defineTool({ name: 'act', run: ({ n }) => ['ran', n] })],
    store,
    ...more,
  });
}

/** Another process of this file, or another thread of this one, that tries to answer an approval. */
async function other(as, id) {
  const options = { ...order, role: as, id, parent: undefined };
  if (as === 'thread') {
    const worker = new Worker(new URL(import.meta.url), { workerData: options });
    await once(worker, 'exit');
    return undefined;
  }
  const child = fork(import.meta.filename, [JSON.stringify(options)], { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
  const [said] = await once(child, 'message');
  await once(child, 'exit');
  return said;
}

async function host() {
  const ann = createApproverKey({ folder: keys, name: 'ann' });
  const openings = [];
  for (const key of [undefined, {}, { ...ann, id: '0'.repeat(16) }, { ...ann, name: 'bob' }]) {
    openings.push(await tried(() => store.openApprover(key).name));
  }
  const approver = store.openApprover(ann);
  const reached = { hook: false, tool: false, loop: false };
  const secret = new Set([approver, ...Object.values(approver), ann, ann.privateKey]);
  const look = (where, value) => {
    reached[where] ||= [...reachable(value)].some((each) => secret.has(each));
  };
  const tools = [
    defineTool({
      name: 'act',
      run: ({ n }, context) => {
        look('tool', context);
        return ['ran', n];
      },
    }),
  ];
  const loop = {
    name: 'looking',
    async run(handles) {
      look('loop', handles);
      for (;;) {
        const { toolCalls } = await handles.generate();
        if (toolCalls.length === 0) return;
        await handles.call(toolCalls);
      }
    },
  };
  const hooks = [{ name: 'look', preToolCall: (payload, context) => look('hook', [payload, context]) }];
  const agent = await agentOf(5, { tools, hooks, loop }).start();
  const turn = agent.chat('go');
  const said = {};

  const first = await pending();
  said.ordinary = await tried(() => signAnswer(ann, first, { type: 'approve' }));
  said.child = await other('child', first.id);
  said.late = await tried(() => store.openApprover(ann).name);
  said.answer = (await approver.answer(first.id, { type: 'approve' })).won;
  said.twice = (await approver.answer(first.id, { type: 'deny' })).won;
  await other('forger', (await pending()).id);
  await other('thread', (await pending()).id);
  said.denied = (await approver.answer((await pending()).id, { type: 'deny', reason: 'not this' })).record.state;
  const last = await pending();
  said.edited = (await approver.answer(last.id, { type: 'approve', args: { n: 9 } })).record.state;
  // The edit matches what was written, so nothing is asked again.
  const { toolCalls, text } = await turn;
  approver.close();
  said.closed = await tried(() => approver.answer(last.id, { type: 'approve' }));
  await agent.stop();
  const journal = [];
  for await (const { text: line } of store.journal.read()) {
    const { kind, status, approval } = JSON.parse(line);
    if (kind === 'decided' && approval?.by !== undefined) journal.push([status, approval.by, approval.place]);
  }
  const records = await store.approvals.list();
  tell({
    openings,
    said,
    reached,
    text,
    calls: toolCalls.map(({ id, outcome, reason }) => [id, outcome, reason]),
    journal,
    states: records.map(({ state }) => state).toReversed(),
  });
}

/** Answers its own question and exits before the run continues. */
async function leaving() {
  const approver = store.openApprover(createApproverKey({ folder: keys, name: 'ann' }));
  const agent = await agentOf(1).start();
  const { state } = await agent.run('go', { id: 'r1', hold: 'release' });
  const { won } = await approver.answer((await pending()).id, { type: 'approve' });
  tell({ state, won });
  process.kill(process.pid, 'SIGKILL');
}

async function resuming() {
  const agent = await agentOf(0).start();
  const { state, toolCalls } = await agent.resume('r1');
  tell({ state, calls: toolCalls.map(({ id, outcome }) => [id, outcome]) });
  await agent.stop();
}

/** Has the key and no session, so it may open an approver, but it may not answer its parent. */
async function child() {
  const approver = store.openApprover(openApproverKey({ folder: keys, name: 'ann' }));
  const said = await tried(async () => (await approver.answer(order.id, { type: 'approve' })).won);
  if (isMainThread) process.send(said);
}

/** Signs what the host process would sign, as far as it can. */
async function forger() {
  const ann = openApproverKey({ folder: keys, name: 'ann' });
  const { id: approval, digest, asker } = await store.approvals.find(order.id);
  const from = { ...asker, parents: [] };
  const unsigned = {
    answer: { type: 'approve' },
    approval,
    digest,
    by: 'ann',
    at: Date.now(),
    from,
    host: 'a'.repeat(64),
    key: ann.id,
  };
  const signature = sign(null, Buffer.from(signedText(unsigned)), ann.privateKey).toString('base64url');
  process.send(await tried(async () => (await store.approvals.answer({ ...unsigned, signature })).won));
}

await { host, leaving, resuming, child, thread: child, forger }[role]();
await store.close();
if (isMainThread) process.disconnect?.();
