/** Reads a passphrase at the terminal without showing it. */

import type { ReadStream } from 'node:tty';
import type { TerminalStreams } from '../output/streams.ts';
import { readFrom, writeTo } from '../../files/blocking-io.ts';

const [stdin, stdout] = [0, 1];
const maxBytes = 1024;

/** Returns undefined on Ctrl-C, Ctrl-D or the end of input. */
export function readPassphrase({ input }: TerminalStreams, question: string): string | undefined {
  const wasRaw = input.isRaw;
  // Before the question is printed, so that early typing is not shown either.
  input.setRawMode(true);
  try {
    writeTo(stdout, question);
    return readSecret();
  } finally {
    restore(input, wasRaw);
    writeTo(stdout, '\n');
  }
}

function restore(input: ReadStream, wasRaw: boolean): void {
  if (!input.destroyed) input.setRawMode(wasRaw);
}

function readSecret(): string | undefined {
  const read = readFrom(stdin);
  const byte = Buffer.alloc(1);
  const bytes: number[] = [];
  while (bytes.length < maxBytes) {
    if (read(byte) === 0) return undefined;
    const [key = 0] = byte;
    if (key === 0x03 || key === 0x04) return undefined;
    if (key === 0x0d || key === 0x0a) return Buffer.from(bytes).toString('utf8');
    if (key === 0x7f || key === 0x08) dropCharacter(bytes);
    else bytes.push(key);
  }
  return undefined;
}

/** Removes a whole UTF-8 character; its continuation bytes start with the bits 10. */
function dropCharacter(bytes: number[]): void {
  while (((bytes.pop() ?? 0) & 0xc0) === 0x80);
}
