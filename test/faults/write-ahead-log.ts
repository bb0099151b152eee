/** A naive reader of SQLite's write-ahead log: no checksums, no index, only frame positions and commits. */

/** One page as written by a transaction. */
export interface Frame {
  /** Its start and end offsets in the file. */
  readonly start: number;
  readonly end: number;
  /** Counted from 1. */
  readonly page: number;
  /** The page count of the database after this transaction; 0 if this is not its last frame. */
  readonly commit: number;
}

export const logHeaderBytes = 32;
export const frameHeaderBytes = 24;

function pageSizeOf(log: Buffer): number {
  return log.readUInt32BE(8);
}

/** All frames of a log that was never restarted. */
export function framesOf(log: Buffer): readonly Frame[] {
  const size = frameHeaderBytes + pageSizeOf(log);
  const count = Math.floor((log.length - logHeaderBytes) / size);
  return Array.from({ length: count }, (_, index) => {
    const start = logHeaderBytes + index * size;
    return { start, end: start + size, page: log.readUInt32BE(start), commit: log.readUInt32BE(start + 4) };
  });
}

/** The database, without a log, after every transaction whose last frame is complete before `cut`. */
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
  // Marked as a file without a log.
  made.writeUInt16BE(0x0101, 18);
  return made;
}
