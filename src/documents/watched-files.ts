import { type BigIntStats, statSync } from 'node:fs';

/** Tells whether any of some files is another one than when it was looked at before. */
export class WatchedFiles {
  private seen = '';

  constructor(private paths: readonly string[]) {
    this.seen = this.look();
  }

  /** From now on these are watched, as they are now. */
  watch(paths: readonly string[]): void {
    this.paths = paths;
    this.seen = this.look();
  }

  /** True once for each change. */
  haveChanged(): boolean {
    const now = this.look();
    if (now === this.seen) return false;
    this.seen = now;
    return true;
  }

  private look(): string {
    return this.paths.map((path) => printOf(statSync(path, { bigint: true, throwIfNoEntry: false }))).join(' ');
  }
}

function printOf(stats: BigIntStats | undefined): string {
  return stats === undefined ? 'none' : `${stats.dev}:${stats.ino}:${stats.size}:${stats.mtimeNs}:${stats.ctimeNs}`;
}
