/** Keeps a search without ripgrep within its time, lets other work of the process run meanwhile, and collects its notes. */

import { setImmediate as otherWork } from 'node:timers/promises';

const maxMs = 20_000;
/** After so long, the search gives way to other work: cancelling and timeouts are part of it. */
const pauseAfterMs = 10;

export class SearchLimits {
  private readonly reasons = new Set<string>();
  private readonly endsAt = performance.now() + maxMs;
  private pauseAt = performance.now() + pauseAfterMs;
  private isDone = false;

  constructor(private readonly signal: AbortSignal) {}

  get notes(): readonly string[] {
    return [...this.reasons];
  }

  note(reason: string): void {
    this.reasons.add(`[${reason}]`);
  }

  stop(): void {
    this.isDone = true;
  }

  /** Throws if the search was cancelled. */
  async isOver(): Promise<boolean> {
    if (performance.now() > this.pauseAt) {
      await otherWork();
      this.pauseAt = performance.now() + pauseAfterMs;
    }
    this.signal.throwIfAborted();
    if (!this.isDone && performance.now() > this.endsAt) {
      this.isDone = true;
      this.note(`stopped after ${maxMs / 1000} seconds: search a smaller folder, or install @vscode/ripgrep`);
    }
    return this.isDone;
  }
}
