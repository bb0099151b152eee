/** Polls a SQLite file for commits of other processes: often after a change, less often while it is idle. */

const firstPauseMs = 10;
const longestPauseMs = 100;
const growth = 1.3;

export class FileWatch {
  private timer: NodeJS.Timeout | undefined;
  private pause = firstPauseMs;
  private last: number | undefined;

  constructor(
    /** A number that changes with every commit of another process; undefined if it cannot be read now. */
    private readonly version: () => number | undefined,
    private readonly changed: () => void,
  ) {}

  start(): void {
    if (this.timer !== undefined) return;
    this.last = this.version();
    this.pause = firstPauseMs;
    this.schedule();
  }

  stop(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  private schedule(): void {
    this.timer = setTimeout(() => this.poll(), this.pause);
  }

  private poll(): void {
    const version = this.version();
    const changed = version !== undefined && version !== this.last;
    if (version !== undefined) this.last = version;
    this.pause = changed ? firstPauseMs : Math.min(this.pause * growth, longestPauseMs);
    this.schedule();
    if (changed) this.changed();
  }
}
