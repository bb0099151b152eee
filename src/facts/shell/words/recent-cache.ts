/** A small cache of recent values in two generations, so that a lookup never reorders entries. */

export class RecentCache<Value> {
  private recent = new Map<string, Value>();
  private older = new Map<string, Value>();
  private readonly limit: number;

  /** Keeps the last `limit` values, and up to as many older ones. */
  constructor(limit: number) {
    this.limit = limit;
  }

  get(key: string): Value | undefined {
    const value = this.recent.get(key);
    if (value !== undefined) return value;
    const previous = this.older.get(key);
    if (previous !== undefined) this.set(key, previous);
    return previous;
  }

  set(key: string, value: Value): void {
    if (this.recent.size >= this.limit) {
      this.older = this.recent;
      this.recent = new Map();
    }
    this.recent.set(key, value);
  }
}
