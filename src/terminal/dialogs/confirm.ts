import { closeSync, constants, openSync, readSync } from 'node:fs';
import { type Paint, paintWith } from '../output/paint.ts';
import { type Streams, terminalOf } from '../output/streams.ts';
import { readFrom, writeTo } from '../../files/blocking-io.ts';

const [stdin, stdout] = [0, 1];

/** Asks the person at the terminal, after showing what it is about; only a plain yes is one. */
export function trustConfirmer(
  streams: Streams,
  colours: boolean,
): ((lines: (paint: Paint) => readonly string[]) => boolean) | undefined {
  if (terminalOf(streams) === undefined) return undefined;
  return (lines) => {
    writeTo(stdout, `${lines(paintWith(colours)).join('\n')}\n`);
    return askYesNo('Trust this content?');
  };
}

/** Puts a question to the person at the terminal. */
export function askYesNo(question: string): boolean {
  discardTypeahead();
  writeTo(stdout, `${question} [y/N] `);
  return /^y(es)?$/i.test(readAnswer().trim());
}

/** What was typed before the question was seen is no answer to it. */
function discardTypeahead(): void {
  const { stdin: input } = process;
  if (!input.isTTY) return;
  let file: number | undefined;
  try {
    // Lines that were not ended are read in raw mode only.
    input.setRawMode(true);
    file = openSync('/dev/tty', constants.O_RDONLY | constants.O_NONBLOCK);
    const bytes = Buffer.alloc(1024);
    while (readSync(file, bytes, 0, bytes.length, null) > 0);
  } catch (error) {
    // EAGAIN: nothing is left to read. The others: there is no such file here.
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
