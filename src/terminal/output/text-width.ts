/** How much room text takes on a terminal: cells per character and rows per line. Colours take no room. */

import stringWidth from 'fast-string-width';
import { lazy } from '../../kernel/lazy.ts';

/** A place on the screen, from 0. A column equal to the width means that the row is full. */
export interface ScreenPosition {
  readonly row: number;
  readonly column: number;
}

const tabStop = 8;
const segmenter = lazy(() => new Intl.Segmenter());
// oxlint-disable-next-line no-control-regex -- colours are control sequences
const colours = /(\u001B\[[\d;]*m)/;
// oxlint-disable-next-line no-control-regex -- everything from space to tilde takes one cell
const plain = /^[\u0020-\u007E]*$/;

/** What a person takes for one character, such as a letter with its accents or a family emoji. */
export function graphemesOf(text: string): readonly string[] {
  return plain.test(text) ? Array.from(text) : Array.from(segmenter().segment(text), ({ segment }) => segment);
}

/** The cells that one line of text takes. */
export function textWidth(text: string): number {
  return positionAfter(text, Number.POSITIVE_INFINITY).column;
}

/** Where a terminal with this many columns is after it has written the text, which starts at the first cell. */
export function positionAfter(text: string, columns: number): ScreenPosition {
  let [row, column] = [0, 0];
  for (const [at, part] of text.split(colours).entries()) {
    if (at % 2 === 1) continue;
    if (plain.test(part) && column + part.length <= columns) {
      column += part.length;
      continue;
    }
    for (const grapheme of graphemesOf(part)) {
      const cells = grapheme === '\t' ? tabCells(column, columns) : cellsOf(grapheme);
      if (column + cells > columns) [row, column] = [row + 1, 0];
      column += cells;
    }
  }
  return { row, column };
}

/** A tab never wraps: it stops in the last cell. */
function tabCells(column: number, columns: number): number {
  return Math.max(0, Math.min(tabStop - (column % tabStop), columns - 1 - column));
}

function cellsOf(grapheme: string): number {
  return plain.test(grapheme) ? 1 : stringWidth(grapheme);
}

/** Cuts text to a number of columns and marks the cut. */
export function cutToColumns(text: string, columns: number): string {
  if (textWidth(text) <= columns) return text;
  let kept = '';
  for (const grapheme of graphemesOf(text)) {
    if (textWidth(kept + grapheme) > columns - 1) break;
    kept += grapheme;
  }
  return `${kept}…`;
}
