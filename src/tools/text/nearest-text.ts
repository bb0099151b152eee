/** Finds the closest match for a text that was not found. */

import { cutText } from '../../kernel/json.ts';

/** The most lines to compare, and the most letters of each. */
const maxLines = 20_000;
const maxLetters = 160;

/** A hint for the model: the same text with different whitespace, or the most similar line. */
export function describeNearest(text: string, wanted: string): string {
  const lines = text.split('\n');
  const wantedLines = wanted.split('\n');
  const spaced = findIgnoringSpace(lines, wantedLines);
  if (spaced !== undefined) {
    const there = lines.slice(spaced, spaced + wantedLines.length).join('\n');
    return `At line ${spaced + 1} it has different whitespace: ${quote(there)}`;
  }
  const first = wantedLines.find((line) => line.trim() !== '') ?? '';
  const nearest = findSimilar(lines, first);
  if (nearest === undefined) return 'Nothing in the file is similar; view the file again.';
  const line = lines[nearest] ?? '';
  return `The most similar line is ${nearest + 1}: ${quote(line)}`;
}

function quote(text: string): string {
  return cutText(JSON.stringify(text), 1500);
}

function collapseSpace(line: string): string {
  return line.replace(/\s+/g, ' ').trim();
}

/** Where all lines occur in sequence, ignoring whitespace. */
function findIgnoringSpace(lines: readonly string[], sought: readonly string[]): number | undefined {
  const wanted = sought.map(collapseSpace);
  if (wanted.every((line) => line === '')) return undefined;
  const last = Math.min(lines.length, maxLines) - wanted.length;
  const squeezed = lines.slice(0, maxLines).map(collapseSpace);
  const [only = ''] = wanted;
  const fits = (at: number): boolean =>
    wanted.length === 1
      ? (squeezed[at] ?? '').includes(only)
      : wanted.every((line, index) => squeezed[at + index] === line);
  for (let at = 0; at <= last; at++) if (fits(at)) return at;
  return undefined;
}

/** The line that shares the most letter pairs, if it shares at least half. */
function findSimilar(lines: readonly string[], wanted: string): number | undefined {
  const pairs = pairsOf(wanted);
  let best: number | undefined;
  let most = 0.5;
  for (const [index, line] of lines.slice(0, maxLines).entries()) {
    const score = similarity(pairs, pairsOf(line));
    if (score > most) [best, most] = [index, score];
  }
  return best;
}

function pairsOf(line: string): ReadonlySet<string> {
  const letters = line.trim().slice(0, maxLetters);
  const pairs = new Set<string>();
  for (let at = 0; at + 1 < letters.length; at++) pairs.add(letters.slice(at, at + 2));
  return pairs;
}

function similarity(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  if (one.size === 0 || other.size === 0) return 0;
  let shared = 0;
  for (const pair of one) if (other.has(pair)) shared++;
  return (2 * shared) / (one.size + other.size);
}
