/** A child process in its own process group, so that it and everything it starts can be killed together. */

import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';

export interface SpawnCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string | undefined;
}

/** How long to wait for the child to exit after its stdin is closed, and again after SIGTERM. */
const exitGraceMs = 1000;
const tailChars = 4096;

const running = new Set<ChildProcessGroup>();

/** The groups are detached from the terminal, so they must be killed when this process exits without closing them. */
function killAll(): void {
  for (const group of running) group.signal('SIGKILL');
}

export class ChildProcessGroup {
  /** Resolves with the reason when the process has exited and its pipes are closed; never rejects. */
  readonly exited: Promise<string>;
  private readonly child: ChildProcessWithoutNullStreams;
  private tail = '';
  private exitText: string | undefined;

  constructor({ command, args, env, cwd }: SpawnCommand) {
    this.child = spawn(command, args, {
      env,
      cwd,
      stdio: 'pipe',
      detached: process.platform !== 'win32',
      shell: false,
    });
    this.child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.tail = (this.tail + text.slice(-tailChars)).slice(-tailChars);
    });
    // A broken pipe is reported by the exit of the process.
    for (const pipe of [this.child.stdout, this.child.stderr]) pipe.on('error', () => pipe.destroy());
    if (running.size === 0) process.on('exit', killAll);
    running.add(this);
    this.exited = new Promise((resolve) => {
      const settle = (how: string): void => {
        running.delete(this);
        if (running.size === 0) process.off('exit', killAll);
        for (const pipe of [this.child.stdin, this.child.stdout, this.child.stderr]) pipe.destroy();
        resolve(how);
      };
      this.child.on('error', (error) => {
        if (this.child.pid === undefined)
          settle(`could not be started${cwd === undefined ? '' : ` in ${cwd}`}: ${error.message}`);
      });
      this.child.once('exit', (code, signal) => {
        this.exitText = signal === null ? `exited with code ${code}` : `was killed by ${signal}`;
        // Its own children would keep the pipes open and survive.
        this.signal('SIGKILL');
        const late = setTimeout(() => settle(this.exitText ?? 'exited'), exitGraceMs);
        this.child.once('close', () => {
          clearTimeout(late);
          settle(this.exitText ?? 'exited');
        });
      });
    });
  }

  get pid(): number | undefined {
    return this.child.pid;
  }

  get stdin(): ChildProcessWithoutNullStreams['stdin'] {
    return this.child.stdin;
  }

  get stdout(): ChildProcessWithoutNullStreams['stdout'] {
    return this.child.stdout;
  }

  /** The last output on stderr. */
  get stderrTail(): string {
    return this.tail.trim();
  }

  /** Resolves when the process has started; rejects if it can't be. */
  started(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.child.once('spawn', resolve);
      this.child.once('error', reject);
    });
  }

  signal(signal: NodeJS.Signals): void {
    if (this.pid === undefined) return;
    try {
      process.kill(-this.pid, signal);
    } catch {
      // The group is empty, or the system has no process groups.
      this.child.kill(signal);
    }
  }

  /** Closes stdin, then sends SIGTERM, then SIGKILL. Resolves when the process has exited. */
  async terminate(): Promise<void> {
    this.child.stdin.end();
    if (await this.exitsWithin(exitGraceMs)) return;
    this.signal('SIGTERM');
    if (await this.exitsWithin(exitGraceMs)) return;
    this.signal('SIGKILL');
    await this.exited;
  }

  async exitsWithin(ms: number): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<boolean>((resolve) => {
      timer = setTimeout(() => resolve(false), ms);
    });
    const hasExited = await Promise.race([this.exited.then(() => true), late]);
    clearTimeout(timer);
    return hasExited;
  }
}
