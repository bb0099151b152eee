/** Hook processes as hosts start them: a project with a policy, a folder of Bridle, and recorded payloads. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { hosts } from '../../src/hosts/handler/hosts.ts';
import type { Host, HostName } from '../../src/hosts/host.ts';
import type { JsonObject } from '../../src/kernel/json.ts';
import { trustPolicy } from '../../src/policy-files/load/trust.ts';
import { readPolicyFiles } from '../../src/policy-files/read/read-policy-files.ts';
import { createApproverKey } from '../../src/store/keys/approver-keys.ts';
import { openStore } from '../../src/store/open-store.ts';
import type { Store } from '../../src/store/store.ts';
import { project as recordedProject, recordedEnv, recordedEvents } from '../hosts/recorded-events.ts';

const cli = join(import.meta.dirname, '../../dist/cli');

export interface HookResult {
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** Where a hook process starts. Default: in the project, with the recorded environment of the host. */
export interface HookPlace {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
}

/** The recorded event in which each host runs a shell command, before and after it. */
const shellEvents: Readonly<Record<HostName, readonly [before: string, after: string]>> = {
  claude: ['PreToolUse.Bash', 'PostToolUse.Bash'],
  codex: ['PreToolUse.Bash', 'PostToolUse.Bash'],
  gemini: ['BeforeTool.run_shell_command', 'AfterTool.run_shell_command'],
  copilot: ['preToolUse.bash', 'postToolUse.bash'],
  opencode: ['tool.execute.before.bash', 'tool.execute.after.bash'],
};

export const testedHosts: readonly Host[] = hosts;

export const plainPolicy = `version: 1
default: ask
rules:
  - allow: run_command
    name: echo
    when: runsOnly("echo", "ls")
  - deny: run_command
    name: no deleting
    reason: Move it to the trash instead.
    when: runs("rm")
  - allow: view_file
`;

export class HookRig {
  readonly folder = realpathSync(mkdtempSync(join(tmpdir(), 'bridle-hook-')));
  readonly project = join(this.folder, 'project');
  readonly home = join(this.folder, 'home', '.bridle');

  constructor() {
    mkdirSync(this.project, { recursive: true });
    mkdirSync(this.home, { recursive: true, mode: 0o700 });
    // Codex writes the startup files of the shell there when a session starts.
    const snapshots = join(this.folder, 'home', '.codex', 'shell_snapshots');
    mkdirSync(snapshots, { recursive: true });
    const { session_id: session } = this.payload('codex', '');
    writeFileSync(join(snapshots, `${session as string}.1.sh`), '');
  }

  /** Writes the policy of the project and trusts it. */
  policy(content: string): this {
    const file = join(this.project, 'bridle.yaml');
    writeFileSync(file, content);
    trustPolicy(this.home, readPolicyFiles(file, { cwd: this.project }), 0);
    return this;
  }

  /** A recorded payload of the host's shell tool, in this project and with this command. */
  payload(host: HostName, command: string, { after = false, id = 'call-1' } = {}): JsonObject {
    const name = shellEvents[host][after ? 1 : 0];
    const event = recordedEvents(host).find((each) => each.name === name);
    if (event === undefined) throw new Error(`${host} has no event ${name}`);
    const replaced = JSON.stringify(event.input.payload, (key, value: unknown) => {
      if (key === 'command') return command;
      if (key === 'tool_use_id' || key === 'callID') return id;
      return value;
    });
    return JSON.parse(replaced.replaceAll(recordedProject, this.project)) as JsonObject;
  }

  env(host: HostName): NodeJS.ProcessEnv {
    const env = JSON.stringify(recordedEnv(host)).replaceAll(recordedProject, this.project);
    const { PATH, NODE_V8_COVERAGE } = process.env;
    const home = join(this.folder, 'home');
    const own = { PATH, NODE_V8_COVERAGE, HOME: home, SHELL: '/bin/bash' };
    return { ...own, ...(JSON.parse(env) as NodeJS.ProcessEnv), CODEX_HOME: join(home, '.codex') };
  }

  start(
    host: HostName,
    flags: readonly string[] = [],
    { cwd = this.project, env = this.env(host) }: HookPlace = {},
  ): ChildProcess {
    const argv = [join(cli, 'hook.cjs'), ...hookArgs(host), '--home', this.home, ...flags];
    return spawn(process.execPath, argv, { cwd, env, timeout: 120_000 });
  }

