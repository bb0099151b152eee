/** Calling functions: of values, facts, patterns. */

import type { JsonValue } from '../../json.ts';
import { messageOf } from '../../errors.ts';
import { buildHas } from './access.ts';
import { aType, bool, type CelType, isNumber } from './cel-type.ts';
import { type Evaluation, failed, kindOfValue, type Run, Trouble, type Value, worst } from './evaluation.ts';
import type { CelFacts, Told } from './facts.ts';
import type { CallFactRow, FunctionRow, Taken, TextFactRow, ValueRow } from './function-row.ts';
import { functionsBehind } from './functions.ts';
import { buildLoop } from './loops.ts';
import { nearestName } from './nearest-name.ts';
import { type ASTNode, spanOf } from './parse.ts';
import { compilePattern } from './pattern.ts';
import type { Span } from './problem.ts';
import { type Part, refuse, type Scope, type TextUse } from './scope.ts';

type CallNode = ASTNode & { readonly op: 'call' | 'rcall' };

/** Builds calls with these facts behind their names. */
export function callBuilder(facts: CelFacts): (node: CallNode, scope: Scope) => Part {
  return (node, scope) => {
    const row = functionsBehind(node.op === 'rcall').get(node.args[0]);
    if (row === undefined) return refuse(scope, node, noSuchFunction(node));
    return build({ row, node, facts }, scope);
  };
}

interface Call<Row extends FunctionRow = FunctionRow> {
  readonly row: Row;
  readonly node: CallNode;
  readonly facts: CelFacts;
}

function build({ row, node, facts }: Call, scope: Scope): Part {
  switch (row.type) {
    case 'call fact':
      return buildCallFact({ row, node, facts }, scope);
    case 'text fact':
      return buildTextFact({ row, node, facts }, scope);
    case 'function':
    case 'method':
      return buildValueCall({ row, node, facts }, scope);
    case 'presence':
      return node.op === 'call' ? buildHas(node, scope) : refuse(scope, node, `Write ${row.signature}.`);
    case 'pattern':
      return buildMatches(node, scope);
    case 'loop':
      return node.op === 'rcall' ? buildLoop(node, scope) : refuse(scope, node, `Write ${row.signature}.`);
    default:
      return row satisfies never;
  }
}

function buildCallFact({ row, node, facts }: Call<CallFactRow>, scope: Scope): Part {
  const texts = constants({ row, node, facts }, scope);
  if (texts === undefined) return broken(row);
  scope.findings.facts.add(row.name);
  const fact = make(() => row.make(facts, texts));
  if ('problem' in fact) return refuse(scope, node, withoutName(fact.problem, row.name));
  const at = spanOf(node);
  const run: Run = (evaluation) => {
    evaluation.spend(5);
    return told(fact.made(evaluation.call, evaluation.about.tool), row, at);
  };
  return { type: row.returns, run };
}

function buildTextFact({ row, node, facts }: Call<TextFactRow>, scope: Scope): Part {
  const text = scope.build(node.args[1] as ASTNode, scope);
  const texts = constants({ row, node, facts }, scope);
  if (texts === undefined) return broken(row);
  if (!accepts('text', text.type)) return refuse(scope, node, `${aType(text.type)} is not a text.`);
  scope.findings.facts.add(row.name);
  const fact = make(() => row.make(facts, texts));
  if ('problem' in fact) return refuse(scope, node, withoutName(fact.problem, row.name));
  const at = spanOf(node);
  const run: Run = (evaluation) => {
    const value = text.run(evaluation);
    if (value instanceof Trouble) return value;
    if (typeof value !== 'string') return failed(`a ${kindOfValue(value)} is not a text`, at);
    evaluation.spend(5 + value.length / 100);
    return told(fact.made(value), row, at);
  };
  return { type: row.returns, run };
}

function buildMatches(node: CallNode, scope: Scope): Part {
  const text = scope.build(node.args[1] as ASTNode, scope);
  const [pattern, ...more] = argumentsOf(node);
  if (pattern === undefined || more.length > 0) return refuse(scope, node, 'Write text.matches("pattern").');
  if (!accepts('text', text.type)) return refuse(scope, node, `${aType(text.type)} cannot match a pattern.`);
  const [constant] = literals([pattern], scope, { use: 'pattern', function: 'matches' }) ?? [];
  if (constant === undefined) return { type: bool, run: () => failed('there is no pattern') };
  const compiled = compilePattern(constant);
  if ('problem' in compiled) return refuse(scope, pattern, compiled.problem);
  const at = spanOf(node);
  const run: Run = (evaluation) => {
    const value = text.run(evaluation);
    if (value instanceof Trouble) return value;
    if (typeof value !== 'string') return failed(`a ${kindOfValue(value)} cannot match a pattern`, at);
    evaluation.spend(1 + (value.length * compiled.size) / 100);
    return compiled.test(value);
  };
  return { type: bool, run };
}

function buildValueCall({ row, node }: Call<ValueRow>, scope: Scope): Part {
  const given = node.op === 'rcall' ? [node.args[1], ...node.args[2]] : node.args[1];
  if (given.length !== row.takes.length) return refuse(scope, node, `Write ${row.signature}.`);
  const parts = given.map((each) => scope.build(each, scope));
  const misfit = parts.findIndex(({ type }, index) => !accepts(row.takes[index] as Taken, type));
  if (misfit !== -1) {
    const { type } = parts[misfit] as Part;
    return refuse(scope, given[misfit] as ASTNode, `"${row.signature}" does not take ${aType(type)} here.`);
  }
  const at = spanOf(node);
  return {
    type: row.returns,
    run: (evaluation) =>
      apply(
        row,
        parts.map(({ run }) => run(evaluation)),
        { evaluation, at },
      ),
  };
}

