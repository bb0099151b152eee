/** Does something again and again, after a pause or when it is woken; what fails is told, and tried again. */

import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../kernel/errors.ts';

export interface PollingLoopOptions {
  readonly work: () => Promise<void>;
  /** The time between two rounds; each one is up to a fifth longer or shorter, so that workers do not act as one. */
  readonly pauseMs: number;
  /** However often it is woken, this much time lies between two rounds. */
  readonly leastMs: number;
  readonly failed: (message: string) => void;
}

export class PollingLoop {
  private readonly stopController = new AbortController();
  private pauseController = new AbortController();
  private isWoken = false;

  /**
   * Begins at once. Whoever wakes it only ends a pause: its rounds stay in the asynchronous context it was made in,
   * and never become part of the work of who woke it.
   */
  constructor(private readonly order: PollingLoopOptions) {
    void this.run();
  }

  wake(): void {
    this.isWoken = true;
    this.pauseController.abort();
  }

  /** A round that is under way goes on, and is the last one. */
  stop(): void {
    this.stopController.abort();
    this.pauseController.abort();
  }

  private async run(): Promise<void> {
    const { work, leastMs, pauseMs, failed } = this.order;
    const ending = this.stopController.signal;
    while (!ending.aborted) {
      this.isWoken = false;
      try {
        await work();
      } catch (error) {
        if (!ending.aborted) failed(messageOf(error));
      }
      await pause(withJitter(leastMs), ending);
      this.pauseController = new AbortController();
      if (!this.isWoken && !ending.aborted) await pause(withJitter(pauseMs), this.pauseController.signal);
    }
  }
}

function withJitter(ms: number): number {
  return ms * (0.8 + Math.random() * 0.4);
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  // An aborted pause has simply ended.
  await sleep(ms, undefined, { signal }).catch(() => undefined);
}
