/** Synchronous reads and writes on file descriptors. They block, so a slow reader or writer never fills memory. */

import { readSync, writeSync } from 'node:fs';
import type { ReadBytes } from './line-reader.ts';

export function readFrom(file: number): ReadBytes {
  return (into) => {
    for (;;) {
      try {
        return readSync(file, into, 0, into.length, null);
      } catch (error) {
        // On Windows, reading from a closed pipe throws.
        if (codeOf(error) === 'EOF') return 0;
        if (codeOf(error) !== 'EAGAIN') throw error;
        pause();
      }
    }
  };
}

/** Returns false if the reader has closed the pipe (EPIPE). */
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

/** For EAGAIN: another process that shares the pipe may have made it non-blocking. */
function pause(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2);
}

function codeOf(error: unknown): unknown {
  return (error as { readonly code?: unknown }).code;
}
