/** Reads lines from a file or a pipe in constant memory. Lines that are too long or not UTF-8 are reported, not thrown. */

import { isUtf8 } from 'node:buffer';

/** The longest line that is read as a call. */
export const maxCallLineBytes = 2 * 1024 * 1024;

export interface InputLine {
  /** Counted from 1. */
  readonly number: number;
  /** Without its line end; undefined if the line is invalid. */
  readonly text: string | undefined;
  /** Why the line is invalid. */
  readonly problem?: string | undefined;
}

/** Fills the buffer with the next bytes and returns their number; 0 at the end. */
export type ReadBytes = (into: Uint8Array) => number;

const newLine = 10;
const chunkBytes = 64 * 1024;

export class LineReader {
  private readonly chunk = Buffer.allocUnsafe(chunkBytes);
  /** The start of a line whose end has not been read yet. */
  private pending = Buffer.alloc(0);
  /** True while skipping the rest of a line that is too long. */
  private isSkipping = false;
  private count = 0;
  private hasEnded = false;

  constructor(
    private readonly read: ReadBytes,
    private readonly maxBytes: number,
  ) {}

  /** The next batch of lines; undefined at the end. */
  next(): readonly InputLine[] | undefined {
    while (!this.hasEnded) {
      const bytes = this.read(this.chunk);
      this.hasEnded = bytes === 0;
      const lines = this.hasEnded ? this.finish() : this.addBytes(this.chunk.subarray(0, bytes));
      if (lines.length > 0) return lines;
    }
    return undefined;
  }

  private addBytes(bytes: Buffer): readonly InputLine[] {
    const end = bytes.lastIndexOf(newLine);
    if (end === -1) {
      this.keepPending(bytes);
      return [];
    }
    const whole = this.join(bytes.subarray(0, end));
    const lines = this.split(whole);
    this.pending = Buffer.alloc(0);
    this.isSkipping = false;
    this.keepPending(bytes.subarray(end + 1));
    return lines;
  }

  private finish(): readonly InputLine[] {
    return this.pending.length === 0 && !this.isSkipping ? [] : this.split(this.pending);
  }

  private keepPending(bytes: Buffer): void {
    if (this.isSkipping) return;
    this.pending = Buffer.from(this.join(bytes));
    if (this.pending.length <= this.maxBytes + 1) return;
    this.isSkipping = true;
    this.pending = Buffer.alloc(0);
  }

  private join(bytes: Buffer): Buffer {
    return this.pending.length === 0 ? bytes : Buffer.concat([this.pending, bytes]);
  }

  private split(bytes: Buffer): readonly InputLine[] {
    const lines: InputLine[] = [];
    let from = 0;
    if (this.isSkipping) {
      lines.push(this.rejectLine(`is longer than ${this.maxBytes} bytes`));
      const end = bytes.indexOf(newLine);
      if (end === -1) return lines;
      from = end + 1;
    }
    // Fast path: the whole batch is valid UTF-8.
    const rest = bytes.subarray(from);
    const isBegun = this.count > 0 || !isUtf16(rest);
    if (isBegun && rest.length <= this.maxBytes && isUtf8(rest)) {
      for (const text of rest.toString('utf8').split('\n')) lines.push(this.line(text));
      return lines;
    }
    for (let end = 0; end !== -1; from = end + 1) {
      end = bytes.indexOf(newLine, from);
      lines.push(this.lineOf(bytes.subarray(from, end === -1 ? bytes.length : end)));
    }
    return lines;
  }

  private lineOf(bytes: Buffer): InputLine {
    const length = bytes.length - (bytes.at(-1) === 13 ? 1 : 0);
    if (length > this.maxBytes) return this.rejectLine(`is longer than ${this.maxBytes} bytes`);
    if (this.count === 0 && isUtf16(bytes)) return this.rejectLine('is UTF-16; save it as UTF-8');
    return isUtf8(bytes) ? this.line(bytes.toString('utf8')) : this.rejectLine('is not UTF-8');
  }

  private line(text: string): InputLine {
    const number = ++this.count;
    const begun = number === 1 && text.startsWith('\uFEFF') ? text.slice(1) : text;
    return { number, text: begun.endsWith('\r') ? begun.slice(0, -1) : begun };
  }

  private rejectLine(problem: string): InputLine {
    return { number: ++this.count, text: undefined, problem };
  }
}

/** True if the bytes look like UTF-16: they start with a byte order mark, or with an ASCII character and a zero byte. */
export function isUtf16(bytes: Uint8Array): boolean {
  const [first = 0, second = 0] = bytes;
  const isMarked = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  return isMarked || (bytes.length > 1 && (first === 0) !== (second === 0));
}
