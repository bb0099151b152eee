/**
 * Scans a sed script as GNU sed parses it. Other seds never find more commands in a script, because they end labels
 * later. They differ only in bracket expressions that contain the delimiter; then both readings are scanned.
 */

import { takeLine, takeWhile, type CodeUse, type Cursor } from './code-scan.ts';

interface SedCursor extends Cursor {
  /** True: a delimiter inside a bracket expression does not end the pattern. */
  readonly brackets: boolean;
  /** True: such a delimiter was found. */
  ambiguous: boolean;
}

/** The files and commands that a sed script uses. Undefined if it cannot be parsed. */
export function scanSed(script: string): readonly CodeUse[] | undefined {
  const cursor: SedCursor = { text: script, at: 0, brackets: true, ambiguous: false };
  const uses = scanScript(cursor);
  if (!cursor.ambiguous) return uses;
  const others = scanScript({ ...cursor, at: 0, brackets: false });
  return uses === undefined || others === undefined ? (uses ?? others) : [...uses, ...others];
}

function scanScript(cursor: SedCursor): readonly CodeUse[] | undefined {
  const uses: CodeUse[] = [];
  for (;;) {
    takeWhile(cursor, /[\s;]/u);
    if (cursor.at >= cursor.text.length) return uses;
    if (!takeAddresses(cursor) || !takeCommand(cursor, uses)) return undefined;
  }
}

const blank = /[^\S\n]/u;

/** `1,5`, `$!`, `/a/I,+3`, `\,a,`, `0~4`. */
function takeAddresses(cursor: SedCursor): boolean {
  const first = takeAddress(cursor);
  if (first === 'bad') return false;
  takeWhile(cursor, blank);
  if (first === 'taken' && cursor.text.charAt(cursor.at) === ',') {
    cursor.at += 1;
    takeWhile(cursor, blank);
    if (/[+~]/u.test(cursor.text.charAt(cursor.at))) cursor.at += 1;
    if (takeAddress(cursor) !== 'taken') return false;
    takeWhile(cursor, blank);
  }
  takeWhile(cursor, /!|[^\S\n]/u);
  return true;
}

function takeAddress(cursor: SedCursor): 'taken' | 'none' | 'bad' {
  const first = cursor.text.charAt(cursor.at);
  if (first === '$') {
    cursor.at += 1;
    return 'taken';
  }
  if (/\d/u.test(first)) {
    takeWhile(cursor, /[\d~]/u);
    return 'taken';
  }
  if (first !== '/' && first !== '\\') return 'none';
  cursor.at += first === '/' ? 1 : 2;
  const delimiter = cursor.text.charAt(cursor.at - 1);
  if (!takePattern(cursor, delimiter)) return 'bad';
  takeWhile(cursor, /[IM]/u);
  return 'taken';
}

/** Takes a pattern up to its delimiter. */
function takePattern(cursor: SedCursor, delimiter: string): boolean {
  if (!/^[^\s\\[\]]$/u.test(delimiter)) return false;
  const { text } = cursor;
  let bracket = -1;
  for (; cursor.at < text.length; cursor.at += 1) {
    const letter = text.charAt(cursor.at);
    if (letter === '\n') return false;
    if (letter === delimiter) {
      cursor.ambiguous ||= bracket >= 0;
      if (bracket < 0 || !cursor.brackets) {
        cursor.at += 1;
        return true;
      }
    } else if (letter === '\\' && (bracket < 0 || text.charAt(cursor.at + 1) === delimiter)) cursor.at += 1;
    else if (bracket >= 0) bracket = inBracket(cursor, bracket);
    else if (letter === '[') bracket = cursor.at;
  }
  return false;
}

/** Where the current bracket expression started. -1 if it ends here. */
function inBracket(cursor: Cursor, start: number): number {
  const { text, at } = cursor;
  const letter = text.charAt(at);
  if (letter === '[' && /[.:=]/u.test(text.charAt(at + 1))) {
    const end = text.indexOf(`${text.charAt(at + 1)}]`, at + 2);
    if (end > 0) cursor.at = end + 1;
    return start;
  }
  const isFirst = at === start + 1 || (at === start + 2 && text.charAt(start + 1) === '^');
  return letter === ']' && !isFirst ? -1 : start;
}

