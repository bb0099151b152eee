/** Scans an awk program for the files it opens and the commands it runs. */

import { awkTokens, type AwkToken } from './awk-tokens.ts';
import type { CodeUse } from './code-scan.ts';

/** The files and commands that an awk program uses. Undefined if it cannot be parsed. */
export function scanAwk(code: string): readonly CodeUse[] | undefined {
  const read = awkTokens(code, true);
  if (read === undefined) return undefined;
  const uses = scanTokens(read.tokens);
  if (!read.ambiguous || uses === undefined || uses === 'error') return uses === 'error' ? undefined : uses;
  const other = awkTokens(code, false);
  const others = other === undefined ? 'error' : scanTokens(other.tokens);
  // A syntax error in such an awk does nothing there.
  return others === 'error' ? uses : others && [...uses, ...others];
}

interface Scan {
  readonly tokens: readonly AwkToken[];
  readonly uses: CodeUse[];
  at: number;
  /** The number of open parentheses and brackets. */
  depth: number;
  /** Inside a print statement: the depth at which it began. */
  print: number | undefined;
}

const end: AwkToken = { type: 'line', text: '' };

function scanTokens(tokens: readonly AwkToken[]): readonly CodeUse[] | undefined | 'error' {
  const scan: Scan = { tokens, uses: [], at: 0, depth: 0, print: undefined };
  for (; scan.at < tokens.length; scan.at += 1) {
    const token = tokens[scan.at] ?? end;
    if (token.type === 'name') lookAtName(scan, token.text);
    else if (token.type === 'line') endLine(scan);
    else if (token.type === 'sign' && !lookAtSign(scan, token.text)) return undefined;
    if (scan.depth < 0) return 'error';
  }
  return scan.depth === 0 ? scan.uses : 'error';
}

/** Variables that name the files a program reads, and functions that read files. */
const naming = /^(?:ARGV|ARGC|ARGIND|SYMTAB|FUNCTAB|bindtextdomain)$/u;

function lookAtName(scan: Scan, name: string): void {
  if (name === 'print' || name === 'printf') scan.print = scan.depth;
  else if (name === 'system') scan.uses.push({ role: 'code', text: onlyArgument(scan) });
  else if (name === 'getline') lookAtGetline(scan);
  else if (naming.test(name)) scan.uses.push({ role: 'reads', text: undefined });
}

/** False if the meaning is unknown: `@include`, `@name()`. */
function lookAtSign(scan: Scan, sign: string): boolean {
  if (sign === '@') return false;
  if (sign === '(' || sign === '[') scan.depth += 1;
  else if (sign === ')' || sign === ']') scan.depth -= 1;
  else if (sign === ';' || sign === '}') scan.print = undefined;
  else if (scan.print === scan.depth && (sign === '>' || sign === '>>')) {
    const text = targetOf(scan);
    if (text?.startsWith('/inet') === true) return false;
    scan.uses.push({ role: 'writes', text });
  } else if ((sign === '|' || sign === '|&') && !isName(tokenAt(scan, 1), 'getline')) {
    if (scan.print !== scan.depth) return false;
    scan.uses.push({ role: 'code', text: targetOf(scan) });
  }
  return true;
}

/** A statement continues after these operators. */
function endLine(scan: Scan): void {
  let at = scan.at - 1;
  while (scan.tokens[at]?.type === 'line') at -= 1;
  const { type, text } = scan.tokens[at] ?? end;
  if (type !== 'sign' || !/^(?:,|&&|\|\||[?:])$/u.test(text)) scan.print = undefined;
}

function tokenAt({ tokens, at }: Scan, offset: number): AwkToken {
  return tokens[at + offset] ?? end;
}

function isName({ type, text }: AwkToken, name: string): boolean {
  return type === 'name' && text === name;
}

function isSign({ type, text }: AwkToken, signs: string): boolean {
  return type === 'sign' && signs.split(' ').includes(text);
}

/** The value of a string. Undefined if it contains an escape. */
function stringValue({ type, text }: AwkToken): string | undefined {
  return type !== 'string' || text.includes('\\') ? undefined : text.slice(1, -1);
}

/** `system("x")`. */
function onlyArgument(scan: Scan): string | undefined {
  const isAlone = isSign(tokenAt(scan, 1), '(') && isSign(tokenAt(scan, 3), ')');
  return isAlone ? stringValue(tokenAt(scan, 2)) : undefined;
}

/** `> "x"`, `| "x"`: the string, if it ends the statement. */
function targetOf(scan: Scan): string | undefined {
  const after = tokenAt(scan, 2);
  return after.type === 'line' || isSign(after, '; }') ? stringValue(tokenAt(scan, 1)) : undefined;
}

function lookAtGetline(scan: Scan): void {
  if (isSign(tokenAt(scan, -1), '| |&')) scan.uses.push({ role: 'code', text: sourceOf(scan) });
  let at = 1;
  while (isSign(tokenAt(scan, at), '$')) at += 1;
  const { type } = tokenAt(scan, at);
  if (type === 'name' || type === 'number') at += 1;
  if (isSign(tokenAt(scan, at), '[ (')) at = pastBrackets(scan, at);
  if (!isSign(tokenAt(scan, at), '<')) {
    if (comparesLater(scan, at)) scan.uses.push({ role: 'reads', text: undefined });
    return;
  }
  const next = tokenAt(scan, at + 2);
  const isWhole = next.type === 'line' || isSign(next, ') ; } > >= < <= == != && ||');
  scan.uses.push({ role: 'reads', text: isWhole ? stringValue(tokenAt(scan, at + 1)) : undefined });
}

/** Whether a `<` follows in the same expression: the text before it may be the variable that getline sets. */
function comparesLater(scan: Scan, from: number): boolean {
  let at = from;
  for (; scan.at + at < scan.tokens.length; at += 1) {
    const token = tokenAt(scan, at);
    if (isSign(token, '<')) return true;
    if (token.type === 'line' || isSign(token, ') ; } && || > >= == != ?')) return false;
  }
  return false;
}

function pastBrackets(scan: Scan, from: number): number {
  let depth = 0;
  let at = from;
  do {
    if (isSign(tokenAt(scan, at), '[ (')) depth += 1;
    if (isSign(tokenAt(scan, at), '] )')) depth -= 1;
    at += 1;
  } while (depth > 0 && scan.at + at < scan.tokens.length);
  return at;
}

/** `"x" | getline`: the string, if it starts the expression. */
function sourceOf(scan: Scan): string | undefined {
  const before = tokenAt(scan, -3);
  const begins = before.type === 'line' || isSign(before, '( { ; } && || !');
  return begins ? stringValue(tokenAt(scan, -2)) : undefined;
}
