import { setTimeout as delay } from 'node:timers/promises';

/** Wakes the one waiter, however often it is triggered. */
export class WakeSignal {
  private resolve: (() => void) | undefined;

  /** Resolves at the next `wake` after this call. */
  next(): Promise<void> {
    return new Promise((resolve) => {
      this.resolve = resolve;
    });
  }

  /** Resolves with `woken`, or after this time. */
  async within(ms: number, woken: Promise<void>): Promise<void> {
    const timer = new AbortController();
    const timeout = delay(Math.max(1, Math.ceil(ms)), undefined, { signal: timer.signal }).catch(() => undefined);
    await Promise.race([woken, timeout]);
    timer.abort();
  }

  wake(): void {
    this.resolve?.();
  }
}
