/**
 * The last lines of the terminal, which are drawn again when they change: the prompt line or a dialog. A terminal that
 * changes its width wraps the lines again by itself; the area counts their rows at the new width.
 */

import type { WriteStream } from 'node:tty';
import { graphemesOf, positionAfter } from '../output/text-width.ts';

export interface Frame {
  readonly lines: readonly string[];
  /** Where the cursor is: the number of a line, and what is before the cursor in it. Default: the end. */
  readonly cursor?: { readonly line: number; readonly before: string } | undefined;
  /** Lines that are printed above the area once, because they do not fit into it. */
  readonly printed?: readonly string[] | undefined;
}

const eraseBelow = '\u001B[J';
const eraseScreen = '\u001B[2J\u001B[H';
const firstColumn = '\u001B[G';

export class LiveArea {
  private drawn: Frame | undefined;
  private render: (() => Frame) | undefined;
  private readonly onResize = (): void => this.redraw();

  constructor(private readonly output: WriteStream) {}

  get columns(): number {
    // A terminal that does not know its size says 0.
    return this.output.columns || 80;
  }

  get rows(): number {
    return this.output.rows || 24;
  }

  /** Draws what `render` returns, now and whenever the terminal changes its size. */
  open(render: () => Frame): void {
    if (this.render === undefined) this.output.on('resize', this.onResize);
    this.render = render;
    this.redraw();
  }

  redraw(): void {
    if (this.render === undefined) return;
    const { printed = [], ...rendered } = this.render();
    const frame = this.fitting(rendered);
    const suffix = printed.length > 0 ? undefined : this.typedSuffix(frame);
    const above = printed.map((line) => `${line}\n`).join('');
    if (suffix === undefined) this.output.write(this.eraseDrawn() + above + this.paint(frame));
    else if (suffix !== '') this.output.write(suffix);
    this.drawn = frame;
  }

  /** Erases the area, lets `write` write there, and draws the area below. */
  writeAbove(write: () => void): void {
    if (this.drawn !== undefined) this.output.write(this.eraseDrawn());
    this.drawn = undefined;
    write();
    this.redraw();
  }

  /** Prints lines that stay, above the area if it is open. */
  print(lines: readonly string[]): void {
    this.writeAbove(() => this.output.write(lines.map((line) => `${line}\n`).join('')));
  }

  /** Erases the whole screen and draws the area at its top. */
  clearScreen(): void {
    this.output.write(eraseScreen);
    this.drawn = undefined;
    this.redraw();
  }

  /** Leaves these lines in place of the area. */
  close(lines: readonly string[]): void {
    if (this.render === undefined) return;
    const rest = lines.map((line) => `${line}\n`).join('');
    this.output.write(this.eraseDrawn() + rest);
    this.output.off('resize', this.onResize);
    this.render = undefined;
    this.drawn = undefined;
  }

  /** Most keys type at the end: then only the new text is written. */
  private typedSuffix({ lines, cursor }: Frame): string | undefined {
    const old = this.drawn;
    const [last = '', oldLast = ''] = [lines.at(-1), old?.lines.at(-1)];
    const isSame =
      old !== undefined &&
      old.lines.length === lines.length &&
      isAtEnd(old) &&
      isAtEnd({ lines, cursor }) &&
      last.startsWith(oldLast) &&
      lines.slice(0, -1).every((line, at) => line === old.lines[at]);
    const fits = positionAfter(last, this.columns).column < this.columns && !last.includes('\t');
    return isSame && fits && this.rowsOf(last) === this.rowsOf(oldLast) ? last.slice(oldLast.length) : undefined;
  }

  private eraseDrawn(): string {
    if (this.drawn === undefined) return '';
    const { row } = this.cursorOf(this.drawn);
    return `${up(row)}${firstColumn}${eraseBelow}`;
  }

  private paint(frame: Frame): string {
    const { lines, cursor } = frame;
    if (cursor === undefined) return lines.join('\n');
    const { row, column } = this.cursorOf(frame);
    const last = lines.reduce((sum, line) => sum + this.rowsOf(line), 0) - 1;
    return `${lines.join('\n')}${up(last - row)}\u001B[${column + 1}G`;
  }

  /** Where the cursor is, counted from the first row of the area. */
  private cursorOf({ lines, cursor }: Frame): { readonly row: number; readonly column: number } {
    const { line, before } = cursor ?? { line: lines.length - 1, before: lines.at(-1) ?? '' };
    const above = lines.slice(0, line).reduce((sum, each) => sum + this.rowsOf(each), 0);
    const { row, column } = positionAfter(before, this.columns);
    return column === this.columns && cursor !== undefined
      ? { row: above + row + 1, column: 0 }
      : { row: above + row, column: Math.min(column, this.columns - 1) };
  }

  private rowsOf(line: string): number {
    return positionAfter(line, this.columns).row + 1;
  }

  /** What is higher than the screen cannot be erased: then the area shows what is around the cursor. */
  private fitting(frame: Frame): Frame {
    const { cursor = { line: frame.lines.length - 1, before: frame.lines.at(-1) ?? '' } } = frame;
    const room = Math.max(1, this.rows - 1);
    const [current, before] = this.cutLine(frame.lines[cursor.line] ?? '', cursor.before);
    // The cursor behind a full row needs one more cell.
    const isFull = before === current && positionAfter(before, this.columns).column === this.columns;
    const shown = [isFull && frame.cursor !== undefined ? `${current} ` : current];
    let [first, end] = [cursor.line, cursor.line + 1];
    let left = room - this.rowsOf(shown[0] ?? '');
    const take = (line: string | undefined): boolean => {
      if (line === undefined || this.rowsOf(line) > left) return false;
      left -= this.rowsOf(line);
      return true;
    };
    while (take(frame.lines[first - 1])) shown.unshift(frame.lines[--first] ?? '');
    while (take(frame.lines[end])) shown.push(frame.lines[end++] ?? '');
    return { lines: shown, cursor: frame.cursor && { line: cursor.line - first, before } };
  }

  /** A single line that is higher than half the screen shows only its part before the cursor's row. */
  private cutLine(line: string, before: string): readonly [line: string, before: string] {
    const cells = Math.max(1, Math.floor(this.rows / 2)) * this.columns;
    if (line.length < cells) return [line, before];
    const kept = graphemesOf(before)
      .slice(-Math.floor(cells / 4))
      .join('');
    const start = kept === before ? '' : '…';
    const rest = graphemesOf(line.slice(before.length))
      .slice(0, Math.floor(cells / 8))
      .join('');
    const end = before.length + rest.length < line.length ? '…' : '';
    return [`${start}${kept}${rest}${end}`, `${start}${kept}`];
  }
}

function isAtEnd({ lines, cursor }: Frame): boolean {
  return cursor !== undefined && cursor.line === lines.length - 1 && cursor.before === lines.at(-1);
}

function up(rows: number): string {
  return rows > 0 ? `\u001B[${rows}A` : '';
}
