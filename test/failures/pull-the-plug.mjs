/**
 * An agent of the built package whose plug is pulled as the first argument says. The program must then end by itself:
 * there is no `process.exit`. The second argument is an MCP server, the third a folder for what commands have to tell.
 */

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { allowAll, ask } from '../../dist/index.js';
import { createAgent, every, fileSessions, onFileChange } from '../../dist/agent/index.js';
import { scriptedModel } from '../../dist/testing/index.js';

const [, , what, server, folder] = process.argv;

/** Writes down its process group, and does not want to end. */
function command(name) {
  const file = join(folder, `${name}.pid`);
  return {
    tool: 'run_command',
    args: { command_line: `echo $$ > ${file}; sleep 987 & (trap "" TERM; sleep 987); wait` },
  };
}

const create = { tool: 'create_file', args: { file_path: 'never', contents: 'x' } };
const delegate = { tool: 'start_subagent', args: { agent: 'child', prompt: 'x' } };
const answers = {
  command: { toolCalls: [command('command')] },
  server: { toolCalls: [{ tool: 'mcp_raw_hang', args: {} }] },
  model: { hang: true },
  sentence: { text: 'I was about to say', hang: true },
  approver: { toolCalls: [create] },
  subagent: { toolCalls: [delegate] },
};
const model = scriptedModel([({ prompt }) => answers[prompt.at(-1).content[0].text] ?? 'fine'], { repeat: true });
const told = [];

function agentOf(more = {}) {
  return createAgent({
    model,
    policy: [ask('create_file'), allowAll()],
    approver: () => new Promise(() => undefined),
    mcpServers: [JSON.parse(server)],
    pins: false,
    cwd: folder,
    session: { id: 'plug', store: fileSessions(join(folder, 'sessions')) },
    triggers: [every(3_600_000, 'tick'), onFileChange(folder, () => undefined)],
    subagents: { child: { model: scriptedModel([{ toolCalls: [command('subagent')] }]), capabilities: 'all' } },
    hooks: [{ name: 'watch', onEvent: (event) => void told.push(event) }],
    ...more,
  });
}

function groups() {
  const files = readdirSync(folder).filter((file) => file.endsWith('.pid'));
  return files.map((file) => Number(readFileSync(join(folder, file), 'utf8'))).filter((pid) => pid > 0);
}

const endOf = (turn) =>
  turn.then(
    ({ stopReason }) => stopReason,
    ({ code }) => code,
  );

const count = (type) => told.filter((event) => event.type === type).length;

const plugs = {
  /** One session in the middle of each thing, and the agent is stopped. */
  async everything() {
    const agent = agentOf();
    await agent.start();
    const sessions = await Promise.all(Object.keys(answers).map((id) => agent.open({ id })));
    const turns = sessions.map((session) => endOf(session.chat(session.id)));
    const waiting = endOf(sessions[0].chat('never begins'));
    while (groups().length < 2 || count('tool_asked') < 1 || count('tool_started') < 4) await sleep(5);
    await agent.stop();
    return [...(await Promise.all(turns)), await waiting];
  },
  async cancel() {
    const agent = agentOf();
    await agent.start();
    const turn = endOf(agent.chat('command'));
    while (groups().length < 1) await sleep(5);
    agent.cancel();
    const ends = [await turn, (await agent.chat('next')).text];
    await agent.stop();
    return ends;
  },
  async start() {
    const agent = agentOf({ mcpServers: [JSON.parse(server), { name: 'broken', command: '/no/such/command' }] });
    return [await endOf(agent.start())];
  },
};

// The program's own pipes are handles too, from when they are first used.
process.stdout.write('');
process.stderr.write('');
const before = process.getActiveResourcesInfo();

function left() {
  const handles = process.getActiveResourcesInfo();
  for (const handle of before) if (handles.includes(handle)) handles.splice(handles.indexOf(handle), 1);
  return handles.filter((handle) => /Process|Pipe|Timeout|TCP|FSEvent/.test(handle));
}

const outcome = await plugs[what]();
// A command that does not want to end is given two seconds.
for (let tries = 0; tries < 50 && left().length > 0; tries++) await sleep(100);
const unsaved = !existsSync(join(folder, 'sessions')) && what === 'cancel';
process.stdout.write(JSON.stringify({ outcome, handles: left(), groups: groups(), unsaved }));
