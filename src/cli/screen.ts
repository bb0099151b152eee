/** Where everything is written: knows whether a line is begun, and can hold back what comes while a dialog is up. */

import type { Writable } from 'node:stream';
import type { Paint, Tone } from './paint.ts';

export class Screen {
  private atStart = true;
  private waiting: string[] | undefined;

  constructor(
    private readonly output: Writable,
    readonly paint: Paint,
    /** Makes room where somebody is typing. */
    private readonly aside: (write: () => void) => void = (write) => write(),
  ) {}

  /** Text that goes on where the last one ended. */
  write(text: string): void {
    if (text === '') return;
    this.atStart = text.endsWith('\n');
    if (this.waiting === undefined) this.aside(() => this.output.write(text));
    else this.waiting.push(text);
  }

  /** Text on lines of its own. */
  line(text: string, tone: Tone = 'plain'): void {
    this.startLine();
    this.write(`${this.paint(tone, text)}\n`);
  }

  startLine(): void {
    if (!this.atStart) this.write('\n');
  }

  /** Text on lines of its own, whatever is held back: for the dialog itself. */
  show(text: string): void {
    this.output.write(`${text}\n`);
  }

  /** Holds everything back until {@link release}. */
  hold(): void {
    this.startLine();
    this.waiting ??= [];
  }

  release(): void {
    const { waiting = [] } = this;
    this.waiting = undefined;
    for (const text of waiting) this.output.write(text);
  }
}
