/** Reading and writing that waits: a reader or a writer that is slow holds everything up, so nothing piles up. */

import { readSync, writeSync } from 'node:fs';
import type { ReadBytes } from './line-reader.ts';

export function readFrom(file: number): ReadBytes {
  return (into) => {
    for (;;) {
      try {
        return readSync(file, into, 0, into.length, null);
      } catch (error) {
        // On Windows a pipe that was closed ends with an error.
        if (codeOf(error) === 'EOF') return 0;
        if (codeOf(error) !== 'EAGAIN') throw error;
        pause();
      }
    }
  };
}

/** False if nobody reads any more. */
export function writeTo(file: number, text: string): boolean {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length;) {
    try {
      at += writeSync(file, bytes, at);
    } catch (error) {
      if (codeOf(error) === 'EPIPE') return false;
      if (codeOf(error) !== 'EAGAIN') throw error;
      pause();
    }
  }
  return true;
}

/** Whoever shares the pipe may have made it one that does not wait. */
function pause(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2);
}

function codeOf(error: unknown): unknown {
  return (error as { readonly code?: unknown }).code;
}
