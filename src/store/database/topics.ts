/** Who waits for what in this process. Listeners are called a moment later, so that what they throw is their own. */

export class Topics {
  private readonly listeners = new Map<string, Set<() => void>>();

  /** Adds a listener; the returned function takes it away again. */
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
