/** Compares two texts line by line (Myers), and groups what changed with a few lines around it. */

export interface DiffLine {
  readonly type: 'same' | 'removed' | 'added';
  readonly text: string;
  /** The line number in the old text, or in the new one for an added line. */
  readonly number: number;
}

/** Lines next to each other. */
type Hunk = readonly DiffLine[];

export interface LineDiff {
  readonly hunks: readonly Hunk[];
  readonly added: number;
  readonly removed: number;
}

const contextLines = 3;
/** Past this many differences, all lines between the first and the last one count as changed. */
const maxDifferences = 1000;

export function diffLines(before: string, after: string): LineDiff {
  const [old, now] = [linesOf(before), linesOf(after)];
  const lines = numbered(old, now);
  const changed = lines.filter(({ type }) => type !== 'same');
  const added = changed.filter(({ type }) => type === 'added').length;
  return { hunks: hunksOf(lines), added, removed: changed.length - added };
}

/** A missing line end at the end is a difference that a person should see. */
function linesOf(text: string): readonly string[] {
  if (text === '') return [];
  if (text.endsWith('\n')) return text.slice(0, -1).split('\n');
  const lines = text.split('\n');
  return [...lines.slice(0, -1), `${lines.at(-1) ?? ''}${noLineEnd}`];
}

/** Cannot occur inside a line. */
const noLineEnd = '\n';

/** True if the line is the last one and the file does not end with a line end. */
export function lacksLineEnd({ text }: DiffLine): boolean {
  return text.endsWith(noLineEnd);
}

function numbered(old: readonly string[], now: readonly string[]): readonly DiffLine[] {
  const shortest = Math.min(old.length, now.length);
  let start = 0;
  while (start < shortest && old[start] === now[start]) start++;
  let end = 0;
  while (end < shortest - start && old[old.length - 1 - end] === now[now.length - 1 - end]) end++;
  const middle = editScript(old.slice(start, old.length - end), now.slice(start, now.length - end));
  const types = [...Array<'same'>(start).fill('same'), ...middle, ...Array<'same'>(end).fill('same')];
  let [oldAt, nowAt] = [0, 0];
  return types.map((type): DiffLine => {
    if (type === 'added') return { type, text: now[nowAt++] ?? '', number: nowAt };
    if (type === 'removed') return { type, text: old[oldAt++] ?? '', number: oldAt };
    const text = now[nowAt++] ?? '';
    oldAt++;
    return { type, text, number: nowAt };
  });
}

/** The shortest way from one list to the other, by Myers' greedy algorithm. */
function editScript(old: readonly string[], now: readonly string[]): readonly DiffLine['type'][] {
  const most = Math.min(old.length + now.length, maxDifferences);
  const steps: Map<number, number>[] = [];
  let furthest = new Map([[1, 0]]);
  for (let depth = 0; depth <= most; depth++) {
    steps.push(furthest);
    const next = new Map(furthest);
    for (let diagonal = -depth; diagonal <= depth; diagonal += 2) {
      let x = startOf(furthest, diagonal, depth);
      while (x < old.length && x - diagonal < now.length && old[x] === now[x - diagonal]) x++;
      next.set(diagonal, x);
      if (x >= old.length && x - diagonal >= now.length) return backtrack(steps, old.length, now.length);
    }
    furthest = next;
  }
  return [...old.map(() => 'removed' as const), ...now.map(() => 'added' as const)];
}

function startOf(furthest: ReadonlyMap<number, number>, diagonal: number, depth: number): number {
  const [left, right] = [furthest.get(diagonal - 1) ?? -1, furthest.get(diagonal + 1) ?? -1];
  const isDown = diagonal === -depth || (diagonal !== depth && left < right);
  return isDown ? right : left + 1;
}

function backtrack(steps: readonly ReadonlyMap<number, number>[], oldEnd: number, nowEnd: number): DiffLine['type'][] {
  const types: DiffLine['type'][] = [];
  let [x, y] = [oldEnd, nowEnd];
  for (let depth = steps.length - 1; depth >= 0; depth--) {
    const furthest = steps[depth] ?? new Map<number, number>();
    const diagonal = x - y;
    const [left, right] = [furthest.get(diagonal - 1) ?? -1, furthest.get(diagonal + 1) ?? -1];
    const isDown = diagonal === -depth || (diagonal !== depth && left < right);
    const startX = depth === 0 ? 0 : isDown ? right : left;
    const startY = depth === 0 ? 0 : startX - (isDown ? diagonal + 1 : diagonal - 1);
    const afterX = depth === 0 ? 0 : isDown ? startX : startX + 1;
    while (x > afterX && y > 0 && x > 0) {
      types.push('same');
      x--;
      y--;
    }
    if (depth === 0) break;
    types.push(isDown ? 'added' : 'removed');
    [x, y] = [startX, startY];
  }
  return types.toReversed();
}

function hunksOf(lines: readonly DiffLine[]): readonly Hunk[] {
  const hunks: DiffLine[][] = [];
  let lastShown = -2;
  for (const [at, line] of lines.entries()) {
    const near = lines.slice(Math.max(0, at - contextLines), at + contextLines + 1);
    if (near.every(({ type }) => type === 'same')) continue;
    if (at === lastShown + 1) hunks.at(-1)?.push(line);
    else hunks.push([line]);
    lastShown = at;
  }
  return hunks;
}
