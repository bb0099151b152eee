/** What is wrong with the YAML of a policy file, in words that help with a policy file. */

import type { CST, ErrorCode } from 'yaml';
import { cutText } from '../../../kernel/json.ts';

const useQuotes = 'put the whole string in single quotes';

/** Matched by message, because the error codes are too general. */
const byMessage: readonly (readonly [RegExp, string])[] = [
  [/closing ["']quote/, 'this string has no closing quote'],
  [/end with a (?:\]|\})/, 'the closing "]" or "}" is missing, or is not indented enough'],
  [/Sequence item without -/, 'a list entry starts with "- " and is indented like the others'],
  [/need to be followed by map values/, 'this is not "key: value"; write a ":" and a space after the key'],
  [/Block scalar header/, 'after "|" or ">", the text starts on the next line'],
  [/node end/, `this comes after the end of a value; if it is part of a string, ${useQuotes}`],
];

const byCode: Partial<Record<ErrorCode, string>> = {
  BAD_DQ_ESCAPE: 'this escape is not valid in double quotes; write a backslash as "\\\\", or use single quotes',
  BAD_INDENT: 'this line has the wrong indentation',
  BAD_SCALAR_START: `a string cannot start with this character; ${useQuotes}`,
  BLOCK_AS_IMPLICIT_KEY: `a mapping cannot start here; if this is a string that contains ": ", ${useQuotes}`,
  BLOCK_IN_FLOW: 'a block is not allowed inside brackets or braces',
  KEY_OVER_1024_CHARS: 'a key is longer than 1024 characters',
  MULTILINE_IMPLICIT_KEY: 'this is not "key: value"; a ":" is missing, or the indentation is wrong',
  RESOURCE_EXHAUSTION: 'this is nested too deeply',
  TAB_AS_INDENT: 'a tab cannot indent a line; use spaces',
  UNEXPECTED_TOKEN: `this is not allowed here; if it is part of a string, ${useQuotes}`,
};

/** Translates a syntax error of the YAML library. */
export function syntaxProblem(code: ErrorCode, message: string): string {
  const known = byMessage.find(([pattern]) => pattern.test(message))?.[1] ?? byCode[code];
  return known ?? `invalid YAML: ${cutText(message.replaceAll(/\s+/g, ' '), 200)}`;
}

/** The offset of the quote or bracket that was never closed. The library reports only where it noticed. */
export function unclosedOpening(tokens: readonly CST.Token[], noticedAt: number): number | undefined {
  let opening: number | undefined;
  const pending: unknown[] = [...tokens];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (typeof next !== 'object' || next === null) continue;
    const at = openingAt(next as CST.Token);
    // Of several unclosed ones, the last opened is the one to report.
    if (at !== undefined && at <= noticedAt && at > (opening ?? -1)) opening = at;
    for (const part of Object.values(next)) {
      if (Array.isArray(part)) for (const each of part) pending.push(each);
      else if (typeof part === 'object') pending.push(part);
    }
  }
  return opening;
}

function openingAt(token: CST.Token): number | undefined {
  if (token.type === 'flow-collection') {
    const isClosed = token.end.some(({ type }) => type === 'flow-seq-end' || type === 'flow-map-end');
    return isClosed ? undefined : token.start.offset;
  }
  if (token.type !== 'double-quoted-scalar' && token.type !== 'single-quoted-scalar') return undefined;
  const { source, offset } = token;
  return source.length > 1 && source.endsWith(source.charAt(0)) ? undefined : offset;
}