function apply(
  row: ValueRow,
  values: readonly Value[],
  { evaluation, at }: { evaluation: Evaluation; at: Span },
): Value {
  let trouble: Trouble | undefined;
  for (const value of values) trouble = worst(trouble, value);
  if (trouble !== undefined) return trouble;
  const wrong = values.findIndex((value, index) => !isTaken(row.takes[index] as Taken, value));
  if (wrong !== -1) return failed(`${row.signature} does not take a ${kindOfValue(values[wrong] as Value)}`, at);
  const value = row.run(values as readonly JsonValue[], evaluation);
  return value instanceof Trouble ? new Trouble(value.type, value.why, at) : value;
}

/** The texts in quotes that a fact is asked about; undefined if they are not as they must be. */
function constants({ row, node }: Call<CallFactRow | TextFactRow>, scope: Scope): readonly string[] | undefined {
  const given = argumentsOf(node);
  const { asked } = row;
  const fits =
    given.length <= (asked?.most ?? 0) && given.length >= (asked === undefined || asked.optional === true ? 0 : 1);
  if (fits) return asked === undefined ? [] : literals(given, scope, { use: asked.use, function: row.name });
  const other = row.type === 'call fact' ? ` To ask about a text, write it before a dot: text.${row.name}(…).` : '';
  refuse(scope, node, `Write ${row.signature}.${other}`);
  return undefined;
}

function literals(
  nodes: readonly ASTNode[],
  scope: Scope,
  as: { readonly use: TextUse; readonly function: string },
): readonly string[] | undefined {
  const texts: string[] = [];
  for (const node of nodes) {
    if (node.op === 'value' && typeof node.args === 'string') {
      texts.push(node.args);
      scope.findings.texts.push({ ...as, text: node.args, ...spanOf(node) });
    } else refuse(scope, node, 'This must be a text in quotes, so that it can be checked beforehand.');
  }
  return texts.length === nodes.length ? texts : undefined;
}

function argumentsOf(node: CallNode): readonly ASTNode[] {
  return node.op === 'rcall' ? node.args[2] : node.args[1];
}

function broken({ returns }: { readonly returns: CelType }): Part {
  return { type: returns, run: () => failed('what is asked about is not a text in quotes') };
}

/** A fact says itself if it cannot be asked about a text. */
function make<Made>(maker: () => Made): { readonly made: Made } | { readonly problem: string } {
  try {
    return { made: maker() };
  } catch (error) {
    return { problem: messageOf(error) };
  }
}

/** What a fact says begins with its name, and the place tells that already. */
function withoutName(problem: string, name: string): string {
  return problem.startsWith(`${name}: `) ? problem.slice(name.length + 2) : problem;
}

function told(value: Told, row: CallFactRow | TextFactRow, at: Span): Value {
  if (typeof value === row.returns.kind || (typeof value === 'boolean' && row.returns === bool)) return value;
  if (typeof value === 'object' && value !== null && value.type === 'unknown')
    return new Trouble('unknown', value.why, at);
  return failed(`${row.name} gave no answer`, at);
}

function accepts(taken: Taken, type: CelType): boolean {
  if (type.kind === 'dyn') return true;
  switch (taken) {
    case 'text':
      return type.kind === 'string';
    case 'list':
      return type.kind === 'list';
    case 'sized':
      return ['string', 'list', 'map'].includes(type.kind);
    case 'number or text':
      return type.kind === 'string' || isNumber(type);
    case 'scalar':
      return type.kind === 'string' || type.kind === 'bool' || isNumber(type);
    default:
      return taken satisfies never;
  }
}

function isTaken(taken: Taken, value: Value): boolean {
  const kind = kindOfValue(value);
  switch (taken) {
    case 'text':
      return kind === 'string';
    case 'list':
      return kind === 'list';
    case 'sized':
      return kind === 'string' || kind === 'list' || kind === 'map';
    case 'number or text':
      return kind === 'string' || kind === 'number';
    case 'scalar':
      return kind === 'string' || kind === 'number' || kind === 'bool';
    default:
      return taken satisfies never;
  }
}

/** What other languages call it. */
const elsewhere: ReadonlyMap<string, string> = new Map([
  ['includes', 'contains'],
  ['has', 'contains'],
  ['toLowerCase', 'lowerAscii'],
  ['toUpperCase', 'upperAscii'],
  ['match', 'matches'],
  ['test', 'matches'],
  ['length', 'size'],
  ['some', 'exists'],
  ['any', 'exists'],
  ['every', 'all'],
]);

function noSuchFunction(node: CallNode): string {
  const [name] = node.args;
  const isDotted = node.op === 'rcall';
  const other = functionsBehind(!isDotted).get(name);
  if (other !== undefined) return `Write ${other.signature}.`;
  const meant = elsewhere.get(name) ?? nearestName(name, functionsBehind(isDotted).keys());
  return `There is no function "${name}"${isDotted ? ' behind a dot' : ''}.${meant === undefined ? '' : ` Did you mean "${meant}"?`}`;
}
