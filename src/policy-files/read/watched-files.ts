import { type BigIntStats, statSync } from 'node:fs';

/** A file, and what it looked like before it was read. */
export interface StampedFile {
  readonly path: string;
  readonly stamp: string;
}

/** Tells whether any of some files is another one than the one that was read. */
export class WatchedFiles {
  /** What it looked like when a change was told last. */
  private lastReported: string | undefined;

  constructor(private files: readonly StampedFile[]) {}

  /** From now on these are watched. */
  watch(files: readonly StampedFile[]): void {
    this.files = files;
    this.lastReported = undefined;
  }

  /** True once for each change. */
  haveChanged(): boolean {
    const now = this.files.map(({ path }) => stampAt(path)).join(' ');
    if (now === (this.lastReported ?? this.files.map(({ stamp }) => stamp).join(' '))) return false;
    this.lastReported = now;
    return true;
  }
}

/** What a file looks like now: another content looks different. */
export function stampAt(path: string): string {
  return stampOf(statSync(path, { bigint: true, throwIfNoEntry: false }));
}

export function stampOf(stats: BigIntStats | undefined): string {
  return stats === undefined ? 'none' : `${stats.dev}:${stats.ino}:${stats.size}:${stats.mtimeNs}:${stats.ctimeNs}`;
}
