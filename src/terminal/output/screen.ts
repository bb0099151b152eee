/** Writes to the terminal. It tracks whether a line is unfinished, and can hold output back while a dialog is open. */

import type { Writable } from 'node:stream';
import type { Paint, Tone } from './paint.ts';

export class Screen {
  private isAtLineStart = true;
  private heldBack: string[] | undefined;

  constructor(
    private readonly output: Writable,
    readonly paint: Paint,
    /** Writes above the line that is being typed. */
    private readonly writeAbove: (write: () => void) => void = (write) => write(),
  ) {}

  /** Continues the current line. */
  write(text: string): void {
    if (text === '') return;
    this.isAtLineStart = text.endsWith('\n');
    if (this.heldBack === undefined) this.writeAbove(() => this.output.write(text));
    else this.heldBack.push(text);
  }

  /** Writes text on its own line. */
  line(text: string, tone: Tone = 'plain'): void {
    this.startLine();
    this.write(`${this.paint(tone, text)}\n`);
  }

  startLine(): void {
    if (!this.isAtLineStart) this.write('\n');
  }

  /** Writes a line immediately, even while output is held back: for the dialog itself. */
  writeNow(text: string): void {
    this.output.write(`${text}\n`);
  }

  /** Holds output back until {@link release}. */
  holdBack(): void {
    this.startLine();
    this.heldBack ??= [];
  }

  release(): void {
    const { heldBack = [] } = this;
    this.heldBack = undefined;
    for (const text of heldBack) this.output.write(text);
  }
}