  /** Like {@link hook}, below a process of the host. The host's descendants may not answer its questions. */
  async hookOfHost(host: HostName, input: JsonObject, flags: readonly string[] = []): Promise<HookResult> {
    const hook = [join(cli, 'hook.cjs'), ...hookArgs(host), '--home', this.home, ...flags];
    const argv = [join(import.meta.dirname, '../hooks/host.mjs'), ...hook];
    const child = spawn(process.execPath, argv, { cwd: this.project, env: this.env(host), timeout: 120_000 });
    child.stdin.end(JSON.stringify(input));
    return ended(child);
  }

  /** Runs a hook process with this input, or with a payload as JSON. */
  async hook(
    host: HostName,
    input: string | JsonObject,
    ...[flags, place]: [flags?: readonly string[], place?: HookPlace]
  ): Promise<HookResult> {
    const child = this.start(host, flags, place);
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(typeof input === 'string' ? input : JSON.stringify(input));
    return ended(child);
  }

  /**
   * A host runs the installed hook, and a command of its agent tries to approve the question, with an empty environment.
   * Returns the answer of the hook, and the exit code of the command.
   */
  async answeredByHost(
    host: HostName,
    input: JsonObject,
  ): Promise<{ readonly hook: HookResult; readonly approve: number }> {
    const folder = join(this.home, 'hosts', host);
    const wrapper = readdirSync(folder).find((name) => name.startsWith('hook')) ?? '';
    const argv = [
      join(import.meta.dirname, '../hooks/answering-host.mjs'),
      join(folder, wrapper),
      join(cli, 'main.cjs'),
    ];
    const child = spawn(process.execPath, argv, { cwd: this.project, env: this.env(host), timeout: 120_000 });
    child.stdin.end(JSON.stringify(input));
    const { stdout } = await ended(child);
    return JSON.parse(stdout) as { readonly hook: HookResult; readonly approve: number };
  }

  /** Runs the command line of Bridle in the project, as a person would. */
  async bridle(...args: readonly string[]): Promise<HookResult> {
    const env = { PATH: process.env['PATH'], HOME: join(this.folder, 'home'), NO_COLOR: '1' };
    const child = spawn(process.execPath, [join(cli, 'main.cjs'), ...args], { cwd: this.project, env });
    child.stdin?.end();
    return ended(child);
  }

  addPerson(name: string): void {
    createApproverKey({ folder: join(this.home, 'keys'), name });
  }

  async withStore<T>(work: (store: Store) => Promise<T>): Promise<T> {
    const store = await openStore({ at: join(this.project, '.bridle/store.db'), keys: join(this.home, 'keys') });
    try {
      return await work(store);
    } finally {
      await store.close();
    }
  }

  /** Kind and status of every record. */
  story(): Promise<readonly string[]> {
    return this.withStore(async ({ journal }) => {
      const lines: string[] = [];
      for await (const { text: line } of journal.read()) {
        const { kind, status } = JSON.parse(line) as { readonly kind: string; readonly status: string };
        lines.push(`${kind} ${status}`);
      }
      return lines;
    });
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** As for a measured version of the host. A later flag wins. */
export function hookArgs(name: HostName): readonly string[] {
  const [record] = hosts.find((host) => host.name === name)?.records ?? [];
  return ['--host', name, '--installed', record?.versions.to ?? ''];
}

export async function ended(child: ChildProcess): Promise<HookResult> {
  const { stdout, stderr } = child as Required<ChildProcess>;
  if (stdout === null || stderr === null) throw new Error('the process has no pipes');
  const [out, error, [code, signal]] = await Promise.all([text(stdout), text(stderr), once(child, 'close')]);
  return { stdout: out, stderr: error, code: code as number | null, signal: signal as NodeJS.Signals | null };
}

/** True if the host runs the call after this answer: it has exit code 0 and does not refuse. */
export function letsRun({ stdout, code }: HookResult): boolean {
  if (code !== 0) return false;
  const answer = JSON.parse(stdout) as JsonObject;
  return !/"(?:deny|block|ask|denied)"/.test(JSON.stringify(answer));
}
