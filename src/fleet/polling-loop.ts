/** Repeats work after a pause or when woken. Errors are reported, and the work is tried again. */

import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../kernel/errors.ts';

export interface PollingLoopOptions {
  readonly work: () => Promise<void>;
  /** The pause between two rounds, with 20 % jitter so that workers don't synchronise. */
  readonly pauseMs: number;
  /** The shortest pause between two rounds, however often it is woken. */
  readonly minPauseMs: number;
  readonly onError: (message: string) => void;
}

export class PollingLoop {
  private readonly stopController = new AbortController();
  private pauseController = new AbortController();
  private isWoken = false;

  /**
   * Starts immediately. Waking only ends a pause: rounds stay in the async context that created the loop and never run in
   * the waker's context.
   */
  constructor(private readonly options: PollingLoopOptions) {
    void this.run();
  }

  wake(): void {
    this.isWoken = true;
    this.pauseController.abort();
  }

  /** A running round finishes and is the last one. */
  stop(): void {
    this.stopController.abort();
    this.pauseController.abort();
  }

  private async run(): Promise<void> {
    const { work, minPauseMs, pauseMs, onError } = this.options;
    const ending = this.stopController.signal;
    while (!ending.aborted) {
      this.isWoken = false;
      try {
        await work();
      } catch (error) {
        if (!ending.aborted) onError(messageOf(error));
      }
      await pause(withJitter(minPauseMs), ending);
      this.pauseController = new AbortController();
      if (!this.isWoken && !ending.aborted) await pause(withJitter(pauseMs), this.pauseController.signal);
    }
  }
}

function withJitter(ms: number): number {
  return ms * (0.8 + Math.random() * 0.4);
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  // An abort only ends the pause.
  await sleep(ms, undefined, { signal }).catch(() => undefined);
}
