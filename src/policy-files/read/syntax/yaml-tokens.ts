/**
 * Splits YAML into tokens, within limits. Rejects YAML features that policy files do not support before anything is
 * built.
 */

import { Lexer, Parser, type CST } from 'yaml';
import { quoteName } from '../../../kernel/names.ts';
import type { FileReport } from './file-report.ts';

export const maxLevels = 32;
/** A 1 MiB file full of rules has about 270,000. Files with more consist almost only of punctuation. */
const maxLexemes = 300_000;
/** The lexer emits this before the text of a scalar. */
const scalarPrefix = '\x1f';

/** The tokens of `text`; undefined if a problem was reported. */
export function yamlTokens(text: string, report: FileReport): CST.Token[] | undefined {
  const parser = new Parser();
  const tokens: CST.Token[] = [];
  let [count, isScalar] = [0, false];
  for (const lexeme of new Lexer().lex(text)) {
    const at = parser.offset;
    const problem = isScalar ? undefined : lexemeProblem(lexeme);
    if (problem !== undefined) return report.problem(at, problem);
    isScalar = !isScalar && lexeme === scalarPrefix;
    for (const token of parser.next(lexeme)) tokens.push(token);
    if (levelsOf(parser.stack) > maxLevels) {
      return report.problem(at, `nested deeper than ${maxLevels} levels`);
    }
    if (++count > maxLexemes) {
      return report.problem(
        at,
        `the file has more than ${maxLexemes} YAML tokens; split it and list the parts in extends`,
      );
    }
  }
  for (const token of parser.end()) tokens.push(token);
  return tokens;
}

/** The nesting depth of the token being parsed. */
function levelsOf(stack: readonly CST.Token[]): number {
  const top = stack.at(-1);
  return stack.length - (top !== undefined && 'items' in top ? 1 : 2);
}

function lexemeProblem(lexeme: string): string | undefined {
  switch (lexeme[0]) {
    case '%':
      return `${quoteName(lexeme)} is a YAML directive; policy files do not support directives, they are always YAML 1.2`;
    case '&':
      return `${quoteName(lexeme)} is a YAML anchor; policy files do not support anchors, so repeat the value`;
    case '*':
      return lexeme.length > 1 && lexeme !== '*/*'
        ? `${quoteName(lexeme)} is a YAML alias; policy files do not support aliases, so put it in quotes if you mean a string`
        : `"*" starts an alias in YAML; put it in quotes: '*'`;
    case '!':
      return `${quoteName(lexeme)} is a YAML tag; policy files do not support tags, so put a condition that starts with "!" in quotes`;
    default:
      return undefined;
  }
}
