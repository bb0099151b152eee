/** A real process that reads and prints lines, and can be killed or stopped at any moment. */

import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

export class Child {
  private readonly process: ChildProcessWithoutNullStreams;
  private readonly lines: AsyncIterator<string>;
  private readonly closed: Promise<unknown>;
  private errors = '';

  /** Runs a bundled program with these options as its one argument. */
  constructor(program: string, options: object) {
    this.process = spawn(process.execPath, [program, JSON.stringify(options)]);
    this.closed = once(this.process, 'close');
    this.process.stderr.setEncoding('utf8').on('data', (text: string) => (this.errors += text));
    // A killed process does not read.
    this.process.stdin.on('error', () => undefined);
    this.lines = createInterface({ input: this.process.stdout })[Symbol.asyncIterator]();
  }

  /** The next line. Throws an error with stderr if there is none. */
  async next(): Promise<string> {
    const { value, done } = (await this.lines.next()) as IteratorResult<string, undefined>;
    if (done === true) throw new RangeError(`the process has ended: ${this.errors}`);
    return value;
  }

  /** The next line as data. */
  async data<T>(): Promise<T> {
    return JSON.parse(await this.next()) as T;
  }

  say(line: string): void {
    this.process.stdin.write(`${line}\n`);
  }

  /** Wakes a stopped process. */
  wake(): void {
    this.process.kill('SIGCONT');
  }

  async kill(): Promise<void> {
    this.process.kill('SIGKILL');
    await this.closed;
  }

  /** Waits until it ends by itself, and returns its exit code. */
  async ended(): Promise<number | null> {
    this.process.stdin.end();
    await this.closed;
    if (this.process.exitCode !== 0) throw new RangeError(`exit code ${this.process.exitCode}: ${this.errors}`);
    return this.process.exitCode;
  }
}
