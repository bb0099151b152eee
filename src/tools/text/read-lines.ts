/** Reads a range of lines from a file of any size, keeping only those lines in memory. */

/** Fills a buffer from a position and returns the number of bytes read; 0 at the end. */
export type ByteSource = (into: Buffer, position: number) => Promise<number>;

export interface RawLine {
  readonly number: number;
  /** The start of the line, without the line break; `length` is its full length. */
  readonly bytes: Buffer;
  readonly length: number;
}

const chunkBytes = 64 * 1024;

interface ReadOptions {
  /** Bytes kept per line. */
  readonly lineBytes: number;
  readonly signal: AbortSignal;
  /** The first line to return. Earlier lines are only counted. */
  readonly from: number;
}

/** Yields the lines from `from` on, even if the last has no line break. Returns the number of lines in the file. */
export async function* readLines(source: ByteSource, options: ReadOptions): AsyncGenerator<RawLine, number, undefined> {
  const { from, signal } = options;
  const line = new OpenLine(options.lineBytes);
  const chunk = Buffer.allocUnsafe(chunkBytes);
  let number = 1;
  let isOpen = false;
  for (let position = 0; ;) {
    signal.throwIfAborted();
    const bytesRead = await source(chunk, position);
    if (bytesRead === 0) break;
    position += bytesRead;
    let start = 0;
    for (let end = find(chunk, start, bytesRead); end !== -1; end = find(chunk, start, bytesRead)) {
      if (number >= from) {
        line.add(chunk.subarray(start, end));
        yield line.end(number);
      }
      number++;
      start = end + 1;
    }
    if (number >= from) line.add(chunk.subarray(start, bytesRead));
    isOpen = start < bytesRead;
  }
  if (isOpen && number >= from) yield line.end(number);
  return isOpen ? number : number - 1;
}

function find(chunk: Buffer, start: number, end: number): number {
  const at = chunk.indexOf(10, start);
  return at < end ? at : -1;
}

class OpenLine {
  length = 0;
  private kept: Buffer[] = [];
  private room: number;

  constructor(private readonly lineBytes: number) {
    this.room = lineBytes;
  }

  add(part: Buffer): void {
    this.length += part.length;
    if (this.room <= 0 || part.length === 0) return;
    const piece = Buffer.from(part.subarray(0, this.room));
    this.kept.push(piece);
    this.room -= piece.length;
  }

  end(number: number): RawLine {
    const line = { number, bytes: Buffer.concat(this.kept), length: this.length };
    this.length = 0;
    this.kept = [];
    this.room = this.lineBytes;
    return line;
  }
}
