/**
 * Writes to the terminal. It tracks whether a line is unfinished, keeps live lines at the bottom, and can hold output back
 * while a dialog is open.
 */

import type { Writable } from 'node:stream';
import type { Paint, Tone } from './paint.ts';
import { cutToColumns, textWidth } from './text-width.ts';

/** A line that is redrawn in place, such as a spinner. */
export interface LiveLine {
  readonly text: string;
  readonly tone: Tone;
}

const defaultColumns = 80;
const defaultRows = 24;

export class Screen {
  private isAtLineStart = true;
  private heldBack: string[] | undefined;
  private liveLines: readonly LiveLine[] = [];
  /** The widths of the live lines as they were drawn. */
  private drawnWidths: readonly number[] = [];

  constructor(
    private readonly output: Writable & { readonly columns?: number; readonly rows?: number },
    readonly paint: Paint,
    /** Writes above the line that is being typed. */
    private readonly writeAbove: (write: () => void) => void = (write) => write(),
  ) {}

  get columns(): number {
    return this.output.columns || defaultColumns;
  }

  /** Continues the current line. */
  write(text: string): void {
    if (text === '') return;
    this.isAtLineStart = text.endsWith('\n');
    if (this.heldBack !== undefined) this.heldBack.push(text);
    else this.writeAbove(() => this.output.write(this.takeLive() + text + this.drawLive()));
  }

  /** Writes text on its own line. */
  line(text: string, tone: Tone = 'plain'): void {
    this.startLine();
    this.write(`${this.paint(tone, text)}\n`);
  }

  startLine(): void {
    if (!this.isAtLineStart) this.write('\n');
  }

  /** Replaces the live lines below everything that was written. Needs a terminal that can move its cursor. */
  showLive(lines: readonly LiveLine[]): void {
    this.liveLines = lines;
    if (this.heldBack !== undefined || !this.isAtLineStart) return;
    const text = this.takeLive() + this.drawLive();
    if (text !== '') this.output.write(text);
  }

  /** Writes a line immediately, even while output is held back: for the dialog itself. */
  writeNow(text: string): void {
    this.output.write(`${text}\n`);
  }

  /** Holds output back until {@link release}. Live lines disappear until then. */
  holdBack(): void {
    this.startLine();
    const taken = this.takeLive();
    if (taken !== '') this.output.write(taken);
    this.heldBack ??= [];
  }

  release(): void {
    const { heldBack = [] } = this;
    this.heldBack = undefined;
    for (const text of heldBack) this.output.write(text);
    this.showLive(this.liveLines);
  }

  /** Erases the live lines. A terminal that became narrower has wrapped them, so they take more rows than before. */
  private takeLive(): string {
    const { drawnWidths, columns } = this;
    if (drawnWidths.length === 0) return '';
    this.drawnWidths = [];
    const rows = drawnWidths.reduce((sum, width) => sum + Math.max(1, Math.ceil(width / columns)), 0);
    return `\r${rows > 1 ? `\u001B[${rows - 1}A` : ''}\u001B[J`;
  }

  private drawLive(): string {
    if (!this.isAtLineStart || this.liveLines.length === 0) return '';
    // One line is left for the text above; a full last column would wrap.
    const rows = Math.max(1, (this.output.rows || defaultRows) - 2);
    const shown = this.liveLines.slice(-rows).map(({ text, tone }) => ({
      tone,
      text: cutToColumns(text, Math.max(1, this.columns - 1)),
    }));
    this.drawnWidths = shown.map(({ text }) => textWidth(text));
    return shown.map(({ text, tone }) => this.paint(tone, text)).join('\n');
  }
}
