import { Writable } from 'node:stream';
import type { WriteStream } from 'node:tty';

export type Tone = 'plain' | 'dim' | 'strong' | 'good' | 'bad' | 'warn';

/** Wraps text in the colour of its tone. */
export type Paint = (tone: Tone, text: string) => string;

const codes: Readonly<Record<Tone, readonly [on: number, off: number] | undefined>> = {
  plain: undefined,
  dim: [2, 22],
  strong: [1, 22],
  good: [32, 39],
  bad: [31, 39],
  warn: [33, 39],
};

export function paintWith(colours: boolean): Paint {
  return (tone, text) => {
    const code = colours ? codes[tone] : undefined;
    return code === undefined || text === '' ? text : `\u001B[${code[0]}m${text}\u001B[${code[1]}m`;
  };
}

// oxlint-disable-next-line no-control-regex -- colours are control sequences
const colour = /\u001B\[[\d;]*m/g;

/** Strips colours from what is written to a terminal: the dialog library always prints them. */
export class ColourlessTerminal extends Writable {
  readonly isTTY = true;

  constructor(private readonly terminal: WriteStream) {
    super({ decodeStrings: false });
  }

  get columns(): number {
    return this.terminal.columns;
  }

  get rows(): number {
    return this.terminal.rows;
  }

  override _write(chunk: string | Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.terminal.write(String(chunk).replaceAll(colour, ''));
    done();
  }
}
