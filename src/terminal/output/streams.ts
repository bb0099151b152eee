import type { ReadStream, WriteStream } from 'node:tty';

/** What the command reads and writes. */
export interface Streams {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
}

export interface TerminalStreams {
  readonly input: ReadStream;
  readonly output: WriteStream;
}

/** The terminal, if a person sits at both ends of it. */
export function terminalOf({ stdin, stdout }: Streams): TerminalStreams | undefined {
  return stdin.isTTY && stdout.isTTY ? { input: stdin, output: stdout } : undefined;
}

/** Resolves when everything written so far has got out, or never will. */
export function untilFlushed(output: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => void output.write('', () => resolve()));
}
