/** What a case can do: prepare a home and a project, install Bridle, run a session of a coding agent, look at the outcome. */

import { spawn } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { drivers } from './driver.mjs';
import { placeOfCall, startModel } from './model/server.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));
const bridleProgram = join(root, 'dist/cli/main.cjs');
const mcpServer = fileURLToPath(new URL('mcp-server.mjs', import.meta.url));
const sessionLimitMs = 60_000;

/** @typedef {{ status: number | null, stdout: string, stderr: string }} Ended */

export class Lab {
  /** @param {{ folder: string, host: string, clis: string, cache: string }} place */
  constructor({ folder, host, clis, cache }) {
    this.hostName = host;
    this.host = drivers[host];
    this.home = join(folder, 'home');
    this.project = join(folder, 'project');
    this.bin = join(folder, 'bin');
    this.program = this.host.program(clis);
    const server = [process.execPath, mcpServer, this.project];
    /** For the report of a failure. */
    this.sessions = [];
    this.place = { home: this.home, project: this.project, cache, server };
  }

  async open() {
    for (const folder of [this.home, this.project, this.bin]) mkdirSync(folder, { recursive: true });
    for (const [path, text] of Object.entries(this.host.files(this.place))) this.write(join(this.home, path), text);
    this.write(join(this.project, 'package.json'), '{ "name": "project", "private": true }\n');
    this.linkProgram();
    this.model = await startModel();
  }

  close() {
    this.model.close();
  }

  /** As a user has it: the coding agent can be started by its name. */
  linkProgram() {
    const path = join(this.bin, this.hostName);
    if (this.program.length === 1) symlinkSync(this.program[0], path);
    else this.write(path, `#!/bin/sh\nexec ${this.program.map((part) => `'${part}'`).join(' ')} "$@"\n`, 0o755);
  }

