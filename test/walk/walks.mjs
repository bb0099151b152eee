/** What is walked. Each walk prepares itself unrecorded and returns its parts, each with the files visited in order. */

import { fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { load } from './load.mjs';
import { startRecording, stopRecording } from './record.mjs';

const allowedCall = { tool: 'lookup', args: { path: 'a' } };

async function recorded(run) {
  startRecording();
  await run();
  return stopRecording();
}

async function chat(build) {
  const [{ createAgent }, { allow, denyAll }, { memoryJournal }, { scriptedModel }] = await load(build, [
    'agent',
    '',
    'journal',
    'testing',
  ]);
  const agent = createAgent({
    model: scriptedModel([{ toolCalls: [allowedCall] }, 'done'], { repeat: true }),
    tools: [{ name: 'lookup', run: () => 'found' }],
    hooks: [{ name: 'looks-on', preToolCall: () => undefined, postToolCall: () => undefined }],
    policy: [allow('lookup'), denyAll()],
    journal: memoryJournal(),
    capabilities: 'none',
    telemetry: false,
  });
  await agent.start();
  await agent.chat('Look it up.');
  const visited = await recorded(() => agent.chat('Look it up.'));
  await agent.stop();
  return { 'a turn with one tool call': visited };
}

async function guard(build) {
  const [{ allow, createGuard, denyAll }] = await load(build, ['']);
  const session = await createGuard({
    tools: [{ name: 'lookup' }],
    policy: [allow('lookup'), denyAll()],
    hooks: [{ name: 'looks-on', preToolCall: () => undefined }],
    journal: { append: () => undefined },
  }).start();
  const turn = session.turn();
  const call = () => turn.guard(allowedCall, { run: () => 'found' });
  await call();
  const visited = await recorded(call);
  await session.end();
  return { 'an allowed call': visited };
}

const policy = `version: 1
default: ask
workspaces: ['.']
rules:
  - forbid: '*'
    name: secrets
    when: reads("**/.env") || writes("**/.env")
  - allow: run_command
    when: runsOnly("npm test", "ls") && readsInside(".")
`;

/** The command in a process of its own, without its bundle and its caches. */
function check(build) {
  return inFolder((folder) => {
    const policyFile = join(folder, 'bridle.yaml');
    writeFileSync(policyFile, policy);
    const recorder = fileURLToPath(new URL('record.mjs', import.meta.url));
    const argv = ['--import', recorder, join(build, 'cli/main.js'), 'check', '--cwd', folder, '--policy', policyFile];
    const walkFile = join(folder, 'walk.json');
    const { status, stderr } = spawnSync(process.execPath, argv, {
      input: '{"tool":"run_command","args":{"command_line":"ls -la"}}\n',
      env: { ...process.env, BRIDLE_HOME: folder, WALK_FILE: walkFile },
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(`bridle check ended with ${status}: ${stderr}`);
    return { 'bridle check': JSON.parse(readFileSync(walkFile, 'utf8')) };
  });
}

/** An answer from the process that asked would not count, so the agent runs in another one. */
function approval(build) {
  return inFolder(async (folder) => {
    const [{ createApproverKey, openStore, signAnswer }] = await load(build, ['store']);
    const keys = join(folder, 'keys');
    const ann = createApproverKey({ folder: keys, name: 'ann' });
    const store = await openStore({ at: join(folder, 'store.db'), keys });
    const agent = fork(fileURLToPath(new URL('asking-agent.mjs', import.meta.url)), [build, folder]);
    const pending = await nextQuestion(store, agent);
    agent.send('asked');
    const [asking] = await once(agent, 'message');
    const continued = once(agent, 'message');
    const answering = await recorded(async () => {
      const question = await store.approvals.find(pending.id);
      await store.approvals.answer(signAnswer(ann, question, { type: 'approve' }));
    });
    const [continuing] = await continued;
    await once(agent, 'exit');
    await store.close();
    return { 'asked: stored, and waiting': asking, 'answered elsewhere': answering, 'answer arrives': continuing };
  });
}

async function nextQuestion(store, agent) {
  while (agent.exitCode === null) {
    const [pending] = await store.approvals.list({ state: 'pending' });
    if (pending !== undefined) return pending;
    await delay(20);
  }
  throw new Error(`the agent ended with ${agent.exitCode} before it asked`);
}

async function inFolder(run) {
  const folder = mkdtempSync(join(tmpdir(), 'bridle-walk-'));
  try {
    return await run(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** By name: what is walked, the most hops it may take, and whether files of `facts/` count. */
export const walks = {
  chat: { run: chat, most: 227, facts: true },
  guard: { run: guard, most: 40, facts: true },
  check: { run: check, most: 523, facts: false },
  approval: { run: approval, most: 740, facts: false },
};
