/** Translates syntax errors of the YAML library into messages that help with a policy file. */

import type { ErrorCode } from 'yaml';
import { cutText } from '../../../kernel/json.ts';

const useQuotes = 'put the whole text in single quotes';

/** Matched by message, because the error codes are too general. */
const byMessage: readonly (readonly [RegExp, string])[] = [
  [/closing ["']quote/, 'the closing quote of this text is missing'],
  [/end with a (?:\]|\})/, 'the "]" or "}" that ends this is missing, or is not indented enough'],
  [/Sequence item without -/, 'an entry of a list begins with "- ", indented like the others'],
  [/need to be followed by map values/, 'this is no "key: value"; a ":" with a space after it is missing'],
  [/Block scalar header/, 'after "|" or ">" a text begins on the next line'],
  [/node end/, `this follows the end of a value; if it belongs to a text, ${useQuotes}`],
];

const byCode: Partial<Record<ErrorCode, string>> = {
  BAD_DQ_ESCAPE: 'this escape is not known in double quotes; write a backslash as "\\\\", or use single quotes',
  BAD_INDENT: 'this line is indented less or more than it has to be',
  BAD_SCALAR_START: `a text cannot begin with this character; ${useQuotes}`,
  BLOCK_AS_IMPLICIT_KEY: `a mapping cannot begin here; if this is a text with ": " in it, ${useQuotes}`,
  BLOCK_IN_FLOW: 'a block cannot stand between brackets or braces',
  KEY_OVER_1024_CHARS: 'a key is longer than 1024 characters',
  MULTILINE_IMPLICIT_KEY: 'this is no "key: value"; a ":" is missing, or lines are not indented as meant',
  RESOURCE_EXHAUSTION: 'this is nested too deep to be read',
  TAB_AS_INDENT: 'a tab cannot indent a line; use spaces',
  UNEXPECTED_TOKEN: `this cannot stand here; if it belongs to a text, ${useQuotes}`,
};

export function syntaxProblem(code: ErrorCode, message: string): string {
  const known = byMessage.find(([pattern]) => pattern.test(message))?.[1] ?? byCode[code];
  return known ?? `not YAML: ${cutText(message.replaceAll(/\s+/g, ' '), 200)}`;
}
