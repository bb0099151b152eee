/** Does something again and again, after a pause or when it is woken; what fails is told, and tried again. */

import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../errors.ts';

export interface LoopOrder {
  readonly work: () => Promise<void>;
  /** The time between two rounds; each one is up to a fifth longer or shorter, so that workers do not act as one. */
  readonly pauseMs: number;
  /** However often it is woken, this much time lies between two rounds. */
  readonly leastMs: number;
  readonly failed: (message: string) => void;
}

export class Loop {
  private readonly ending = new AbortController();
  private nap = new AbortController();
  private woken = false;

  /**
   * Begins at once. Whoever wakes it only ends a pause: its rounds stay in the asynchronous context it was made in,
   * and never become part of the work of who woke it.
   */
  constructor(private readonly order: LoopOrder) {
    void this.go();
  }

  wake(): void {
    this.woken = true;
    this.nap.abort();
  }

  /** A round that is under way goes on, and is the last one. */
  stop(): void {
    this.ending.abort();
    this.nap.abort();
  }

  private async go(): Promise<void> {
    const { work, leastMs, pauseMs, failed } = this.order;
    const ending = this.ending.signal;
    while (!ending.aborted) {
      this.woken = false;
      try {
        await work();
      } catch (error) {
        if (!ending.aborted) failed(messageOf(error));
      }
      await pause(varied(leastMs), ending);
      this.nap = new AbortController();
      if (!this.woken && !ending.aborted) await pause(varied(pauseMs), this.nap.signal);
    }
  }
}

function varied(ms: number): number {
  return ms * (0.8 + Math.random() * 0.4);
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  // An aborted pause has simply ended.
  await sleep(ms, undefined, { signal }).catch(() => undefined);
}
