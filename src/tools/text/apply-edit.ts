/** Replaces text by exact match. If there is no match, the error quotes the closest text. */

import { BridleError } from '../../kernel/errors.ts';
import { describeNearest } from './nearest-text.ts';

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
