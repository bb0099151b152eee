/** Servers to test with: real ones, and ones that misbehave. Every connection and folder is gone after the test. */

import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { connectServer } from '../../src/mcp/connect-server.ts';
import type { ConnectOptions, McpConnection } from '../../src/mcp/mcp-connection.ts';
import { openPins } from '../../src/mcp/pins/pins.ts';
import type { HttpServerConfig, McpServerConfig, StdioServerConfig } from '../../src/mcp/protocol/server-config.ts';
import type { StandardSchema } from '../../src/kernel/tool.ts';

const require = createRequire(import.meta.url);
const everything = require.resolve('@modelcontextprotocol/server-everything/dist/index.js');
const filesystem = require.resolve('@modelcontextprotocol/server-filesystem/dist/index.js');

/** What `raw-server.mjs` is to do; see there. */
export interface Scenario {
  readonly [setting: string]: unknown;
}

export function tempFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'bridle-mcp-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export function here(file: string): string {
  return fileURLToPath(new URL(file, import.meta.url));
}

export function everythingServer(): StdioServerConfig {
  return { name: 'everything', command: process.execPath, args: [everything, 'stdio'] };
}

export function filesystemServer(...folders: readonly string[]): StdioServerConfig {
  return { name: 'files', command: process.execPath, args: [filesystem, ...folders] };
}

export function modernServer(): StdioServerConfig {
  return { name: 'modern', command: process.execPath, args: [here('modern-server.mjs')] };
}

interface Heard {
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly pid?: number;
}

export interface RawServer {
  readonly config: StdioServerConfig;
  /** What it does from its next start on. */
  readonly play: (scenario: Scenario) => void;
  /** The messages it has heard. */
  readonly heard: () => readonly Heard[];
  /** Its processes so far. */
  readonly pids: () => readonly number[];
}

export function rawServer(scenario: Scenario = {}): RawServer {
  const folder = tempFolder();
  const [file, log] = [join(folder, 'scenario.json'), join(folder, 'heard.log')];
  const play = (next: Scenario): void => writeFileSync(file, JSON.stringify(next));
  play(scenario);
  writeFileSync(log, '');
  const heard = (): readonly Heard[] =>
    readFileSync(log, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Heard);
  return {
    config: { name: 'raw', command: process.execPath, args: [here('raw-server.mjs'), file, log] },
    play,
    heard,
    pids: () => heard().flatMap(({ pid }) => pid ?? []),
  };
}

export interface HttpServer {
  readonly config: HttpServerConfig;
  /** With SIGKILL, at once. */
  readonly kill: () => Promise<void>;
}

export async function everythingOverHttp(port?: number): Promise<HttpServer> {
  const on = port ?? (await freePort());
  const child = spawn(process.execPath, [everything, 'streamableHttp'], {
    env: { ...process.env, PORT: String(on) },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL');
    await exited;
  };
  onTestFinished(kill);
  await new Promise<void>((resolve, reject) => {
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      if (text.includes('listening')) resolve();
    });
    void exited.then(() => reject(new Error('the HTTP server did not start')));
  });
  return { config: { name: 'web', url: `http://127.0.0.1:${on}/mcp` }, kill };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

export function anySchema(): StandardSchema {
  return { '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value }) } };
}

/** Connects with pins that last as long as the test, and closes after it. */
export async function connect(config: McpServerConfig, options: Partial<ConnectOptions> = {}): Promise<McpConnection> {
  const connection = await connectServer(config, { pins: openPins(), toSchema: anySchema, ...options });
  onTestFinished(() => connection.close());
  return connection;
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Waits until `check` holds; the test's own time limit ends it otherwise. */
export async function until(check: () => boolean): Promise<void> {
  while (!check()) await new Promise((resolve) => setTimeout(resolve, 10));
}
