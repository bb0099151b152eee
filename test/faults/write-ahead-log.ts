/** SQLite's write-ahead log, read naively: no checksums, no index, only where frames are and which of them commit. */

/** One page as a transaction has left it. */
export interface Frame {
  /** Where it begins, and where it ends, in the file. */
  readonly start: number;
  readonly end: number;
  /** From 1 on. */
  readonly page: number;
  /** How many pages the database has after this transaction; 0 if it is not its last frame. */
  readonly commit: number;
}

export const logHeaderBytes = 32;
export const frameHeaderBytes = 24;

function pageSizeOf(log: Buffer): number {
  return log.readUInt32BE(8);
}

/** All frames of a log that was never begun anew. */
export function framesOf(log: Buffer): readonly Frame[] {
  const size = frameHeaderBytes + pageSizeOf(log);
  const count = Math.floor((log.length - logHeaderBytes) / size);
  return Array.from({ length: count }, (_, index) => {
    const start = logHeaderBytes + index * size;
    return { start, end: start + size, page: log.readUInt32BE(start), commit: log.readUInt32BE(start + 4) };
  });
}

/** A database with every transaction whose last frame is whole by `cut`, and without a log. */
export function withLog(database: Buffer, log: Buffer, cut: number): Buffer {
  const frames = framesOf(log).filter(({ end }) => end <= cut);
  const last = frames.findLastIndex(({ commit }) => commit > 0);
  const size = pageSizeOf(log);
  const pages = new Map<number, Buffer>();
  for (const { start, end, page } of frames.slice(0, last + 1))
    pages.set(page, log.subarray(start + frameHeaderBytes, end));
  const count = frames[last]?.commit ?? database.length / size;
  const whole = Array.from(
    { length: count },
    (_, index) => pages.get(index + 1) ?? database.subarray(index * size, (index + 1) * size),
  );
  const made = Buffer.concat(whole);
  // As a file that has no log beside it.
  made.writeUInt16BE(0x0101, 18);
  return made;
}
