import { type BigIntStats, statSync } from 'node:fs';

/** A file, and what it looked like before it was read. */
export interface SeenFile {
  readonly path: string;
  readonly print: string;
}

/** Tells whether any of some files is another one than the one that was read. */
export class WatchedFiles {
  /** What it looked like when a change was told last. */
  private told: string | undefined;

  constructor(private files: readonly SeenFile[]) {}

  /** From now on these are watched. */
  watch(files: readonly SeenFile[]): void {
    this.files = files;
    this.told = undefined;
  }

  /** True once for each change. */
  haveChanged(): boolean {
    const now = this.files.map(({ path }) => printAt(path)).join(' ');
    if (now === (this.told ?? this.files.map(({ print }) => print).join(' '))) return false;
    this.told = now;
    return true;
  }
}

/** What a file looks like now: another content looks different. */
export function printAt(path: string): string {
  return printOf(statSync(path, { bigint: true, throwIfNoEntry: false }));
}

export function printOf(stats: BigIntStats | undefined): string {
  return stats === undefined ? 'none' : `${stats.dev}:${stats.ino}:${stats.size}:${stats.mtimeNs}:${stats.ctimeNs}`;
}
