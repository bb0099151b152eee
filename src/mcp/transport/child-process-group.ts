/** A child process with everything it starts: one process group, ended for sure. */

import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';

export interface SpawnCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string | undefined;
}

/** How long a child may take to leave by itself once its stdin has ended, and then after SIGTERM. */
const exitGraceMs = 1000;
const tailChars = 4096;

const running = new Set<ChildProcessGroup>();

/** The groups are not of the terminal's, so nothing else would end them if this process ends without closing. */
function killAll(): void {
  for (const group of running) group.signal('SIGKILL');
}

export class ChildProcessGroup {
  /** Settles when the process is gone and its pipes are closed; never rejects. */
  readonly gone: Promise<string>;
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
    // A pipe that breaks says nothing that the end of the process does not.
    for (const pipe of [this.child.stdout, this.child.stderr]) pipe.on('error', () => pipe.destroy());
    if (running.size === 0) process.on('exit', killAll);
    running.add(this);
    this.gone = new Promise((resolve) => {
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
        this.exitText = signal === null ? `ended with exit code ${code}` : `was ended by ${signal}`;
        // What it has started would hold its pipes open, and live on.
        this.signal('SIGKILL');
        const late = setTimeout(() => settle(this.exitText ?? 'ended'), exitGraceMs);
        this.child.once('close', () => {
          clearTimeout(late);
          settle(this.exitText ?? 'ended');
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

  /** The end of what it has written to stderr. */
  get stderrTail(): string {
    return this.tail.trim();
  }

  /** Settles when the process runs; rejects if it cannot be started. */
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
      // Nobody is left in the group, or the system knows no groups.
      this.child.kill(signal);
    }
  }

  /** Asks it to leave, then makes it. Settles when it is gone. */
  async terminate(): Promise<void> {
    this.child.stdin.end();
    if (await this.exitsWithin(exitGraceMs)) return;
    this.signal('SIGTERM');
    if (await this.exitsWithin(exitGraceMs)) return;
    this.signal('SIGKILL');
    await this.gone;
  }

  async exitsWithin(ms: number): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<boolean>((resolve) => {
      timer = setTimeout(() => resolve(false), ms);
    });
    const exited = await Promise.race([this.gone.then(() => true), late]);
    clearTimeout(timer);
    return exited;
  }
}
