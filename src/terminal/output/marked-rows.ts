/**
 * Wraps untrusted text to the rows of a screen. A terminal wraps without a mark, so text that fills rows with spaces
 * could draw lines of Bridle. Here, every further row starts with a mark, and long runs of spaces are counted.
 */

import { textWidth } from './text-width.ts';

const mark = '    │ ';
/** For screens on which the mark would leave no room for text. */
const shortMark = '│ ';
const minColumns = 12;
/** Fewer spaces are alignment. */
const longRun = / {8,}/g;
/** Indentation of code stays as it is, up to this many spaces. */
const maxIndentation = 24;
/** How lines of Bridle start, those of subagents after spaces. */
const lineStart = /^\s*[✓✗●›!?>]/u;

/** A line in rows of at most `columns` cells. A line that starts with a mark keeps it. */
function markedRows(line: string, columns: number): readonly string[] {
  const rest = columns < minColumns ? shortMark : mark;
  const [first, text] = line.startsWith(mark) ? [rest, line.slice(mark.length)] : ['', line];
  const room = columns - rest.length;
  const [head = '', ...chunks] = chunksOf(text, room, columns - first.length);
  return [first + head, ...chunks.map((chunk) => rest + chunk)];
}

/** Text of several lines in rows of at most `columns` cells. */
export function markedLines(text: string, columns: number): readonly string[] {
  return text.split('\n').flatMap((line) => markedRows(line, columns));
}

/** A wrapped line; with marks instead if a row is too wide for the screen, or could pass for a line of Bridle. */
export function wrappedOrMarked(
  line: string,
  rows: readonly string[],
  { columns, indent }: { readonly columns: number; readonly indent: string },
): readonly string[] {
  const isSafe = rows.every(
    (row, at) => row.startsWith(indent) && textWidth(row) <= columns && (at === 0 || !lineStart.test(row)),
  );
  return isSafe ? rows : markedRows(countSpaces(line), columns);
}

/** Runs of spaces as `⟨1920 spaces⟩`. Text can't fake it: its own ⟨ is escaped before. */
export function countSpaces(text: string): string {
  return text.replaceAll(longRun, (run, at: number) => {
    const isIndentation = (at === 0 || text[at - 1] === '\n') && run.length <= maxIndentation;
    return isIndentation ? run : `⟨${run.length} spaces⟩`;
  });
}

/** Text in pieces of at most `room` cells, the first of at most `firstRoom`; cut after a space if one is near. */
export function chunksOf(text: string, room: number, firstRoom = room): readonly string[] {
  const characters = Array.from(text);
  const chunks: string[] = [];
  let [start, used, space] = [0, 0, 0];
  for (let at = 0; at < characters.length; at++) {
    const left = Math.max(1, chunks.length === 0 ? firstRoom : room);
    const cells = cellsOf(characters[at] ?? '');
    if (used + cells > left && at > start) {
      const end = space - start > (at - start) / 2 ? space : at;
      chunks.push(characters.slice(start, end).join(''));
      [start, at, used] = [end, end - 1, 0];
    } else {
      used += cells;
      if (characters[at] === ' ') space = at + 1;
    }
  }
  return [...chunks, characters.slice(start).join('')];
}

/** Terminals disagree about marks and joined characters, so each character counts with at least one cell. */
function cellsOf(character: string): number {
  return Math.max(1, textWidth(character));
}
