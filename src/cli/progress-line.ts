/** Tells a person at a terminal how far something is that takes long. */

import type { Streams } from './streams.ts';
import { writeTo } from './sync-io.ts';

const stderr = 2;
const patienceMs = 1_000;
const pauseMs = 200;

export class ProgressLine {
  private readonly isSeen: boolean;
  private next = performance.now() + patienceMs;
  private isShown = false;

  constructor({ stderr: output }: Streams) {
    this.isSeen = output.isTTY;
  }

  /** Shown over what it showed before. */
  tell(text: () => string): void {
    if (!this.isSeen || performance.now() < this.next) return;
    this.next = performance.now() + pauseMs;
    this.isShown = true;
    writeTo(stderr, `\r\u001B[K${text()}`);
  }

  /** Leaves no trace. */
  clear(): void {
    if (this.isShown) writeTo(stderr, '\r\u001B[K');
    this.isShown = false;
  }
}
