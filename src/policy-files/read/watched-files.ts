import { type BigIntStats, statSync } from 'node:fs';

/** A file, and its stamp from before it was read. */
export interface StampedFile {
  readonly path: string;
  readonly stamp: string;
}

/** Detects whether any of the files changed since it was read. */
export class WatchedFiles {
  /** The stamps when a change was last reported. */
  private lastReported: string | undefined;

  constructor(private files: readonly StampedFile[]) {}

  /** Replaces the watched files. */
  watch(files: readonly StampedFile[]): void {
    this.files = files;
    this.lastReported = undefined;
  }

  /** True once per change. */
  haveChanged(): boolean {
    const now = this.files.map(({ path }) => stampAt(path)).join(' ');
    if (now === (this.lastReported ?? this.files.map(({ stamp }) => stamp).join(' '))) return false;
    this.lastReported = now;
    return true;
  }
}

/** The file's current stamp, which changes with its contents. */
export function stampAt(path: string): string {
  return stampOf(statSync(path, { bigint: true, throwIfNoEntry: false }));
}

export function stampOf(stats: BigIntStats | undefined): string {
  return stats === undefined ? 'none' : `${stats.dev}:${stats.ino}:${stats.size}:${stats.mtimeNs}:${stats.ctimeNs}`;
}
