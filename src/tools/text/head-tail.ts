import { trimPartialCharacters } from './text-file.ts';

/** Keeps the start and the end of a stream and counts the bytes in between. */
export class HeadTail {
  /** All bytes received. */
  total = 0;
  private head: Buffer[] = [];
  private headRoom: number;
  private tail: Buffer = Buffer.alloc(0);

  constructor(private readonly limit: number) {
    this.headRoom = Math.ceil(limit / 2);
  }

  add(chunk: Buffer): void {
    this.total += chunk.length;
    const first = chunk.subarray(0, this.headRoom);
    if (first.length > 0) this.head.push(Buffer.from(first));
    this.headRoom -= first.length;
    const rest = chunk.subarray(first.length);
    if (rest.length === 0) return;
    const most = Math.floor(this.limit / 2);
    // Copied: a slice would keep the whole chunk in memory.
    const joined = rest.length >= most ? rest : Buffer.concat([this.tail, rest]);
    this.tail = Buffer.from(joined.subarray(Math.max(0, joined.length - most)));
  }

  text(): string {
    const head = Buffer.concat(this.head);
    const missing = this.total - head.length - this.tail.length;
    if (missing === 0) return Buffer.concat([head, this.tail]).toString('utf8');
    const [start, end] = [
      trimPartialCharacters(head).toString('utf8'),
      trimPartialCharacters(this.tail).toString('utf8'),
    ];
    return `${start}\n… [cut: ${missing} bytes of ${this.total}] …\n${end}`;
  }
}
