/**
 * An MCP server in plain JSON-RPC that misbehaves as its scenario says: a JSON file, named as the first argument and
 * read at every start. The second argument, if any, is a file it writes what it hears to.
 */

import { spawn } from 'node:child_process';
import { appendFileSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const [, , scenarioFile, logFile] = process.argv;
const scenario = JSON.parse(readFileSync(scenarioFile, 'utf8'));
const anySchema = { type: 'object', properties: {} };
const actions = ['echo', 'die', 'hang', 'fail', 'refuse', 'answer', 'change', 'breed', 'babble', 'flood', 'env'];
let tools = scenario.tools ?? actions.map((name) => ({ name, description: `does ${name}`, inputSchema: anySchema }));

function send(message) {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
}

function say(id, text) {
  send({ id, result: { content: [{ type: 'text', text }] } });
}

const calls = {
  echo: (id, args) => say(id, JSON.stringify(args)),
  die: () => process.kill(process.pid, 'SIGKILL'),
  hang: () => undefined,
  fail: (id, { text }) => send({ id, result: { isError: true, content: [{ type: 'text', text }] } }),
  refuse: (id) => send({ id, error: { code: -32602, message: 'these arguments are not to my taste' } }),
  answer: (id, args) => send({ id, result: args }),
  change: (id, { times = 1 }) => {
    if (scenario.later !== undefined) tools = scenario.later;
    for (let i = 0; i < times; i++) send({ method: 'notifications/tools/list_changed' });
    say(id, 'changed');
  },
  breed: (id) => {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => undefined, 1000)'], { stdio: 'inherit' });
    say(id, String(child.pid));
  },
  babble: (id) => {
    process.stdout.write('starting up…\n{"jsonrpc":"1.0"}\n\u0000\n{broken\n[]\n');
    send({ id: 99_999, result: {} });
    say(id, 'after all that');
  },
  flood: () => {
    const block = 'x'.repeat(1 << 20);
    const pour = () => {
      while (process.stdout.write(block));
      process.stdout.once('drain', pour);
    };
    pour();
  },
  env: (id) => say(id, JSON.stringify(process.env)),
};

const methods = {
  'server/discover': (id) => {
    if (scenario.onDiscover === 'exit') process.exit(3);
    if (scenario.onDiscover !== 'hang') send({ id, error: { code: -32601, message: 'Method not found' } });
  },
  initialize: (id) => {
    if (scenario.onInitialize === 'hang') return;
    const capabilities = scenario.noTools ? {} : { tools: { listChanged: true } };
    send({ id, result: { protocolVersion: '2025-06-18', capabilities, serverInfo: { name: 'raw', version: '1' } } });
  },
  'tools/list': (id, { cursor }) => {
    if (scenario.onList === 'hang') return;
    if (scenario.onList === 'circle') return send({ id, result: { tools: [], nextCursor: 'again' } });
    if (scenario.onList === 'nonsense') return send({ id, result: { tools: 'none' } });
    const from = Number(cursor ?? 0);
    const size = scenario.pageSize ?? tools.length;
    const nextCursor = from + size < tools.length ? String(from + size) : undefined;
    send({ id, result: { tools: tools.slice(from, from + size), nextCursor } });
  },
  'tools/call': (id, { name, arguments: args }) => calls[name](id, args ?? {}),
};

if (logFile !== undefined) appendFileSync(logFile, `${JSON.stringify({ pid: process.pid })}\n`);
if (scenario.stderr !== undefined) process.stderr.write(scenario.stderr);
if (scenario.onStart === 'exit') process.exit(7);
if (scenario.stubborn) {
  process.on('SIGTERM', () => undefined);
  setInterval(() => undefined, 1000);
}
if (scenario.many !== undefined) {
  tools = Array.from({ length: scenario.many }, (_, i) => ({
    name: `tool_${i}`,
    description: `number ${i}`,
    inputSchema: anySchema,
  }));
}
createInterface({ input: process.stdin }).on('line', (line) => {
  const message = JSON.parse(line);
  if (logFile !== undefined) appendFileSync(logFile, `${line}\n`);
  methods[message.method]?.(message.id, message.params ?? {});
});
