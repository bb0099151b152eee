/** One Postgres server for a whole run of the tests, started when the first test asks for it and removed after the last. */

import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { startPostgres, type PostgresServer } from './launch.mjs';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Where test files ask for the server. */
    readonly postgresDoor: string;
  }
}

let folder: string | undefined;
let server: Promise<PostgresServer> | undefined;

/** Whoever connects is told the URL, or why there is none. */
const asked = createServer((socket) => {
  socket.on('error', () => undefined);
  server ??= startPostgres({ sync: false });
  server.then(
    ({ url }) => socket.end(JSON.stringify({ url })),
    (error: unknown) => socket.end(JSON.stringify({ error: String(error) })),
  );
});

export async function setup(project: TestProject): Promise<void> {
  folder = mkdtempSync(join(tmpdir(), 'bridle-door-'));
  const door = process.platform === 'win32' ? `\\\\.\\pipe\\bridle-${process.pid}` : join(folder, 'door');
  await listen(asked, door);
  project.provide('postgresDoor', door);
}

export async function teardown(): Promise<void> {
  asked.close();
  await server?.then(
    (started) => started.remove(),
    () => undefined,
  );
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
}

function listen(server: Server, door: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.on('error', reject);
    server.listen(door, resolve);
  });
}
