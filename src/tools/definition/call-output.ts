/**
 * Output that a tool reports while it runs. It is passed on in whole lines, because a secret that is split over two
 * events could not be masked, and up to a limit, because readers of a stream keep its events.
 */

const maxCharacters = 256 * 1024;
const maxLineCharacters = 16 * 1024;
const cutNote = '… [the rest of the output is not reported while the tool runs]';

export class CallOutput {
  private line = '';
  private left = maxCharacters;
  private isOver = false;

  constructor(private readonly emit: (text: string) => void) {}

  push(text: string): void {
    if (this.isOver || typeof text !== 'string') return;
    // Programs that show progress return to the start of the line.
    const lines = (this.line + text.toWellFormed()).split(/\r\n|\n|\r/);
    // One character too many marks a line that is left out.
    this.line = (lines.pop() ?? '').slice(0, maxLineCharacters + 1);
    const isEmpty = lines.every((line) => line === '') && lines.length === 1;
    if (lines.length > 0 && !isEmpty) this.send(lines);
  }

  private send(lines: readonly string[]): void {
    const isLong = (line: string): boolean => line.length > maxLineCharacters;
    const note = `[a line of more than ${maxLineCharacters} characters]`;
    const text = lines.map((line) => (isLong(line) ? note : line)).join('\n');
    this.left -= text.length;
    this.isOver = this.left < 0;
    this.emit(this.isOver ? cutNote : text);
  }
}
