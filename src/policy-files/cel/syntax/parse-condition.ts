/** Parses the text of a condition and enforces all limits on its size. */

import { type ASTNode, Environment, ParseError } from '@marcbachmann/cel-js';
import { lazy } from '../../../kernel/lazy.ts';

export interface TextSpan {
  readonly offset: number;
  readonly end: number;
}

export interface ConditionProblem extends TextSpan {
  readonly message: string;
  readonly severity: 'error' | 'warning';
}

export type { ASTNode } from '@marcbachmann/cel-js';

/** In characters. */
const maxSourceLength = 8192;
const maxNesting = 64;
const maxNodes = 1000;
const tooDeep = `The condition is nested deeper than ${maxNesting} levels.`;

/** Only the parser of the library is used; the meaning of expressions is defined in `cel/`. */
const grammar = lazy(
  () =>
    new Environment({
      limits: {
        maxDepth: maxNesting,
        maxAstNodes: maxNodes,
        maxListElements: 500,
        maxMapEntries: 100,
        maxCallArguments: 256,
      },
    }),
);

export type ParsedCondition =
  | { readonly ast: ASTNode; readonly problem?: undefined }
  | { readonly problem: ConditionProblem };

export function parseCondition(source: string): ParsedCondition {
  const wholeText = { offset: 0, end: source.length };
  if (source.length > maxSourceLength) {
    return problem(
      wholeText,
      `A condition can have at most ${maxSourceLength} characters; this one has ${source.length}.`,
    );
  }
  if (source.trim() === '') return problem(wholeText, 'The condition is empty.');
  try {
    const { ast } = grammar().parse(source);
    const deep = firstTooDeep(ast);
    return deep === undefined ? { ast } : problem(spanOf(deep), tooDeep);
  } catch (error) {
    if (!(error instanceof ParseError)) return problem(wholeText, 'The condition cannot be parsed.');
    const { start, end } = error.range ?? { start: 0, end: source.length };
    const span = visibleSpan({ offset: start, end }, source);
    const slip = error.summary.startsWith('Unexpected character') ? mistakeAt(source, span) : undefined;
    return slip === undefined ? problem(span, plainMessage(error)) : problem(slip, slip.message);
  }
}

export function spanOf(node: ASTNode): TextSpan {
  return { offset: node.start, end: node.end };
}

/** The operands of a chain of one logical operator, of any length. */
export function operandsOf(node: ASTNode & { readonly op: '||' | '&&' }): readonly ASTNode[] {
  const operands: ASTNode[] = [];
  let at: ASTNode = node;
  while (at.op === node.op) {
    const [left, right] = at.args as readonly [ASTNode, ASTNode];
    operands.push(right);
    at = left;
  }
  return [...operands, at].toReversed();
}

/** Iterative, because the parser limits the nesting of brackets but not the length of operator chains. */
function firstTooDeep(ast: ASTNode): ASTNode | undefined {
  const pending: [ASTNode, number][] = [[ast, 1]];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const [node, depth] = next;
    if (depth > maxNesting) return node;
    for (const child of childrenOf(node)) pending.push([child, depth + 1]);
  }
  return undefined;
}

export function childrenOf(node: ASTNode): readonly ASTNode[] {
  switch (node.op) {
    case 'value':
    case 'id':
      return [];
    case '.':
    case '.?':
      return [node.args[0]];
    case 'call':
      return node.args[1];
    case 'rcall':
      return [node.args[1], ...node.args[2]];
    case 'map':
      return node.args.flat();
    case '!_':
    case '-_':
      return [node.args];
    case '||':
    case '&&':
      return operandsOf(node);
    default:
      return node.args;
  }
}

function problem({ offset, end }: TextSpan, message: string): { readonly problem: ConditionProblem } {
  return { problem: { offset, end, message, severity: 'error' } };
}

/** Moves an empty span, or one after the end, to a visible character. */
function visibleSpan({ offset, end }: TextSpan, source: string): TextSpan {
  const start = Math.min(Math.max(offset, 0), Math.max(source.length - 1, 0));
  return { offset: start, end: Math.min(Math.max(end, start + 1), source.length) };
}

const tokens: Readonly<Record<string, string>> = {
  EOF: 'the end',
  LPAREN: '"("',
  RPAREN: '")"',
  LBRACKET: '"["',
  RBRACKET: '"]"',
  COLON: '":"',
  COMMA: '","',
  DOT: '"."',
  IDENTIFIER: 'a name',
  STRING: 'a string',
  NUMBER: 'a number',
};

/** Rewrites the parser's message in plain words. */
function plainMessage({ code, summary }: ParseError): string {
  if (code === 'invalid_macro_argument') return 'This must be a name for the item.';
  if (code === 'limit_exceeded') return summary.includes('maxDepth') ? tooDeep : 'The condition has too many parts.';
  const words = summary.replaceAll(/\b[A-Z]{3,}\b/g, (token) =>
    Object.hasOwn(tokens, token) ? (tokens[token] ?? token) : token,
  );
  return words.endsWith('.') ? words : `${words}.`;
}

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
function mistakeAt(source: string, { offset, end }: TextSpan): Mistake | undefined {
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
