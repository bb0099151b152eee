/** Tables of Markdown. Cells wrap if the screen is narrow; if it is too narrow for columns, each row becomes a list. */

import type { Paint } from '../output/paint.ts';
import { textWidth } from '../output/text-width.ts';
import { type Span, wrapSpans } from '../output/wrap-text.ts';
import { inlineSpans } from './inline-markdown.ts';

export interface TableOptions {
  readonly paint: Paint;
  readonly columns: number;
}

const minCell = 6;
const gap = ' │ ';

export function isTableRow(line: string): boolean {
  return /^\s*\|.*\|\s*$/.test(line);
}

/** `|---|:--:|`: below the header. */
export function isTableDivider(line: string): boolean {
  return /^\s*\|(?:\s*:?-+:?\s*\|)+\s*$/.test(line);
}

/** The screen lines of a table; `source` is its header, its divider and its rows. */
export function tableLines(source: readonly string[], options: TableOptions): readonly string[] {
  const [header = [], ...rows] = source.filter((line) => !isTableDivider(line)).map(cellsOf);
  const count = Math.max(header.length, ...rows.map(({ length }) => length));
  const room = options.columns - gap.length * (count - 1);
  if (room < minCell * count) return listLines(header, rows, options);
  const widths = fitWidths(naturalWidths([header, ...rows], count), room);
  const divider = widths.map((width) => '─'.repeat(width)).join('─┼─');
  return [
    ...rowLines(
      header.map((cell) => inlineSpans(cell, 'strong')),
      widths,
      options,
    ),
    options.paint('dim', divider),
    ...rows.flatMap((row) =>
      rowLines(
        row.map((cell) => inlineSpans(cell)),
        widths,
        options,
      ),
    ),
  ];
}

function cellsOf(line: string): readonly string[] {
  const inside = line.trim().slice(1, -1);
  return inside.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll(String.raw`\|`, '|'));
}

function naturalWidths(rows: readonly (readonly string[])[], count: number): readonly number[] {
  return Array.from({ length: count }, (_, at) =>
    Math.max(1, ...rows.map((row) => widthOf(inlineSpans(row[at] ?? '')))),
  );
}

function widthOf(spans: readonly Span[]): number {
  return spans.reduce((sum, { text }) => sum + textWidth(text), 0);
}

/** Narrows the widest columns until the table fits. */
function fitWidths(natural: readonly number[], room: number): readonly number[] {
  const sorted = natural.toSorted((a, b) => a - b);
  let [left, cap] = [room, room];
  for (const [at, width] of sorted.entries()) {
    cap = Math.floor(left / (sorted.length - at));
    if (width > cap) break;
    left -= width;
  }
  return natural.map((width) => Math.min(width, Math.max(minCell, cap)));
}

function rowLines(
  row: readonly (readonly Span[])[],
  widths: readonly number[],
  { paint }: TableOptions,
): readonly string[] {
  const cells = widths.map((columns, at) => wrapSpans(row[at] ?? [], paint, { columns }));
  const plain = widths.map((columns, at) => wrapSpans(row[at] ?? [], (_tone, text) => text, { columns }));
  const height = Math.max(...cells.map(({ length }) => length));
  return Array.from({ length: height }, (_, line) =>
    cells
      .map((cell, at) => {
        const used = textWidth(plain[at]?.[line] ?? '');
        return (cell[line] ?? '') + ' '.repeat(Math.max(0, (widths[at] ?? 0) - used));
      })
      .join(paint('dim', gap))
      .trimEnd(),
  );
}

/** `header: cell`, a line each. The header is shown first, because a table may have no rows. */
function listLines(
  header: readonly string[],
  rows: readonly (readonly string[])[],
  { paint, columns }: TableOptions,
): readonly string[] {
  const head = wrapSpans(
    header.flatMap((cell) => [...inlineSpans(cell, 'strong'), { text: '  ', tone: 'plain' } as const]),
    paint,
    { columns },
  );
  const body = rows.map((row) => row.flatMap((cell) => wrapSpans(inlineSpans(cell), paint, { columns, first: '  ' })));
  return [...head, ...body.flatMap((lines, at) => (at === 0 ? lines : ['', ...lines]))];
}
