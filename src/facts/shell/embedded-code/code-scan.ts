/** The result of scanning embedded code in another language. */

/** One file or shell command that the code uses. `text` is undefined if the code does not show which. */
export interface CodeUse {
  readonly role: 'reads' | 'writes' | 'code';
  readonly text: string | undefined;
}

/** Everything the code uses, in order. Undefined if the scan could not parse all of the code. */
export type CodeScan = (code: string) => readonly CodeUse[] | undefined;

/** For code without a scanner: it may use any file. */
export const unknownScan: CodeScan = () => undefined;

/** A position in the scanned text. */
export interface Cursor {
  readonly text: string;
  at: number;
}

/** Takes and returns all characters that match. */
export function takeWhile(cursor: Cursor, fits: RegExp): string {
  const start = cursor.at;
  while (cursor.at < cursor.text.length && fits.test(cursor.text.charAt(cursor.at))) cursor.at += 1;
  return cursor.text.slice(start, cursor.at);
}

/** Takes the rest of the line, including the line break. */
export function takeLine(cursor: Cursor): string {
  const end = cursor.text.indexOf('\n', cursor.at);
  const line = cursor.text.slice(cursor.at, end < 0 ? undefined : end);
  cursor.at = end < 0 ? cursor.text.length : end + 1;
  return line;
}
