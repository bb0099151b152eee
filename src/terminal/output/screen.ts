/** Where everything is written: knows whether a line is begun, and can hold back what comes while a dialog is up. */

import type { Writable } from 'node:stream';
import type { Paint, Tone } from './paint.ts';

export class Screen {
  private isAtLineStart = true;
  private heldBack: string[] | undefined;

  constructor(
    private readonly output: Writable,
    readonly paint: Paint,
    /** Makes room where somebody is typing. */
    private readonly writeAbove: (write: () => void) => void = (write) => write(),
  ) {}

  /** Text that goes on where the last one ended. */
  write(text: string): void {
    if (text === '') return;
    this.isAtLineStart = text.endsWith('\n');
    if (this.heldBack === undefined) this.writeAbove(() => this.output.write(text));
    else this.heldBack.push(text);
  }

  /** Text on lines of its own. */
  line(text: string, tone: Tone = 'plain'): void {
    this.startLine();
    this.write(`${this.paint(tone, text)}\n`);
  }

  startLine(): void {
    if (!this.isAtLineStart) this.write('\n');
  }

  /** Text on lines of its own, whatever is held back: for the dialog itself. */
  writeNow(text: string): void {
    this.output.write(`${text}\n`);
  }

  /** Holds everything back until {@link release}. */
  holdBack(): void {
    this.startLine();
    this.heldBack ??= [];
  }

  release(): void {
    const { heldBack: waiting = [] } = this;
    this.heldBack = undefined;
    for (const text of waiting) this.output.write(text);
  }
}
