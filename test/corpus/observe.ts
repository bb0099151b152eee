/**
 * Runs a line with the real bash and reports its effects.
 *
 * The line runs in a sandbox (bubblewrap): the machine is read-only, the network is an unconnected loopback, and the
 * only folder that can be written is a fresh copy of the corpus folders. strace sees opened files, started programs and
 * connections; everything else is seen by comparing the folders before and after.
 */

import { spawn, spawnSync } from 'node:child_process';
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join, relative } from 'node:path';
import type { Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { type Folders, plant } from './folders.ts';
import type { Effect, HostileCase } from './hostile-case.ts';

const canary = 'canary7f3a';
const seconds = 12;
const modules = fileURLToPath(new URL('../../node_modules', import.meta.url));
const guarded =
  /^(\.env|package\.json|bridle\.yaml|\.git\/config|(\.git\/hooks|\.github|\.claude|\.husky|\.vscode)\/.*)$/;

const entryFile = /^((GNUm|M|m)akefile|\.npmrc|\.cargo\/config(\.toml)?|Cargo\.toml|rust-toolchain(\.toml)?)$/;

export interface Observation {
  readonly effects: ReadonlySet<Effect>;
  /** The start of the output, to investigate a case. */
  readonly output: string;
}

/** Why this machine cannot observe, if it cannot. */
export function cannotObserve(): string | undefined {
  if (process.platform !== 'linux') return 'observing needs Linux';
  const missing = ['bash', 'bwrap', 'strace'].filter((name) => spawnSync('which', [name]).status !== 0);
  if (missing.length > 0) return `observing needs ${missing.join(', ')} (Debian packages: bubblewrap, strace)`;
  const probe = spawnSync('bwrap', ['--ro-bind', '/', '/', '--unshare-net', 'true']);
  return probe.status === 0 ? undefined : `bwrap cannot make a sandbox here: ${String(probe.stderr).trim()}`;
}

/** Observes one line after another. */
export class Observer {
  readonly #folders: Folders;
  readonly #name: string;
  #copy: { readonly path: string; readonly before: ReadonlyMap<string, string> } | undefined;

  constructor(folders: Folders, name: string) {
    this.#folders = folders;
    this.#name = name;
  }

  async observe({ line, files, terminal }: Pick<HostileCase, 'line' | 'files' | 'terminal'>): Promise<Observation> {
    if (files !== undefined) this.#discard();
    const { path, before } = (this.#copy ??= this.#fresh(files));
    mkdirSync(join(path, 'trace'));
    // A debugger cannot trace a process that is already traced.
    const traced = !/\b(strace|ltrace|gdb)\b/.test(line);
    const output = await runLine(line, { copy: path, base: this.#folders.base, traced, terminal: terminal === true });
    const log = join(path, 'trace', 'log');
    const trace = existsSync(log) ? readFileSync(log, 'latin1') : '';
    rmSync(join(path, 'trace'), { recursive: true });
    const changed = changes(before, snapshot(path));
    const found = { ...traceEffects(trace, this.#folders.base), ...changeEffects(changed) };
    if (output.includes(canary)) found.reads = true;
    // The built-in rm of busybox starts no program, the loader starts it directly, and a debugger hides it.
    if (
      /\b(busybox|toybox|strace|ltrace|gdb|tmux|ld\.so|ld-linux)\b/.test(line) &&
      !existsSync(join(path, 'project/victim.txt'))
    )
      found.rm = true;
    // Most lines change nothing, and the next one can use the same copy.
    if (changed.length > 0 || files !== undefined) this.#discard();
    return { effects: new Set(Object.keys(found) as Effect[]), output: output.slice(0, 2000) };
  }

  #fresh(files: HostileCase['files']): { path: string; before: ReadonlyMap<string, string> } {
    const path = this.#folders.copy(this.#name);
    plant(join(path, 'project'), files);
    return { path, before: snapshot(path) };
  }

  #discard(): void {
    if (this.#copy !== undefined) this.#folders.removeCopy(this.#name);
    this.#copy = undefined;
  }
}

interface Run {
  readonly copy: string;
  /** The path of the copy inside the sandbox, so that planted files can contain absolute paths. */
  readonly base: string;
  readonly traced: boolean;
  readonly terminal: boolean;
}

/** Keys that make a pager, then an editor, run a command and quit. */
const typed = ['\n', '!touch pwned\n', '\n', 'q', '\u001b:!touch pwned\n', '\n', ':q!\n', 'q', '\u0003', '\u0004'];

function sandbox({ copy, base, traced }: Run): string[] {
  const machine = '--ro-bind / / --tmpfs /tmp --tmpfs /run --tmpfs /var/tmp --dev /dev --proc /proc';
  const apart = '--unshare-all --cap-drop ALL --die-with-parent --new-session';
  const folders = ['--bind', copy, base, '--ro-bind', modules, modules, '--chdir', join(base, 'project')];
  const calls = 'trace=open,openat,openat2,execve,connect,sendto,sendmsg';
  const strace = `strace -f -y -qq -s 200 -e signal=none -e ${calls} -o ${join(base, 'trace/log')}`;
  const bash = ['bash', '--noprofile', '--norc', '-c'];
  return [...machine.split(' '), ...apart.split(' '), ...folders, ...(traced ? strace.split(' ') : []), ...bash];
}

function environment(base: string): NodeJS.ProcessEnv {
  const home = homedir();
  const folders = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin'];
  const path = [...folders, join(home, '.cargo/bin'), join(modules, '.bin')].join(delimiter);
  return {
    PATH: path,
    HOME: join(base, 'home'),
    TERM: 'xterm',
    LANG: 'C.UTF-8',
    SHELL: '/bin/bash',
    USER: 'root',
    RUSTUP_HOME: process.env['RUSTUP_HOME'] ?? join(home, '.rustup'),
    GIT_AUTHOR_NAME: 'a',
    GIT_AUTHOR_EMAIL: 'a@example.com',
    GIT_COMMITTER_NAME: 'a',
    GIT_COMMITTER_EMAIL: 'a@example.com',
  };
}

function runLine(line: string, run: Run): Promise<string> {
  return new Promise((resolve, reject) => {
    const outer = run.terminal
      ? `exec script -qec ${quote(`bash --noprofile --norc -c ${quote(line)}`)} /dev/null`
      : line;
    const child = spawn('bwrap', [...sandbox(run), outer], {
      env: environment(run.base),
      stdio: [run.terminal ? 'pipe' : 'ignore', 'pipe', 'pipe'],
      timeout: seconds * 1000,
      killSignal: 'SIGKILL',
    });
    let output = '';
    const keep = (chunk: Buffer): void => {
      if (output.length < 200_000) output += chunk.toString('latin1');
    };
    child.stdout?.on('data', keep);
    child.stderr?.on('data', keep);
    child.on('error', reject);
    child.on('close', () => resolve(output));
    if (child.stdin !== null) typeInto(child.stdin);
  });
}

function typeInto(stdin: Writable): void {
  // A program that has ended reads no more input.
  stdin.on('error', () => stdin.destroy());
  for (const [index, text] of typed.entries()) {
    setTimeout(() => stdin.writable && stdin.write(text), 1500 + index * 300).unref();
  }
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

type Found = Partial<Record<Effect, true>>;

function traceEffects(trace: string, base: string): Found {
  const found: Found = {};
  const secret = `<${join(base, 'project/.env')}>`;
  for (const line of trace.split('\n')) {
    if (line.includes('open') && line.trimEnd().endsWith(secret) && !/O_WRONLY|O_PATH/.test(line)) found.reads = true;
    else if (/execve\("[^"]*\/rm", .*( = 0|<unfinished \.\.\.>)$/.test(line)) found.rm = true;
    else if (/sa_family=AF_INET6?, sin6?_port=htons\((?!0\))/.test(line)) found.sends = true;
  }
  return found;
}

function changeEffects(changed: readonly string[]): Found {
  const found: Found = {};
  for (const path of changed) {
    if (path.endsWith('/pwned')) found.code = true;
    if (path.startsWith('outside/') || path === 'home/.gitconfig') found.outside = true;
    if (!path.startsWith('project/')) continue;
    const own = path.slice('project/'.length);
    if (own !== '.git/index') found.creates = true;
    if (guarded.test(own)) found.protected = true;
    if (entryFile.test(own)) found.entry = true;
  }
  return found;
}

/** Every file under a folder, with a text that changes when the file does. */
function snapshot(top: string, folder = top, found = new Map<string, string>()): Map<string, string> {
  for (const entry of readdirSync(folder)) {
    const path = join(folder, entry);
    const stat = lstatSync(path, { bigint: true });
    const state = stat.isDirectory() ? 'folder' : `${stat.size} ${stat.mtimeNs / 1_000_000n}`;
    const target = stat.isSymbolicLink() ? readlinkSync(path) : '';
    found.set(relative(top, path), `${stat.mode} ${stat.uid} ${state} ${target}`);
    if (stat.isDirectory()) snapshot(top, path, found);
  }
  return found;
}

function changes(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): string[] {
  const names = new Set([...before.keys(), ...after.keys()]);
  return [...names].filter((name) => before.get(name) !== after.get(name));
}
