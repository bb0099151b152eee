/** What code of another language touches, where a scan of it can tell. */

/** One file or shell command that the code uses; `text` is undefined if the code does not show which one. */
export interface CodeUse {
  readonly role: 'reads' | 'writes' | 'code';
  readonly text: string | undefined;
}

/** Everything the code uses, in order; undefined if the scan could not read all of the code. */
export type CodeScan = (code: string) => readonly CodeUse[] | undefined;

/** For code that nobody scans: it may use any file. */
export const unknownScan: CodeScan = () => undefined;

/** A place in a text that is scanned. */
export interface Cursor {
  readonly text: string;
  at: number;
}

/** Takes all characters that fit, and returns them. */
export function takeWhile(cursor: Cursor, fits: RegExp): string {
  const start = cursor.at;
  while (cursor.at < cursor.text.length && fits.test(cursor.text.charAt(cursor.at))) cursor.at += 1;
  return cursor.text.slice(start, cursor.at);
}

/** Takes the rest of the line with its end. */
export function takeLine(cursor: Cursor): string {
  const end = cursor.text.indexOf('\n', cursor.at);
  const line = cursor.text.slice(cursor.at, end < 0 ? undefined : end);
  cursor.at = end < 0 ? cursor.text.length : end + 1;
  return line;
}
