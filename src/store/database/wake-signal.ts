/** Wakes the one waiter, however often it is triggered. */
export class WakeSignal {
  private resolve: (() => void) | undefined;

  /** Resolves at the next `wake` after this call. */
  next(): Promise<void> {
    return new Promise((resolve) => {
      this.resolve = resolve;
    });
  }

  wake(): void {
    this.resolve?.();
  }
}
