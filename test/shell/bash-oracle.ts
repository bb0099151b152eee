/** Runs lines with the real bash in an empty folder, where every program only records that it was started. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, symlinkSync } from 'node:fs';
import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';

/** The result of running a line. */
export interface Outcome {
  readonly line: string;
  /** The programs that ran, each with its arguments. */
  readonly ran: readonly (readonly [name: string, ...args: string[]])[];
  /** The files that are there afterwards, relative to where the line started. */
  readonly made: readonly string[];
}

/** What a program does in addition to recording its start. Nothing here changes files outside its folder. */
const programs: Readonly<Record<string, string>> = {
  rm: '',
  ls: '',
  git: 'echo status',
  foo: 'exit 1',
  grep: 'exit 1',
  true: '',
  false: 'exit 1',
  echo: 'printf "%s\\n" "$*"',
  printf: 'command printf "$@"',
  // With an argument it could wait for a pipe that it keeps open itself.
  cat: `[ $# = 0 ] && ${real('cat')}`,
  sh: real('sh'),
  bash: real('bash'),
  env: real('env'),
  nice: real('nice'),
  nohup: real('nohup'),
  timeout: real('timeout'),
  stdbuf: real('stdbuf'),
  setsid: real('setsid'),
  xargs: real('xargs'),
  find: real('find'),
  busybox: 'exec "$@"',
};

export const bash = find('bash');

function find(name: string): string | undefined {
  return ['/bin', '/usr/bin'].map((folder) => join(folder, name)).find((path) => existsSync(path));
}

function real(name: string): string {
  const path = find(name);
  return path === undefined ? 'exit 127' : `exec ${path} "$@"`;
}

const endOfWord = '\u0001';
const endOfCommand = '\u0002';

/** Every line has a folder of its own: `work` to start in, `bin` where its programs are, and what they note in `log`. */
const driver = `
for slot in "$1"/slot*; do
  echo "$slot" >&3
  IFS= read -r -d '' line < "$slot/line"
  cd "$slot/work" && PATH="$slot/bin" ${bash} --noprofile --norc -c "$line"
done
`;

export class BashOracle {
  private readonly folder = realpathSync(mkdtempSync(join(tmpdir(), 'bridle-bash-')));
  private batches = 0;

  constructor() {
    const bin = join(this.folder, 'bin');
    mkdirSync(bin);
    for (const [name, does] of Object.entries(programs)) {
      const note = `printf '%s${endOfWord}' "\${0##*/}" "$@" '${endOfCommand}' >> "\${0%/bin/*}/log"`;
      writeFileSync(join(bin, name), `#!/bin/sh\n${note}\n${does}\n`);
      chmodSync(join(bin, name), 0o755);
    }
    writeFileSync(join(this.folder, 'driver'), driver);
  }

  remove(): void {
    rmSync(this.folder, { recursive: true });
  }

  /** Runs the lines one after another; rejects if they take longer than `limitMs`. */
  async run(lines: readonly string[], limitMs: number): Promise<readonly Outcome[]> {
    if (lines.length === 0) return [];
    this.batches += 1;
    const batch = join(this.folder, `batch${this.batches}`);
    lines.forEach((line, index) => this.prepare(join(batch, `slot${index}`), line));
    await this.drive(batch, limitMs);
    const outcomes = lines.map((line, index) => outcome(join(batch, `slot${index}`), line));
    rmSync(batch, { recursive: true });
    return outcomes;
  }

  private prepare(slot: string, line: string): void {
    mkdirSync(join(slot, 'work', 'sub'), { recursive: true });
    symlinkSync(join(this.folder, 'bin'), join(slot, 'bin'));
    writeFileSync(join(slot, 'work', 'in'), 'a\n');
    writeFileSync(join(slot, 'line'), `${line}\0`);
  }

  /** Finished when no process keeps the pipes open, including background processes. */
  private async drive(batch: string, limitMs: number): Promise<void> {
    const child = spawn(String(bash), ['--noprofile', '--norc', join(this.folder, 'driver'), batch], {
      cwd: batch,
      env: { PATH: join(this.folder, 'bin') },
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
      detached: true,
    });
    const timer = setTimeout(() => endGroup(child.pid), limitMs);
    let at = '';
    for (const stream of child.stdio) if (stream instanceof Readable) stream.resume();
    child.stdio[3]?.on('data', (chunk: Buffer) => (at = chunk.toString().trimEnd().split('\n').at(-1) ?? at));
    await once(child, 'close', { signal: AbortSignal.timeout(limitMs + 5000) });
    clearTimeout(timer);
    endGroup(child.pid);
    if (child.signalCode !== null)
      throw new Error(
        `It took longer than ${limitMs} ms, at last: ${readFileSync(join(at, 'line'), 'utf8').slice(0, -1)}`,
      );
  }
}

function endGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

function outcome(slot: string, line: string): Outcome {
  const log = join(slot, 'log');
  const commands = existsSync(log) ? readFileSync(log, 'utf8').split(`${endOfCommand}${endOfWord}`).slice(0, -1) : [];
  const made = readdirSync(join(slot, 'work'), { recursive: true }) as string[];
  return {
    line,
    ran: commands.map((command) => command.split(endOfWord).slice(0, -1) as [string, ...string[]]),
    made: made.filter((path) => path !== 'in' && path !== 'sub'),
  };
}
