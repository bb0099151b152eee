/** Rung any number of times, heard once by whoever waits. */
export class WakeSignal {
  private resolve: (() => void) | undefined;

  /** Resolves when it is rung after this moment. */
  next(): Promise<void> {
    return new Promise((resolve) => {
      this.resolve = resolve;
    });
  }

  wake(): void {
    this.resolve?.();
  }
}
