import { closeSync, constants, openSync, readSync } from 'node:fs';
import { readFrom, writeTo } from '../../files/blocking-io.ts';

const [stdin, stdout] = [0, 1];

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
