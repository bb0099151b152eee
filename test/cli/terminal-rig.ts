/** The command in a real pseudo-terminal: what a person would see, and the keys they would press. */

import { stripVTControlCharacters } from 'node:util';
import { join } from 'node:path';
import type * as Pty from '@lydell/node-pty';
import { root } from '../source.ts';

type NodePty = typeof Pty;

const loaded = await import('@lydell/node-pty').then(
  (pty): NodePty => pty,
  (error: unknown) => String(error),
);

/** Why there are no pseudo-terminals here; undefined if there are. */
export const noTerminals = typeof loaded === 'string' ? loaded : undefined;

export const keys = {
  enter: '\r',
  up: '\u001B[A',
  down: '\u001B[B',
  home: '\u001B[H',
  escape: '\u001B',
  ctrlC: '\u0003',
  ctrlD: '\u0004',
  ctrlU: '\u0015',
} as const;

const patienceMs = 15_000;

export const main = join(root, 'dist/cli/main.cjs');

export interface TerminalOptions {
  readonly cwd: string;
  readonly args?: readonly string[];
  /** What runs instead of the command itself. */
  readonly program?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Default: 160 columns and 50 rows. */
  readonly columns?: number;
  readonly rows?: number;
  /** Called with everything that reaches the terminal. */
  readonly onData?: (data: string) => void;
}

export class Terminal {
  /** Everything that reached the terminal, as it came. */
  raw = '';
  readonly ended: Promise<number>;
  readonly pid: number;
  private seen = 0;
  private over = false;
  private wake: (() => void) | undefined;
  private readonly pty: ReturnType<NodePty['spawn']>;

  constructor(options: TerminalOptions) {
    const { cwd, args = ['chat'], program = main, env = {}, columns: cols = 160, rows = 50 } = options;
    if (typeof loaded === 'string') throw new Error(loaded);
    const inherited = { PATH: process.env['PATH'] ?? '', HOME: cwd, TERM: 'xterm-256color', LANG: 'C.UTF-8' };
    this.pty = loaded.spawn(process.execPath, [program, ...args], {
      cwd,
      cols,
      rows,
      env: { ...inherited, ...env },
    });
    this.pid = this.pty.pid;
    this.pty.onData((data) => {
      this.raw += data;
      options.onData?.(data);
      this.wake?.();
    });
    this.ended = new Promise((resolve) => {
      this.pty.onExit(({ exitCode, signal }) => {
        this.over = true;
        this.wake?.();
        resolve(exitCode === 0 && signal ? 128 + signal : exitCode);
      });
    });
  }

  /** What a person reads, without colours and cursor movements. */
  get text(): string {
    return stripVTControlCharacters(this.raw);
  }

  /** Waits until `wanted` appears after what was waited for before, and gives the text up to its end. */
  async see(wanted: string): Promise<string> {
    const until = Date.now() + patienceMs;
    for (;;) {
      const at = this.text.indexOf(wanted, this.seen);
      if (at >= 0) {
        const from = this.seen;
        this.seen = at + wanted.length;
        return this.text.slice(from, this.seen);
      }
      if (this.over || Date.now() > until) {
        throw new Error(`${JSON.stringify(wanted)} did not appear; since then: ${this.text.slice(this.seen)}`);
      }
      await new Promise<void>((resolve) => {
        this.wake = resolve;
        setTimeout(resolve, 100);
      });
    }
  }

  press(...typed: readonly string[]): void {
    this.pty.write(typed.join(''));
  }

  /** Waits for the prompt line, then sends a line. */
  async say(line: string): Promise<void> {
    await this.see('\n> ');
    this.press(line, keys.enter);
  }

  resize(columns: number, rows: number): void {
    this.pty.resize(columns, rows);
  }

  signal(name: string): void {
    this.pty.kill(name);
  }

  /** Ends the command if it still runs. */
  async close(): Promise<void> {
    if (!this.over) this.pty.kill('SIGKILL');
    await this.ended;
  }
}