function takeCommand(cursor: SedCursor, uses: CodeUse[]): boolean {
  const letter = cursor.text.charAt(cursor.at);
  cursor.at += 1;
  if (letter === '#') return takeLine(cursor) !== undefined;
  if (letter === '{') return true;
  if ('}=dDgGhHnNpPxzF'.includes(letter) && letter !== '') return takeEnd(cursor);
  if (letter !== '' && 'lLqQ'.includes(letter)) {
    takeWhile(cursor, /[^\S\n]|\d/u);
    return takeEnd(cursor);
  }
  switch (letter) {
    case 'a':
    case 'i':
    case 'c':
      return takeText(cursor);
    case ':':
    case 'b':
    case 't':
    case 'T':
    case 'v':
      takeWhile(cursor, blank);
      takeWhile(cursor, /[^\s;}]/u);
      return true;
    case 'r':
    case 'R':
      return takeFile(cursor, 'reads', uses);
    case 'w':
    case 'W':
      return takeFile(cursor, 'writes', uses);
    case 'e':
      // Without a command, sed runs the input line.
      uses.push({ role: 'code', text: takeLine(cursor).trim() || undefined });
      return true;
    case 's':
      return takeSubstitution(cursor, uses);
    case 'y':
      return takeLetters(cursor) && takeEnd(cursor);
    default:
      return false;
  }
}

/** A command ends at a semicolon, line end, brace or comment. */
function takeEnd(cursor: Cursor): boolean {
  takeWhile(cursor, blank);
  return cursor.at >= cursor.text.length || /[\n;}#]/u.test(cursor.text.charAt(cursor.at));
}

/** The text of `a`, `i` and `c`: up to the first line end without a backslash. */
function takeText(cursor: Cursor): boolean {
  takeWhile(cursor, blank);
  const { text } = cursor;
  if (cursor.at >= text.length) return false;
  const line = /^\\[^\S\n]*\n/u.exec(text.slice(cursor.at));
  if (line !== null) cursor.at += line[0].length;
  while (cursor.at < text.length && text.charAt(cursor.at) !== '\n') {
    cursor.at += text.charAt(cursor.at) === '\\' ? 2 : 1;
  }
  return true;
}

/** The rest of the line is the file name, including semicolons and braces. */
function takeFile(cursor: Cursor, role: 'reads' | 'writes', uses: CodeUse[]): boolean {
  takeWhile(cursor, blank);
  const text = takeLine(cursor);
  if (text !== '') uses.push({ role, text });
  return text !== '';
}

/** Takes text up to a delimiter. It may span lines if each line break is escaped. */
function takeReplacement(cursor: Cursor, delimiter: string): boolean {
  const { text } = cursor;
  for (; cursor.at < text.length; cursor.at += 1) {
    const letter = text.charAt(cursor.at);
    if (letter === delimiter) {
      cursor.at += 1;
      return true;
    }
    if (letter === '\n') return false;
    if (letter === '\\') cursor.at += 1;
  }
  return false;
}

function takeDelimiter(cursor: Cursor): string {
  cursor.at += 1;
  return cursor.text.charAt(cursor.at - 1);
}

/** `y/abc/xyz/`. */
function takeLetters(cursor: Cursor): boolean {
  const delimiter = takeDelimiter(cursor);
  if (!/^[^\s\\]$/u.test(delimiter)) return false;
  return takeReplacement(cursor, delimiter) && takeReplacement(cursor, delimiter);
}

function takeSubstitution(cursor: SedCursor, uses: CodeUse[]): boolean {
  const delimiter = takeDelimiter(cursor);
  if (!takePattern(cursor, delimiter) || !takeReplacement(cursor, delimiter)) return false;
  const flags = takeWhile(cursor, /[gpiImMe\d]/u);
  if (flags.includes('e')) uses.push({ role: 'code', text: undefined });
  if (cursor.text.charAt(cursor.at) !== 'w') return takeEnd(cursor);
  cursor.at += 1;
  return takeFile(cursor, 'writes', uses);
}
