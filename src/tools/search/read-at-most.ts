/** Reads a file whose size may be wrong: files in /proc have none, and others grow. */

import type { FileHandle } from 'node:fs/promises';

const chunkBytes = 256 * 1024;

/** The whole content; undefined if it is more than `maxBytes`. */
export async function readAtMost(
  file: FileHandle,
  maxBytes: number,
  signal?: AbortSignal,
): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  for (let length = 0; length <= maxBytes;) {
    signal?.throwIfAborted();
    const chunk = Buffer.allocUnsafe(Math.min(chunkBytes, maxBytes + 1 - length));
    const { bytesRead } = await file.read(chunk, 0, chunk.length, null);
    if (bytesRead === 0) return Buffer.concat(chunks, length);
    chunks.push(chunk.subarray(0, bytesRead));
    length += bytesRead;
  }
  return undefined;
}
