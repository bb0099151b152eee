/**
 * Parses YAML 1.2 (core schema) into nodes, within limits. YAML features that policy files do not support are rejected
 * before anything is built.
 */

import {
  Composer,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  Parser,
  type CST,
  type Document,
  type ParsedNode,
  type Scalar,
} from 'yaml';
import { quoteName } from '../../../kernel/names.ts';
import { BridleError } from '../../../kernel/errors.ts';
import { maxLevels, type FileNode, type MapEntry, type ScalarNode, type ScalarStyle } from './file-node.ts';
import type { FileReport } from './file-report.ts';
import { syntaxProblem, unclosedOpening } from './yaml-problems.ts';

/** A 1 MiB file full of rules has about 270,000. Files with more consist almost only of punctuation. */
const maxLexemes = 300_000;
/** The lexer emits this before the text of a scalar. */
const scalarPrefix = '\x1f';
const maxSyntaxErrors = 3;
const unclosedMessage = /closing ["']quote|end with a [\]}]/;

/** The root node; undefined if a problem was reported. */
export function yamlNodes(text: string, report: FileReport): FileNode | undefined {
  const tokens = yamlTokens(text, report);
  if (tokens === undefined) return undefined;
  const [document, second] = compose(tokens);
  if (second !== undefined) {
    return report.problem(second.range[0], 'a second YAML document starts here; a policy file has only one');
  }
  const errors = [...(document?.errors ?? []), ...(document?.warnings ?? [])];
  const reported = new Set<number>();
  for (const { pos, code, message } of errors) {
    const isUnclosed = unclosedMessage.test(message);
    const at = (isUnclosed ? unclosedOpening(tokens, pos[0]) : undefined) ?? pos[0];
    // The library often reports one mistake in several ways.
    if (!reported.has(at)) report.problem(at, () => syntaxProblem(code, message));
    reported.add(at);
    // After an unclosed quote or bracket, or several errors, later errors are usually consequences.
    if (isUnclosed || reported.size === maxSyntaxErrors) break;
  }
  if (errors.length > 0) return undefined;
  const root = document?.contents ?? undefined;
  const nodes = root === undefined ? undefined : convert(root, root.range[0], report);
  const isEmpty = nodes === undefined || (nodes.type === 'scalar' && nodes.value === null);
  return isEmpty ? report.problem(0, 'the file has no content; begin with "version: 1"') : nodes;
}

/** The tokens of `text`; undefined if a problem was reported. */
function yamlTokens(text: string, report: FileReport): CST.Token[] | undefined {
  const parser = new Parser();
  const tokens: CST.Token[] = [];
  let [count, isScalarText] = [0, false];
  for (const lexeme of new Lexer().lex(text)) {
    const at = parser.offset;
    const problem = isScalarText ? undefined : lexemeProblem(lexeme);
    if (problem !== undefined) return report.problem(at, problem);
    isScalarText = !isScalarText && lexeme === scalarPrefix;
    for (const token of parser.next(lexeme)) tokens.push(token);
    if (levelsOf(parser.stack) > maxLevels) return report.problem(at, `nested deeper than ${maxLevels} levels`);
    if (++count > maxLexemes) {
      const limit = `the file has more than ${maxLexemes} YAML tokens`;
      return report.problem(at, `${limit}; split it and list the parts in extends`);
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

/** Why a policy file must not contain a lexeme; undefined if it may. */
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

function compose(tokens: readonly CST.Token[]): readonly Document.Parsed[] {
  const composer = new Composer({
    version: '1.2',
    schema: 'core',
    strict: true,
    merge: false,
    // The library compares each key with every other key, which is slow; `convert` does it faster.
    uniqueKeys: false,
    keepSourceTokens: true,
    prettyErrors: false,
    logLevel: 'silent',
  });
  // A malicious file can cause 150,000 errors, and their stack traces would take seconds.
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return [...composer.compose(tokens)];
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/** `at`: the offset used for an empty node. */
function convert(node: ParsedNode | null, at: number, report: FileReport): FileNode {
  if (node === null) return emptyAt(at);
  if (isScalar(node)) return convertScalar(node, at, report);
  if (isSeq(node)) {
    const start = node.range[0];
    return { type: 'list', at: start, items: node.items.map((item) => convert(item, start, report)) };
  }
  if (isMap(node)) {
    const entries: MapEntry[] = [];
    const seen = new Set<string>();
    for (const { key, value } of node.items as readonly { key: ParsedNode | null; value: ParsedNode | null }[]) {
      const name = convert(key, value?.range[0] ?? node.range[0], report);
      const text = keyText(name, report);
      if (text === undefined) continue;
      if (seen.has(text)) report.problem(name.at, `the key ${quoteName(text)} appears twice`);
      seen.add(text);
      entries.push({ key: text, at: name.at, value: convert(value, name.at, report) });
    }
    return { type: 'map', at: node.range[0], entries };
  }
  // Unreachable: `yamlTokens` rejects aliases.
  throw new BridleError('POLICY_FILE', `${report.file}: unexpected YAML alias`);
}

function keyText(key: FileNode, report: FileReport): string | undefined {
  if (key.type !== 'scalar') return report.problem(key.at, 'a key must be a string, not a list or a mapping');
  if (key.value === '<<' && key.style === 'plain') {
    return report.problem(key.at, 'policy files do not support merge keys; write the keys out');
  }
  if (typeof key.value === 'string') return key.value;
  if (key.style === 'empty') return report.problem(key.at, 'a key is missing before ":"');
  return report.problem(key.at, `the key ${quoteName(key.raw)} is not a string; put it in quotes if you mean one`);
}

const styles: Readonly<Record<string, ScalarStyle>> = {
  scalar: 'plain',
  'single-quoted-scalar': 'single',
  'double-quoted-scalar': 'double',
  'block-scalar': 'block',
};

function convertScalar(node: Scalar.Parsed, at: number, report: FileReport): ScalarNode {
  const token = node.srcToken;
  const raw = token === undefined ? '' : sourceOf(token);
  if (token === undefined || raw === '') return emptyAt(at);
  const { value } = node as { value: string | number | boolean | null };
  const start = node.range[0];
  if (typeof value === 'string' && !value.isWellFormed()) {
    report.problem(start, 'this string contains half of a surrogate pair');
  }
  const indent = token.type === 'block-scalar' ? token.indent : 0;
  return { type: 'scalar', at: start, raw, style: styles[token.type] ?? 'plain', indent, value };
}

function sourceOf(token: CST.Token): string {
  if (token.type !== 'block-scalar') return 'source' in token ? token.source : '';
  return token.props.map((prop) => ('source' in prop ? prop.source : '')).join('') + token.source;
}

function emptyAt(at: number): ScalarNode {
  return { type: 'scalar', at, raw: '', style: 'empty', indent: 0, value: null };
}
