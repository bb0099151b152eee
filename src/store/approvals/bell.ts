/** Rung any number of times, heard once by whoever waits. */
export class Bell {
  private wake: (() => void) | undefined;

  /** Resolves when it is rung after this moment. */
  next(): Promise<void> {
    return new Promise((resolve) => {
      this.wake = resolve;
    });
  }

  ring(): void {
    this.wake?.();
  }
}
