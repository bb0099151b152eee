/** How long the command goes on: until it is done, or until a signal or a closed output ends it. */

import { type ExitCode, exitCodes } from './exit-codes.ts';
import type { Streams } from '../../terminal/output/streams.ts';

export class Lifetime {
  private readonly controller = new AbortController();
  private endCode: ExitCode | undefined;
  private readonly undo: (() => void)[] = [];

  constructor({ stdout, stderr }: Streams) {
    this.on('SIGTERM', () => this.end(exitCodes.terminated));
    this.on('SIGHUP', () => this.end(exitCodes.hangup));
    // Stays for good: whatever is still written to a closed output fails again.
    for (const output of [stdout, stderr]) output.on('error', () => this.end(exitCodes.brokenPipe));
  }

  /** Aborted when it is time to go. */
  get signal(): AbortSignal {
    return this.controller.signal;
  }

  get isOver(): boolean {
    return this.signal.aborted;
  }

  /** The exit code: what ended the command, else what came of its work. */
  codeAfter(work: ExitCode): ExitCode {
    return this.endCode ?? work;
  }

  /** Begins the end: what runs is cancelled, what is open is closed. */
  end(code?: ExitCode): void {
    this.endCode ??= code;
    this.controller.abort();
  }

  /** For who does not want to wait for a clean end; what was started is still ended. */
  endNow(): never {
    process.exit(this.endCode ?? exitCodes.cancelled);
  }

  /** Ctrl-C where the terminal makes a signal of it. */
  onInterrupt(interrupt: () => void): void {
    this.on('SIGINT', interrupt);
  }

  close(): void {
    for (const undo of this.undo) undo();
  }

  private on(signal: NodeJS.Signals, listener: () => void): void {
    process.on(signal, listener);
    this.undo.push(() => process.off(signal, listener));
  }
}
