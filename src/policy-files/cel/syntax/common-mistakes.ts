/** Recognises syntax of other languages at the point where the parser stopped. */

import type { TextSpan } from './condition-problem.ts';

interface Mistake extends TextSpan {
  readonly message: string;
}

const operatorWords: Readonly<Record<string, string>> = { and: '&&', or: '||', not: '!' };
const operators: Readonly<Record<string, string>> = {
  '=': '==',
  '===': '==',
  '!==': '!=',
  '&': '&&',
  '|': '||',
  '<>': '!=',
};
const curlyQuote = /[\u2018-\u201f]/;

/** The mistake at this point; undefined if it is not a known one. */
export function mistakeAt(source: string, { offset, end }: TextSpan): Mistake | undefined {
  if (curlyQuote.test(source[offset] ?? '')) {
    const message = 'This is a curly quote; use straight quotes, " or \'.';
    return { offset, end: offset + 1, message };
  }
  return wordMistake(source, offset) ?? operatorMistake(source, offset) ?? strayWord(source, { offset, end });
}

function wordMistake(source: string, offset: number): Mistake | undefined {
  const [here] = /^[A-Za-z]+/.exec(source.slice(offset)) ?? [];
  const [before] = /\bnot(?=\s+$)/i.exec(source.slice(0, offset)) ?? [];
  const word = isOperatorWord(here) ? here : before;
  if (!isOperatorWord(word)) return undefined;
  const at = word === here ? offset : source.slice(0, offset).trimEnd().length - word.length;
  return {
    offset: at,
    end: at + word.length,
    message: `Write ${operatorWords[word.toLowerCase()]} instead of "${word}".`,
  };
}

function isOperatorWord(word: string | undefined): word is string {
  return word !== undefined && Object.hasOwn(operatorWords, word.toLowerCase());
}

function operatorMistake(source: string, offset: number): Mistake | undefined {
  const signs = /[=!<>&|]/;
  let [from, to] = [offset, offset];
  while (signs.test(source[from - 1] ?? '')) from--;
  while (signs.test(source[to] ?? '')) to++;
  const written = source.slice(from, to);
  if (!Object.hasOwn(operators, written)) return undefined;
  return { offset: from, end: to, message: `Write ${operators[written]} instead of "${written}".` };
}

/** The parser reports only the first letter of an unexpected word. */
function strayWord(source: string, { offset, end }: TextSpan): Mistake | undefined {
  const [word] = /^\w+/.exec(source.slice(offset)) ?? [];
  if (word === undefined || offset === 0) return undefined;
  const shown = word.length > 40 ? `${word.slice(0, 40)}…` : word;
  const message = `"${shown}" is not expected here; is an operator such as && or == missing before it?`;
  return { offset, end: Math.max(end, offset + word.length), message };
}