  write(path, text, mode = 0o644) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text, { mode });
  }

  /** Sessions start in this folder of the project from now on. */
  enter(folder) {
    this.project = join(this.project, folder);
    mkdirSync(this.project, { recursive: true });
  }

  /** Undefined if there is no such file. */
  read(path) {
    return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
  }

  /** @returns {Promise<Ended>} */
  start([program, ...args], { env = {}, limitMs = sessionLimitMs } = {}) {
    const path = `${this.bin}:${process.env.PATH}`;
    const child = spawn(program, args, {
      cwd: this.project,
      // opencode takes its folder from PWD.
      env: { ...process.env, PATH: path, PWD: this.project, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const ended = { stdout: '', stderr: '' };
    child.stdout.on('data', (text) => (ended.stdout += text));
    child.stderr.on('data', (text) => (ended.stderr += text));
    const timer = setTimeout(() => child.kill('SIGKILL'), limitMs);
    return new Promise((resolve, reject) => {
      child.on('error', reject);
      child.on('close', (status) => {
        clearTimeout(timer);
        resolve({ status, ...ended });
      });
    });
  }

  /** Runs a `bridle` command that must succeed. */
  async bridle(...args) {
    return this.bridleWith(process.execPath, ...args);
  }

  async bridleWith(node, ...args) {
    const ended = await this.start([node, bridleProgram, ...args], { env: this.host.env(this.place) });
    if (ended.status === 0) return ended.stdout;
    throw new Error(`bridle ${args.join(' ')} ended with ${ended.status}: ${ended.stdout}${ended.stderr}`);
  }

  /** A trusted policy of the project. `hooks` is a file with hooks. */
  async policy(rules, { hooks } = {}) {
    const lines = [
      'version: 1',
      ...(hooks === undefined ? [] : [`hooks: [${hooks}]`]),
      'servers: [lab]',
      'rules:',
      rules,
    ];
    this.write(join(this.project, 'bridle.yaml'), lines.join('\n'));
    await this.bridle('trust', '--yes');
  }

  install(...options) {
    return this.bridle('install', this.hostName, '--yes', ...options);
  }

  uninstall() {
    return this.bridle('uninstall', this.hostName, '--yes');
  }

  /** A copy of node that a case can remove. */
  ownNode() {
    const path = join(this.bin, 'node');
    copyFileSync(process.execPath, path);
    return path;
  }

  /** The path of the installed handler. */
  handler() {
    const found = filesUnder(join(this.home, '.bridle/handlers')).find((path) => path.endsWith(`${sep}hook.cjs`));
    if (found === undefined) throw new Error('bridle install has not copied a handler');
    return found;
  }

  /** The user's configuration of the host, by path: files that it had at first, and files that name Bridle. */
  configuration() {
    const paths = new Set(Object.keys(this.host.files(this.place)).map((path) => join(this.home, path)));
    const found = filesUnder(this.home).filter(
      (path) => !path.includes('.bridle') && (paths.has(path) || namesBridle(path)),
    );
    return Object.fromEntries(found.map((path) => [path, readFileSync(path, 'utf8')]));
  }

  /** Answers the next pending approval as a person in another terminal does: `approve` or `deny`. */
  async answerNext(answer) {
    for (let tries = 0; tries < 200; tries++) {
      const [pending] = await this.pendingApprovals();
      if (pending !== undefined) return this.bridle('approvals', answer, pending.id, '--yes');
      await sleep(100);
    }
    throw new Error('no approval was asked for');
  }

  async pendingApprovals() {
    const { status, stdout } = await this.start([process.execPath, bridleProgram, 'approvals', 'list', '--json']);
    return status === 0 ? JSON.parse(stdout).approvals : [];
  }

  /** The entries of the journal, oldest first. */
  async journal() {
    const lines = readJsonLines(await this.bridle('journal', 'export'));
    return lines.map(({ entry }) => entry).filter((entry) => entry !== undefined);
  }

  /** What happened to calls of a tool, such as `allowed ok` or `denied`, oldest first. */
  async outcomes(tool) {
    const calls = new Map();
    for (const entry of await this.journal()) {
      const name = entry.server === undefined ? entry.tool : `${entry.server}/${entry.tool}`;
      if (name !== tool || entry.kind === 'noted') continue;
      calls.set(entry.call, [...(calls.get(entry.call) ?? []), entry.status]);
    }
    return [...calls.values()].map((statuses) => statuses.join(' '));
  }

  /**
   * One run of the coding agent. `turns` are the answers of its model, `subagent` those of a subagent.
   *
   * @param {{ turns: import('./driver.mjs').Turn[], subagent?: import('./driver.mjs').Turn[], mode?: 'normal' | 'bypass' }} script
   */
  async session({ turns, subagent, mode = 'normal' }) {
    const scripts = [{ turns: [...turns, { text: 'Done.' }] }];
    if (subagent !== undefined) scripts.push({ prompt: subagentPrompt, turns: subagent });
    Object.assign(this.model, { scripts, requests: [] });
    const command = [...this.program, ...this.host.args('please do the task', mode)];
    const ended = await this.start(command, { env: this.host.env(this.place) });
    const session = { ...ended, told: toldTo(this.model.requests) };
    this.sessions.push(session);
    if (this.model.failure !== undefined) throw this.model.failure;
    return session;
  }

  exists(name) {
    return existsSync(join(this.project, name));
  }
}

function namesBridle(path) {
  return /\.(?:json|toml|js)$/.test(path) && readFileSync(path, 'utf8').includes('bridle');
}

function filesUnder(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .toSorted();
}

function readJsonLines(text) {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

/** Marks the prompt of a subagent. */
export const subagentPrompt = 'SUBAGENT-PART';

/** What the model was told: the result of each call, by agent and place, such as `main 0.1`. */
function toldTo(requests) {
  const told = {};
  for (const { agent, results } of requests) {
    for (const { id, text } of results)
      told[`${agent === subagentPrompt ? 'subagent' : agent} ${placeOfCall(id)}`] = text;
  }
  return told;
}
