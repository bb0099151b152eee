/** Shows the progress of a long operation on a terminal. */

import type { Streams } from './streams.ts';
import { writeTo } from '../../files/blocking-io.ts';

const stderr = 2;
const firstShownMs = 1_000;
const intervalMs = 200;

export class ProgressLine {
  private readonly isTerminal: boolean;
  private next = performance.now() + firstShownMs;
  private isShown = false;

  constructor({ stderr: output }: Streams) {
    this.isTerminal = output.isTTY;
  }

  /** Replaces the previous text. */
  show(text: () => string): void {
    if (!this.isTerminal || performance.now() < this.next) return;
    this.next = performance.now() + intervalMs;
    this.isShown = true;
    writeTo(stderr, `\r\u001B[K${text()}`);
  }

  /** Removes the line. */
  clear(): void {
    if (this.isShown) writeTo(stderr, '\r\u001B[K');
    this.isShown = false;
  }
}
