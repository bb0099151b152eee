import { type Paint, paintWith } from './paint.ts';
import { type Streams, terminalOf } from './streams.ts';
import { readFrom, writeTo } from './sync-io.ts';

const [stdin, stdout] = [0, 1];

/** Asks the person at the terminal, after showing what it is about; only a plain yes is one. */
export function confirmAt(
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
  writeTo(stdout, `${question} [y/N] `);
  return /^y(es)?$/i.test(readAnswer().trim());
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
