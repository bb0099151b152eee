/** Builds calls of functions, facts and patterns. */

import type { JsonValue } from '../../kernel/json.ts';
import { messageOf } from '../../kernel/errors.ts';
import { buildHas } from './build-access.ts';
import { describeType, bool, type CelType, isNumber } from './expression/cel-type.ts';
import {
  type Evaluation,
  failure,
  kindOfValue,
  type Evaluator,
  NoValue,
  type CelValue,
  worseOf,
} from './expression/evaluation.ts';
import type {
  ConditionFacts,
  FactResult,
  CallFactRow,
  FunctionRow,
  ParameterKind,
  TextFactRow,
  ValueRow,
} from './functions/function-row.ts';
import { functionsByName } from './functions/function-table.ts';
import { buildLoop } from './build-loops.ts';
import {
  nearestName,
  type CheckedExpression,
  rejectExpression,
  type ExpressionScope,
  type TextUse,
} from './expression/checked-expression.ts';
import { type ASTNode, spanOf, type TextSpan } from './syntax/parse-condition.ts';
import { compilePattern } from '../../tools/text/pattern.ts';

type CallNode = ASTNode & { readonly op: 'call' | 'rcall' };

/** Builds calls with these implementations of the facts. */
export function callBuilder(facts: ConditionFacts): (node: CallNode, scope: ExpressionScope) => CheckedExpression {
  return (node, scope) => {
    const row = functionsByName(node.op === 'rcall').get(node.args[0]);
    if (row === undefined) return rejectExpression(scope, node, noSuchFunction(node));
    return buildByRow({ row, node, facts }, scope);
  };
}

interface Call<Row extends FunctionRow = FunctionRow> {
  readonly row: Row;
  readonly node: CallNode;
  readonly facts: ConditionFacts;
}

function buildByRow({ row, node, facts }: Call, scope: ExpressionScope): CheckedExpression {
  switch (row.type) {
    case 'call fact':
      return buildCallFact({ row, node, facts }, scope);
    case 'text fact':
      return buildTextFact({ row, node, facts }, scope);
    case 'function':
    case 'method':
      return buildValueCall({ row, node, facts }, scope);
    case 'presence':
      return node.op === 'call' ? buildHas(node, scope) : rejectExpression(scope, node, `Write ${row.signature}.`);
    case 'pattern':
      return buildMatches(node, scope);
    case 'loop':
      return node.op === 'rcall' ? buildLoop(node, scope) : rejectExpression(scope, node, `Write ${row.signature}.`);
    default:
      return row satisfies never;
  }
}

function buildCallFact({ row, node, facts }: Call<CallFactRow>, scope: ExpressionScope): CheckedExpression {
  const texts = constantArguments({ row, node, facts }, scope);
  if (texts === undefined) return invalidArguments(row);
  scope.findings.facts.add(row.name);
  const fact = tryMake(() => row.make(facts, texts));
  if ('problem' in fact) return rejectExpression(scope, node, withoutFunctionName(fact.problem, row.name));
  const at = spanOf(node);
  const run: Evaluator = (evaluation) => {
    evaluation.spend(5);
    return factValue(fact.made(evaluation.call, evaluation.context.tool), row, at);
  };
  return { type: row.returns, run };
}

function buildTextFact({ row, node, facts }: Call<TextFactRow>, scope: ExpressionScope): CheckedExpression {
  const text = scope.build(node.args[1] as ASTNode, scope);
  const texts = constantArguments({ row, node, facts }, scope);
  if (texts === undefined) return invalidArguments(row);
  if (!acceptsType('text', text.type))
    return rejectExpression(scope, node, `${describeType(text.type)} is not a string.`);
  scope.findings.facts.add(row.name);
  const fact = tryMake(() => row.make(facts, texts));
  if ('problem' in fact) return rejectExpression(scope, node, withoutFunctionName(fact.problem, row.name));
  const at = spanOf(node);
  const run: Evaluator = (evaluation) => {
    const value = text.run(evaluation);
    if (value instanceof NoValue) return value;
    if (typeof value !== 'string') return failure(`a ${kindOfValue(value)} is not a string`, at);
    evaluation.spend(5 + value.length / 100);
    return factValue(fact.made(value), row, at);
  };
  return { type: row.returns, run };
}

function buildMatches(node: CallNode, scope: ExpressionScope): CheckedExpression {
  const text = scope.build(node.args[1] as ASTNode, scope);
  const [pattern, ...more] = argumentsOf(node);
  if (pattern === undefined || more.length > 0) return rejectExpression(scope, node, 'Write text.matches("pattern").');
  if (!acceptsType('text', text.type))
    return rejectExpression(scope, node, `${describeType(text.type)} cannot match a pattern.`);
  const [constant] = literalTexts([pattern], scope, { use: 'pattern', function: 'matches' }) ?? [];
  if (constant === undefined) return { type: bool, run: () => failure('the pattern is missing') };
  const compiled = compilePattern(constant);
  if ('problem' in compiled) return rejectExpression(scope, pattern, compiled.problem);
  const at = spanOf(node);
  const run: Evaluator = (evaluation) => {
    const value = text.run(evaluation);
    if (value instanceof NoValue) return value;
    if (typeof value !== 'string') return failure(`a ${kindOfValue(value)} cannot match a pattern`, at);
    evaluation.spend(1 + (value.length * compiled.size) / 100);
    return compiled.test(value);
  };
  return { type: bool, run };
}

