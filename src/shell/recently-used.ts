/** A small cache of what was asked for lately: two generations, so that nothing is moved on the way. */

export class RecentlyUsed<Value> {
  private young = new Map<string, Value>();
  private old = new Map<string, Value>();
  private readonly limit: number;

  /** Keeps the last `limit` values, and up to as many before them. */
  constructor(limit: number) {
    this.limit = limit;
  }

  get(key: string): Value | undefined {
    const value = this.young.get(key);
    if (value !== undefined) return value;
    const older = this.old.get(key);
    if (older !== undefined) this.set(key, older);
    return older;
  }

  set(key: string, value: Value): void {
    if (this.young.size >= this.limit) {
      this.old = this.young;
      this.young = new Map();
    }
    this.young.set(key, value);
  }
}
