/** Draws a window with the rows of a terminal: real text with its colours, readable on light and dark pages. */

import type { StyledText } from '../cli/screens/screen-rig.ts';
import { element, escaped, picture } from './svg.ts';

export interface TerminalPicture {
  /** What a screen reader says. */
  readonly title: string;
  /** The text in the bar of the window. */
  readonly bar: string;
  readonly columns: number;
  readonly rows: readonly (readonly StyledText[])[];
}

const fontSize = 13;
/** Each text gets exactly the width of its cells, so columns are straight in every font. */
const cell = { width: 7.8, height: 19 };
const padding = 16;
const barHeight = 34;
const plain = '#e6edf3';
/** The first 16 colours, for the dark window. */
const palette = [
  ['#484f58', '#ff7b72', '#56d364', '#e3b341', '#79c0ff', '#d2a8ff', '#56d4dd', '#b1bac4'],
  ['#8b949e', '#ffa198', '#7ee787', '#f2cc60', '#a5d6ff', '#e2c5ff', '#b3f0ff', '#ffffff'],
].flat();

const style = `
.window { fill: #0d1117; stroke: #3d444d }
text { font-size: ${fontSize}px; white-space: pre }
text { font-family: ui-monospace, SFMono-Regular, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace }
.bar { fill: #9198a1; text-anchor: middle }`;

export function terminalPicture({ title, bar, columns, rows }: TerminalPicture): string {
  const width = Math.ceil(columns * cell.width + 2 * padding);
  const height = barHeight + rows.length * cell.height + padding;
  const buttons = ['#ff5f57', '#febc2e', '#28c840'].map((fill, at) =>
    element('circle', { cx: padding + 6 + at * 20, cy: barHeight / 2, r: 6, fill }),
  );
  return picture({
    width,
    height,
    title,
    style,
    body: [
      element('rect', { class: 'window', x: 0.5, y: 0.5, width: width - 1, height: height - 1, rx: 10 }),
      ...buttons,
      element('text', { class: 'bar', x: width / 2, y: barHeight / 2 + 4 }, escaped(bar)),
      ...rows.flatMap((row, at) => drawRow(row, barHeight + (at + 1) * cell.height - 5)),
    ],
  });
}

function drawRow(row: readonly StyledText[], y: number): string[] {
  let column = 0;
  return row.flatMap((run) => {
    const x = padding + column * cell.width;
    // The pictures show no wide characters.
    const width = Array.from(run.text).length * cell.width;
    column += Array.from(run.text).length;
    const drawn: string[] = [];
    if (run.background !== undefined) {
      drawn.push(element('rect', { x, y: y - 14, width, height: cell.height, fill: colourOf(run.background) }));
    }
    if (run.text.trim() === '') return drawn;
    const attributes = {
      x,
      y,
      textLength: width,
      lengthAdjust: 'spacingAndGlyphs',
      'xml:space': 'preserve',
      fill: run.foreground === undefined ? plain : colourOf(run.foreground),
      opacity: run.dim ? 0.65 : undefined,
      'font-weight': run.bold ? 'bold' : undefined,
      'font-style': run.italic ? 'italic' : undefined,
      'text-decoration': run.underline ? 'underline' : undefined,
    };
    return [...drawn, element('text', attributes, escaped(run.text))];
  });
}

/** A colour of the 256-colour palette. */
function colourOf(index: number): string {
  const named = palette[index];
  if (named !== undefined) return named;
  if (index >= 232) return hex(Array.from({ length: 3 }, () => 8 + 10 * (index - 232)));
  const levels = [0, 95, 135, 175, 215, 255];
  const at = index - 16;
  return hex([Math.floor(at / 36), Math.floor(at / 6) % 6, at % 6].map((level) => levels[level] ?? 0));
}

function hex(channels: readonly number[]): string {
  return `#${channels.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`;
}
