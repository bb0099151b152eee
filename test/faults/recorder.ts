/** Children that record until they are killed, and the log of what was acknowledged to them. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';

export interface RecorderOptions {
  /** The options for `openStore`. */
  readonly at: string;
  readonly keys: string;
  /** The log file of the child. */
  readonly ledger: string;
  /** The unique id of the child. */
  readonly name: string;
  /** After a failed write: continue, or end after some more. Default: an error. */
  readonly onFailure?: 'go on' | 'end' | undefined;
  /** How large a file may become, in units of 1024 bytes. */
  readonly limit?: number | undefined;
}

/** The log of a child, by first word. */
export type Ledger = Readonly<Record<string, readonly string[]>>;

export class Recorder {
  private errors = '';
  private said = '';

  private constructor(
    private readonly child: ChildProcess,
    private readonly options: RecorderOptions,
  ) {
    child.stdout?.setEncoding('utf8').on('data', (text: string) => (this.said += text));
    child.stderr?.setEncoding('utf8').on('data', (text: string) => (this.errors += text));
  }

  /** Started, but idle. */
  static start(program: string, options: RecorderOptions): Recorder {
    const { limit } = options;
    const args = [process.execPath, program, JSON.stringify(options)];
    const limited = ['bash', '-c', `ulimit -S -f ${limit} && exec "$@"`, 'limited', ...args];
    const [command = '', ...rest] = limit === undefined ? args : limited;
    const child = spawn(command, rest, { stdio: ['pipe', 'pipe', 'pipe'] });
    child.stdin?.on('error', () => undefined);
    return new Recorder(child, options);
  }

  /** Lets it start. */
  async go(): Promise<void> {
    await this.until(() => this.said.includes('ready'));
    this.child.stdin?.write('go\n');
  }

  /** Waits until it has logged this many bytes. */
  async told(bytes: number): Promise<void> {
    await this.until(() => textOf(this.options.ledger).length >= bytes);
  }

  get name(): string {
    return this.options.name;
  }

  /** Waits until it has logged one more entry of a kind. */
  async tells(word: string): Promise<void> {
    const before = this.count(word);
    await this.until(() => this.count(word) > before);
  }

  private count(word: string): number {
    return this.ledger[word]?.length ?? 0;
  }

  /** Kills it at any point and returns its log. It is an error if the child ended by itself. */
  async kill(): Promise<Ledger> {
    if (this.child.exitCode !== null) throw new Error(`The child ended by itself: ${this.errors}`);
    this.child.kill('SIGKILL');
    const [code] = (await once(this.child, 'close')) as [number | null];
    if (code !== null) throw new Error(`The child ended by itself with ${code}: ${this.errors}`);
    return readLedger(this.options.ledger);
  }

  /** Waits until it ends by itself, and returns its log. */
  async ended(): Promise<Ledger> {
    if (this.child.exitCode === null) await once(this.child, 'close');
    if (this.child.exitCode !== 0) throw new Error(`The child failed: ${this.errors}`);
    return readLedger(this.options.ledger);
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  /** Its log so far. */
  get ledger(): Ledger {
    return readLedger(this.options.ledger);
  }

  private async until(done: () => boolean): Promise<void> {
    while (!done()) {
      if (this.child.exitCode !== null) throw new Error(`The child ended by itself: ${this.errors}`);
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  }
}

function readLedger(path: string): Ledger {
  const words: Record<string, string[]> = {};
  for (const line of textOf(path).split('\n').slice(0, -1)) {
    const [word = '', ...rest] = line.split(' ');
    (words[word] ??= []).push(rest.join(' '));
  }
  return words;
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // Killed before it created the file.
    return '';
  }
}
