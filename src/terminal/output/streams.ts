import type { ReadStream, WriteStream } from 'node:tty';

/** The process's standard streams. */
export interface Streams {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
}

export interface TerminalStreams {
  readonly input: ReadStream;
  readonly output: WriteStream;
}

/** The terminal, if both stdin and stdout are one. */
export function terminalOf({ stdin, stdout }: Streams): TerminalStreams | undefined {
  return stdin.isTTY && stdout.isTTY ? { input: stdin, output: stdout } : undefined;
}

/** Resolves when everything written so far is flushed, or has failed. */
export function untilFlushed(output: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => void output.write('', () => resolve()));
}
