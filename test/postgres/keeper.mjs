/** Keeps one Postgres server: starts and kills it as it is told, and takes it down when whoever started this is gone. */

import { spawn } from 'node:child_process';
import { chmodSync, chownSync, cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { preparePostgres, runAs } from './native.mjs';

const { sync = true, settings = {} } = JSON.parse(process.argv[2] ?? '{}');
const { programs, template } = preparePostgres();
const folder = mkdtempSync(join(tmpdir(), 'bridle-postgres-data-'));
const data = join(folder, 'data');
let port = 0;
let server;

// Ctrl-C reaches every process of a terminal: the one that started this decides.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => undefined);

process.on('message', (order) => void obey(order));
process.on('disconnect', () => void remove().then(() => process.exit(0)));

async function obey({ id, does }) {
  try {
    await orders[does]();
    process.send({ id, port });
  } catch (error) {
    process.send({ id, error: String(error) });
  }
}

const orders = {
  start: async () => {
    if (port === 0) {
      copyTemplate();
      port = await freePort();
    }
    await start();
  },
  /** Without a chance to write anything more. */
  kill: () => end('SIGKILL'),
  stop: () => end('SIGINT'),
  remove,
};

function copyTemplate() {
  cpSync(template, data, { recursive: true });
  chmodSync(data, 0o700);
  if (runAs.uid === undefined) return;
  chownSync(folder, runAs.uid, runAs.gid);
  chownSync(data, runAs.uid, runAs.gid);
  for (const name of readdirSync(data, { recursive: true })) chownSync(join(data, name), runAs.uid, runAs.gid);
}

/** What a killed server leaves behind dies within moments; until then the next one cannot start. */
async function start() {
  for (let left = 100; ; left--) {
    const failure = await tryStart();
    if (failure === undefined) return;
    if (left === 0 || !/still in use|already exists|Address already in use/.test(failure)) throw new Error(failure);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

function tryStart() {
  const all = {
    listen_addresses: '127.0.0.1',
    port,
    unix_socket_directories: '',
    fsync: sync ? 'on' : 'off',
    max_connections: 200,
    shared_buffers: '64MB',
    lc_messages: 'C',
    ...settings,
  };
  const options = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const child = spawn(join(programs, 'postgres'), ['-D', data, ...options], {
    ...runAs,
    cwd: folder,
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  server = child;
  return new Promise((resolve) => {
    let log = '';
    child.stderr.setEncoding('utf8').on('data', (text) => {
      log = (log + text).slice(-10_000);
      if (log.includes('ready to accept connections')) resolve(undefined);
    });
    child.on('error', (error) => resolve(String(error)));
    child.on('exit', () => resolve(`Postgres ended at once: ${log}`));
  });
}

function end(signal) {
  const child = server;
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    child.once('exit', () => resolve());
    child.kill(signal);
  });
}

async function remove() {
  const slow = setTimeout(() => void end('SIGKILL'), 5000);
  await end('SIGQUIT');
  clearTimeout(slow);
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
}

function freePort() {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.on('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const { port: free } = probe.address();
      probe.close(() => resolve(free));
    });
  });
}
