/** Replaces text by exact match. If there is no match, the error quotes the closest text. */

import { BridleError } from '../../kernel/errors.ts';
import { cutText } from '../../kernel/json.ts';

export interface Edit {
  readonly oldText: string;
  readonly newText: string;
  readonly all: boolean;
}

export interface EditResult {
  readonly edited: string;
  /** The replaced lines, counted in the old text. */
  readonly lines: readonly number[];
}

const maxShownPlaces = 10;

export function applyEdit(text: string, edit: Edit): EditResult {
  if (edit.oldText === edit.newText) throw new BridleError('TOOL_FAILED', 'old_text and new_text are the same.');
  const { oldText, newText } = matchLineEndings(text, edit);
  const places = findAll(text, oldText);
  if (places.length === 0)
    throw new BridleError('TOOL_FAILED', `old_text is not in the file. ${describeNearest(text, oldText)}`);
  const lines = linesAt(text, places);
  if (places.length > 1 && !edit.all) {
    const where = lines.slice(0, maxShownPlaces).join(', ') + (lines.length > maxShownPlaces ? '…' : '');
    throw new BridleError(
      'TOOL_FAILED',
      `old_text occurs ${places.length} times in the file, at line ${where}. Include more surrounding text, or set replace_all.`,
    );
  }
  const pieces: string[] = [];
  let from = 0;
  for (const place of places) {
    pieces.push(text.slice(from, place), newText);
    from = place + oldText.length;
  }
  return { edited: pieces.join('') + text.slice(from), lines };
}

/** Models write \n; a file with \r\n keeps its line endings. */
function matchLineEndings(text: string, { oldText, newText }: Edit): Pick<Edit, 'oldText' | 'newText'> {
  if (text.includes(oldText)) {
    const isWindows = text.includes('\r\n') && !/(?<!\r)\n/.test(text);
    return { oldText, newText: isWindows ? toCrlf(newText) : newText };
  }
  return text.includes(toCrlf(oldText)) ? { oldText: toCrlf(oldText), newText: toCrlf(newText) } : { oldText, newText };
}

function toCrlf(part: string): string {
  return part.replace(/(?<!\r)\n/g, '\r\n');
}

function findAll(text: string, part: string): number[] {
  const places: number[] = [];
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + part.length)) places.push(at);
  return places;
}

function linesAt(text: string, places: readonly number[]): number[] {
  let line = 1;
  let from = 0;
  return places.map((place) => {
    for (let at = text.indexOf('\n', from); at !== -1 && at < place; at = text.indexOf('\n', at + 1)) line++;
    from = place;
    return line;
  });
}

/** The most lines to compare, and the most letters of each. */
const maxLines = 20_000;
const maxLetters = 160;

/** A hint for the model: the same text with different whitespace, or the most similar line. */
function describeNearest(text: string, wanted: string): string {
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
