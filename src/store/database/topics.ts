/**
 * The listeners of this process by topic. They are called in a microtask, so that their errors do not reach the writer.
 */

export class Topics {
  private readonly listeners = new Map<string, Set<() => void>>();

  /** Adds a listener. The returned function removes it. */
  add(topic: string, wake: () => void): () => void {
    const listener = () => wake();
    const listeners = this.listeners.get(topic) ?? new Set();
    this.listeners.set(topic, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.listeners.get(topic) === listeners) this.listeners.delete(topic);
    };
  }

  get isEmpty(): boolean {
    return this.listeners.size === 0;
  }

  names(): readonly string[] {
    return [...this.listeners.keys()];
  }

  wake(topic: string): void {
    for (const listener of this.listeners.get(topic) ?? []) queueMicrotask(listener);
  }

  wakeAll(): void {
    for (const topic of this.names()) this.wake(topic);
  }
}