function buildValueCall({ row, node }: Call<ValueRow>, scope: ExpressionScope): CheckedExpression {
  const given = node.op === 'rcall' ? [node.args[1], ...node.args[2]] : node.args[1];
  if (given.length !== row.parameters.length) return rejectExpression(scope, node, `Write ${row.signature}.`);
  const parts = given.map((each) => scope.build(each, scope));
  const mismatch = parts.findIndex(({ type }, index) => !acceptsType(row.parameters[index] as ParameterKind, type));
  if (mismatch !== -1) {
    const { type } = parts[mismatch] as CheckedExpression;
    return rejectExpression(
      scope,
      given[mismatch] as ASTNode,
      `"${row.signature}" does not accept ${describeType(type)} here.`,
    );
  }
  const at = spanOf(node);
  return {
    type: row.returns,
    run: (evaluation) =>
      applyFunction(
        row,
        parts.map(({ run }) => run(evaluation)),
        { evaluation, at },
      ),
  };
}

function applyFunction(
  row: ValueRow,
  values: readonly CelValue[],
  { evaluation, at }: { evaluation: Evaluation; at: TextSpan },
): CelValue {
  let noValue: NoValue | undefined;
  for (const value of values) noValue = worseOf(noValue, value);
  if (noValue !== undefined) return noValue;
  const mismatch = values.findIndex((value, index) => !acceptsValue(row.parameters[index] as ParameterKind, value));
  if (mismatch !== -1)
    return failure(`${row.signature} does not accept a ${kindOfValue(values[mismatch] as CelValue)}`, at);
  const value = row.run(values as readonly JsonValue[], evaluation);
  return value instanceof NoValue ? new NoValue(value.type, value.why, at) : value;
}

/** The string literals passed to a fact; undefined if they are invalid. */
function constantArguments(
  { row, node }: Call<CallFactRow | TextFactRow>,
  scope: ExpressionScope,
): readonly string[] | undefined {
  const given = argumentsOf(node);
  const { textArguments } = row;
  const fits =
    given.length <= (textArguments?.max ?? 0) &&
    given.length >= (textArguments === undefined || textArguments.optional === true ? 0 : 1);
  if (fits)
    return textArguments === undefined
      ? []
      : literalTexts(given, scope, { use: textArguments.use, function: row.name });
  const other = row.type === 'call fact' ? ` To check a string, write it before a dot: text.${row.name}(…).` : '';
  rejectExpression(scope, node, `Write ${row.signature}.${other}`);
  return undefined;
}

function literalTexts(
  nodes: readonly ASTNode[],
  scope: ExpressionScope,
  as: { readonly use: TextUse; readonly function: string },
): readonly string[] | undefined {
  const texts: string[] = [];
  for (const node of nodes) {
    if (node.op === 'value' && typeof node.args === 'string') {
      texts.push(node.args);
      scope.findings.texts.push({ ...as, text: node.args, ...spanOf(node) });
    } else
      rejectExpression(
        scope,
        node,
        'This must be a string in quotes, so that it can be checked when the policy is loaded.',
      );
  }
  return texts.length === nodes.length ? texts : undefined;
}

function argumentsOf(node: CallNode): readonly ASTNode[] {
  return node.op === 'rcall' ? node.args[2] : node.args[1];
}

function invalidArguments({ returns }: { readonly returns: CelType }): CheckedExpression {
  return { type: returns, run: () => failure('the argument is not a string in quotes') };
}

/** A fact throws if a string is not valid for it. */
function tryMake<Made>(maker: () => Made): { readonly made: Made } | { readonly problem: string } {
  try {
    return { made: maker() };
  } catch (error) {
    return { problem: messageOf(error) };
  }
}

/** The message of a fact starts with its name, which the position already shows. */
function withoutFunctionName(problem: string, name: string): string {
  return problem.startsWith(`${name}: `) ? problem.slice(name.length + 2) : problem;
}

function factValue(value: FactResult, row: CallFactRow | TextFactRow, at: TextSpan): CelValue {
  if (typeof value === row.returns.kind || (typeof value === 'boolean' && row.returns === bool)) return value;
  if (typeof value === 'object' && value !== null && value.type === 'unknown')
    return new NoValue('unknown', value.why, at);
  return failure(`${row.name} gave no result`, at);
}

function acceptsType(parameter: ParameterKind, type: CelType): boolean {
  if (type.kind === 'dyn') return true;
  switch (parameter) {
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
      return parameter satisfies never;
  }
}

function acceptsValue(parameter: ParameterKind, value: CelValue): boolean {
  const kind = kindOfValue(value);
  switch (parameter) {
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
      return parameter satisfies never;
  }
}

/** Function names of other languages. */
const otherLanguageNames: ReadonlyMap<string, string> = new Map([
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
  const other = functionsByName(!isDotted).get(name);
  if (other !== undefined) return `Write ${other.signature}.`;
  const suggestion = otherLanguageNames.get(name) ?? nearestName(name, functionsByName(isDotted).keys());
  return `There is no function "${name}"${isDotted ? ' after a dot' : ''}.${suggestion === undefined ? '' : ` Did you mean "${suggestion}"?`}`;
}
