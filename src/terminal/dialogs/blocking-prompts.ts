/** Asks for a yes or a passphrase at the terminal with blocking reads, for commands that have no dialogs. */

import { closeSync, constants, openSync, readSync } from 'node:fs';
import type { ReadStream } from 'node:tty';
import { readFrom, writeTo } from '../../files/blocking-io.ts';
import type { TerminalStreams } from '../output/streams.ts';

const [stdin, stdout] = [0, 1];
const maxPassphraseBytes = 1024;

/** Asks a yes/no question at the terminal; only `y` or `yes` counts as yes. */
export function askYesNo(question: string): boolean {
  discardTypeahead();
  writeTo(stdout, `${question} [y/N] `);
  return /^y(es)?$/i.test(readAnswer().trim());
}

/** Discards keys typed before the question was shown: they can't be an answer to it. */
function discardTypeahead(): void {
  const { stdin: input } = process;
  if (!input.isTTY) return;
  let file: number | undefined;
  try {
    // Unfinished lines can be read only in raw mode.
    input.setRawMode(true);
    file = openSync('/dev/tty', constants.O_RDONLY | constants.O_NONBLOCK);
    const bytes = Buffer.alloc(1024);
    while (readSync(file, bytes, 0, bytes.length, null) > 0);
  } catch (error) {
    // EAGAIN: nothing left to read. ENOENT, ENXIO: no /dev/tty.
    if (!['EAGAIN', 'ENOENT', 'ENXIO'].includes(String((error as NodeJS.ErrnoException).code))) throw error;
  } finally {
    if (file !== undefined) closeSync(file);
    input.setRawMode(false);
  }
}

function readAnswer(): string {
  const read = readFrom(stdin);
  const bytes = Buffer.alloc(256);
  let text = '';
  while (!text.includes('\n') && text.length < 256) {
    const count = read(bytes);
    if (count === 0) return '';
    text += bytes.toString('utf8', 0, count);
  }
  return text;
}

/** Reads a passphrase without showing it. Returns undefined on Ctrl-C, Ctrl-D or the end of input. */
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
  while (bytes.length < maxPassphraseBytes) {
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
