import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';

const data = mkdtempSync(join(tmpdir(), 'agent-app-'));
let server;
let address;
let headers;

async function freePort() {
  const listener = createServer().listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const { port } = listener.address();
  listener.close();
  await once(listener, 'close');
  return String(port);
}

before(async () => {
  const env = { ...process.env, PORT: await freePort(), DATA: data };
  const next = ['node_modules/next/dist/bin/next', 'start', '-H', '127.0.0.1'];
  server = spawn(process.execPath, next, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  for await (const line of createInterface({ input: server.stdout })) {
    if (!line.startsWith('Open ')) continue;
    const url = new URL(line.replace('Open ', ''));
    address = url.origin;
    headers = { authorization: `Bearer ${url.hash.slice(1)}`, 'content-type': 'application/json' };
    break;
  }
  server.stdout.resume();
  assert.ok(address, 'the server did not start: run `npm run build` first');
  while (!(await fetch(address).catch(() => undefined))?.ok) await delay(50);
});

after(async () => {
  if (server.exitCode === null && server.kill()) await once(server, 'exit');
  rmSync(data, { recursive: true, force: true });
});

const post = (path, body) => fetch(address + path, { method: 'POST', headers, body: JSON.stringify(body) });

/** Starts a turn and waits for its question. */
async function ask() {
  const turn = post('/api/chat', { prompt: 'Tell Bob where his order is' }).then((response) => response.json());
  for (;;) {
    const [pending] = await (await fetch(`${address}/api/approvals`, { headers })).json();
    if (pending !== undefined) return { turn, pending };
    await delay(20);
  }
}

test('sends the mail after a person approved it', async () => {
  const { turn, pending } = await ask();
  assert.match(pending.call, /send_mail[^]*bob@example\.com/);
  assert.deepEqual(await (await post(`/api/approvals/${pending.id}`, { approve: true })).json(), { counted: true });
  assert.deepEqual((await turn).calls[1], { tool: 'send_mail', outcome: 'ok' });
});

test('does not send it after a person denied it', async () => {
  const { turn, pending } = await ask();
  await post(`/api/approvals/${pending.id}`, { approve: false });
  assert.deepEqual((await turn).calls[1], { tool: 'send_mail', outcome: 'denied' });
});

test('answers nobody without the login', async () => {
  assert.equal((await fetch(`${address}/api/approvals`)).status, 401);
  assert.equal((await fetch(`${address}/api/approvals/x`, { method: 'POST' })).status, 401);
  assert.equal((await fetch(`${address}/api/chat`, { method: 'POST' })).status, 401);
  assert.equal((await post('/api/approvals/unknown', { approve: true })).status, 409);
});
