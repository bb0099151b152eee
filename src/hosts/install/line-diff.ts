/** Shows the change of a settings file as a unified diff. */

const contextLines = 3;
/** Longer changes are shown as one removed and one added part. */
const maxCompared = 1500;

interface Line {
  readonly mark: ' ' | '-' | '+';
  readonly text: string;
}

/** The lines of a unified diff; undefined as text means that there is no file. */
export function lineDiff(path: string, before: string | undefined, after: string | undefined): readonly string[] {
  const lines = compare(linesOf(before), linesOf(after));
  const isShown = lines.map((_, index) =>
    lines.slice(Math.max(0, index - contextLines), index + contextLines + 1).some(({ mark }) => mark !== ' '),
  );
  const shown: string[] = [];
  for (const [index, { mark, text }] of lines.entries()) {
    if (isShown[index] !== true) continue;
    if (index > 0 && isShown[index - 1] !== true) shown.push('@@');
    shown.push(`${mark}${text}`);
  }
  const names = [before === undefined ? '/dev/null' : path, after === undefined ? '/dev/null' : path];
  return shown.length === 0 ? [] : [`--- ${names[0]}`, `+++ ${names[1]}`, ...shown];
}

function linesOf(text: string | undefined): readonly string[] {
  if (text === undefined || text === '') return [];
  const lines = text.split('\n').map((line) => line.replace(/\r$/, ''));
  return text.endsWith('\n')
    ? lines.slice(0, -1)
    : [...lines.slice(0, -1), lines.at(-1) ?? '', String.raw`\ No newline at end of file`];
}

function compare(before: readonly string[], after: readonly string[]): readonly Line[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1;
  let end = 0;
  const most = Math.min(before.length, after.length) - start;
  while (end < most && before[before.length - 1 - end] === after[after.length - 1 - end]) end += 1;
  return [
    ...same(before.slice(0, start)),
    ...changes(before.slice(start, before.length - end), after.slice(start, after.length - end)),
    ...same(before.slice(before.length - end)),
  ];
}

function same(texts: readonly string[]): readonly Line[] {
  return texts.map((text) => ({ mark: ' ', text }));
}

/** By the longest common subsequence. */
function changes(before: readonly string[], after: readonly string[]): readonly Line[] {
  const removed = before.map((text): Line => ({ mark: '-', text }));
  const added = after.map((text): Line => ({ mark: '+', text }));
  if (before.length * after.length === 0 || before.length + after.length > maxCompared) return [...removed, ...added];
  const lengths = Array.from({ length: before.length + 1 }, () => new Uint16Array(after.length + 1));
  const at = (row: number, column: number): number => lengths[row]?.[column] ?? 0;
  for (let row = before.length - 1; row >= 0; row -= 1)
    for (let column = after.length - 1; column >= 0; column -= 1)
      (lengths[row] as Uint16Array)[column] =
        before[row] === after[column]
          ? at(row + 1, column + 1) + 1
          : Math.max(at(row + 1, column), at(row, column + 1));
  const lines: Line[] = [];
  let [row, column] = [0, 0];
  while (row < before.length || column < after.length) {
    if (row < before.length && before[row] === after[column]) {
      lines.push({ mark: ' ', text: before[row] ?? '' });
      row += 1;
      column += 1;
    } else if (row < before.length && (column === after.length || at(row + 1, column) >= at(row, column + 1))) {
      lines.push({ mark: '-', text: before[row] ?? '' });
      row += 1;
    } else {
      lines.push({ mark: '+', text: after[column] ?? '' });
      column += 1;
    }
  }
  return lines;
}
