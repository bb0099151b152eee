import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';

const data = mkdtempSync(join(tmpdir(), 'agent-server-'));
let server;
let address;
let headers;

before(async () => {
  const env = { ...process.env, PORT: '0', DATA: data };
  server = spawn(process.execPath, ['server.mjs'], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await once(createInterface({ input: server.stdout }), 'line');
  const url = new URL(line.replace('Open ', ''));
  address = url.origin;
  headers = { authorization: `Bearer ${url.hash.slice(1)}`, 'content-type': 'application/json' };
});

after(async () => {
  server.kill();
  await once(server, 'exit');
  rmSync(data, { recursive: true, force: true });
});

const post = (path, body) => fetch(address + path, { method: 'POST', headers, body: JSON.stringify(body) });

/** Starts a turn and waits for its question. */
async function ask() {
  const turn = post('/chat', { prompt: 'Tell Bob where his order is' }).then((response) => response.json());
  for (;;) {
    const [pending] = await (await fetch(`${address}/approvals`, { headers })).json();
    if (pending !== undefined) return { turn, pending };
    await delay(20);
  }
}

test('sends the mail after a person approved it', async () => {
  const { turn, pending } = await ask();
  assert.equal(pending.question, 'May the agent send this mail?');
  assert.match(pending.call, /send_mail[^]*bob@example\.com/);
  assert.deepEqual(await (await post(`/approvals/${pending.id}`, { approve: true })).json(), { counted: true });
  const { calls } = await turn;
  assert.deepEqual(calls, [
    { tool: 'find_customer', outcome: 'ok' },
    { tool: 'send_mail', outcome: 'ok' },
  ]);
});

test('does not send it after a person denied it', async () => {
  const { turn, pending } = await ask();
  await post(`/approvals/${pending.id}`, { approve: 'yes' }); // not true, so it means no
  assert.deepEqual((await turn).calls[1], { tool: 'send_mail', outcome: 'denied' });
  const later = await (await post(`/approvals/${pending.id}`, { approve: true })).json();
  assert.equal(later.counted, false);
});

test('answers nobody without the login', async () => {
  assert.equal((await fetch(`${address}/approvals`)).status, 401);
  assert.equal((await fetch(`${address}/approvals/x`, { method: 'POST' })).status, 401);
  assert.equal((await fetch(`${address}/chat`, { method: 'POST' })).status, 401);
  assert.equal((await post('/approvals/unknown', { approve: true })).status, 409);
});
