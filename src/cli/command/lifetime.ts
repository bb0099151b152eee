/** Ends a command early on a signal or a closed output. */

import { type ExitCode, exitCodes } from './exit-codes.ts';
import type { Streams } from '../../terminal/output/streams.ts';

export class Lifetime {
  private readonly controller = new AbortController();
  private endCode: ExitCode | undefined;
  private readonly undo: (() => void)[] = [];

  constructor({ stdout, stderr }: Streams) {
    this.on('SIGTERM', () => this.end(exitCodes.terminated));
    this.on('SIGHUP', () => this.end(exitCodes.hangup));
    // Never removed: every later write to a closed output fails again.
    for (const output of [stdout, stderr]) output.on('error', () => this.end(exitCodes.brokenPipe));
  }

  /** Aborted when the command must end. */
  get signal(): AbortSignal {
    return this.controller.signal;
  }

  get isOver(): boolean {
    return this.signal.aborted;
  }

  /** The exit code of the signal that ended the command, or else that of its work. */
  codeAfter(work: ExitCode): ExitCode {
    return this.endCode ?? work;
  }

  /** Cancels the work and lets the command shut down. */
  end(code?: ExitCode): void {
    this.endCode ??= code;
    this.controller.abort();
  }

  /** Exits without waiting for a clean shutdown; exit listeners still run and end child processes. */
  endNow(): never {
    process.exit(this.endCode ?? exitCodes.cancelled);
  }

  /** Called on SIGINT: Ctrl-C outside raw mode. */
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
