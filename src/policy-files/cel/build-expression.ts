/** Checks an expression and compiles it to a function, node by node. */

import { buildField, buildItem, buildVariable } from './build-access.ts';
import { bool, double, unionType, int, nullType, string } from './expression/cel-type.ts';
import { type Evaluator, NoValue, type CelValue, worseOf, failure, kindOfValue } from './expression/evaluation.ts';
import type { JsonValue } from '../../kernel/json.ts';
import { buildBinary, buildMinus } from './build-operators.ts';
import { type ASTNode, operandsOf, spanOf, type TextSpan } from './syntax/parse-condition.ts';
import { type CheckedExpression, rejectExpression, type ExpressionScope } from './expression/checked-expression.ts';
import { fieldsPresentIf, union } from './syntax/field-presence.ts';

type BuildCall = (node: ASTNode & { readonly op: 'call' | 'rcall' }, scope: ExpressionScope) => CheckedExpression;

export function expressionBuilder(buildCall: BuildCall): ExpressionScope['build'] {
  return (node, scope) => {
    switch (node.op) {
      case 'value':
        return buildLiteral(node, scope);
      case 'id':
        return buildVariable(node, scope);
      case '.':
        return buildField(node, scope);
      case '[]':
        return buildItem(node, scope);
      case 'call':
      case 'rcall':
        return buildCall(node, scope);
      case 'list':
        return buildList(node, scope);
      case '||':
      case '&&':
        return buildLogic(node, scope);
      case '!_':
        return buildNot(node, scope);
      case '?:':
        return buildConditional(node, scope);
      case '-_':
        return buildMinus(node, scope);
      case 'map':
      case '.?':
      case '[?]':
        return rejectExpression(scope, node, 'Conditions do not support this.');
      default:
        return buildBinary(node, scope);
    }
  };
}

function buildLiteral(node: ASTNode & { readonly op: 'value' }, scope: ExpressionScope): CheckedExpression {
  const { args: value } = node;
  switch (typeof value) {
    case 'string':
      return { type: string, run: () => value };
    case 'boolean':
      return { type: bool, run: () => value };
    case 'number':
      return { type: double, run: () => value };
    case 'bigint': {
      const number = Number(value);
      if (!Number.isSafeInteger(number))
        return rejectExpression(scope, node, 'This number is too large to be represented exactly.');
      return { type: int, run: () => number };
    }
    default:
      if (value === null) return { type: nullType, run: () => null };
      return rejectExpression(scope, node, 'Conditions do not support bytes and unsigned numbers.');
  }
}

function buildList(node: ASTNode & { readonly op: 'list' }, scope: ExpressionScope): CheckedExpression {
  const parts = node.args.map((item) => scope.build(item, scope));
  const item = parts.length === 0 ? ({ kind: 'dyn' } as const) : parts.map(({ type }) => type).reduce(unionType);
  return {
    type: { kind: 'list', item },
    run: node.args.every(({ op }) => op === 'value') ? constantListEvaluator(parts) : listEvaluator(parts),
  };
}

/** Built once: a list of literals does not depend on the call. */
function constantListEvaluator(parts: readonly CheckedExpression[]): Evaluator {
  // Literals do not use the evaluation.
  const values = parts.map(({ run }) => run(undefined as never));
  return () => values as readonly JsonValue[];
}

function listEvaluator(parts: readonly CheckedExpression[]): Evaluator {
  return (evaluation) => {
    const values: CelValue[] = parts.map(({ run }) => run(evaluation));
    let noValue: NoValue | undefined;
    for (const value of values) noValue = worseOf(noValue, value);
    return noValue ?? (values as readonly JsonValue[]);
  };
}

function buildLogic(node: ASTNode & { readonly op: '||' | '&&' }, scope: ExpressionScope): CheckedExpression {
  // To the right of `a ||`, `a` is false; to the right of `a &&`, it is true.
  const decisive = node.op === '||';
  let { presentFields } = scope;
  const operands: Evaluator[] = [];
  for (const operand of operandsOf(node)) {
    operands.push(buildBoolean(operand, { ...scope, presentFields }).run);
    presentFields = union([presentFields, fieldsPresentIf(operand, !decisive)]);
  }
  const [left, right] = operands as [Evaluator, Evaluator];
  return {
    type: bool,
    run: operands.length === 2 ? evaluateTwo(left, right, decisive) : evaluateMany(operands, decisive),
  };
}

function buildNot(node: ASTNode & { readonly op: '!_' }, scope: ExpressionScope): CheckedExpression {
  const { run } = buildBoolean(node.args, scope);
  return {
    type: bool,
    run: (evaluation) => {
      const value = run(evaluation);
      return typeof value === 'boolean' ? !value : value;
    },
  };
}

function buildConditional(node: ASTNode & { readonly op: '?:' }, scope: ExpressionScope): CheckedExpression {
  const [first, yes, no] = node.args;
  const test = buildBoolean(first, scope);
  const branch = (of: ASTNode, truth: boolean): CheckedExpression =>
    scope.build(of, { ...scope, presentFields: union([scope.presentFields, fieldsPresentIf(first, truth)]) });
  const [one, other] = [branch(yes, true), branch(no, false)];
  return {
    type: unionType(one.type, other.type),
    run: (evaluation) => {
      const value = test.run(evaluation);
      if (value === true) return one.run(evaluation);
      if (value === false) return other.run(evaluation);
      // The branch is unknown; a failure in either one counts.
      return worseOf(worseOf(value, one.run(evaluation)), other.run(evaluation)) as NoValue;
    },
  };
}

/** Builds an expression that must be true or false. */
export function buildBoolean(node: ASTNode, scope: ExpressionScope): CheckedExpression {
  const part = scope.build(node, scope);
  const { kind } = part.type;
  if (kind === 'bool') return { type: bool, run: requireBoolean(part.run, spanOf(node)) };
  if (kind !== 'dyn') return rejectExpression(scope, node, `This must be true or false; it is a ${kind}.`);
  return { type: bool, run: requireBoolean(part.run, spanOf(node)) };
}

/** Also checked if the type is known: a tool's declaration may be wrong. */
function requireBoolean(run: Evaluator, at: TextSpan): Evaluator {
  return (evaluation) => {
    const value = run(evaluation);
    return typeof value === 'boolean' || value instanceof NoValue
      ? value
      : failure(`this must be true or false; it is a ${kindOfValue(value)}`, at);
  };
}

function evaluateTwo(left: Evaluator, right: Evaluator, decisive: boolean): Evaluator {
  return (evaluation) => {
    const one = left(evaluation);
    if (one === decisive) return decisive;
    const other = right(evaluation);
    if (other === decisive) return decisive;
    return worseOf(one, other) ?? !decisive;
  };
}

function evaluateMany(operands: readonly Evaluator[], decisive: boolean): Evaluator {
  return (evaluation) => {
    let noValue: CelValue | undefined;
    for (const operand of operands) {
      const value = operand(evaluation);
      if (value === decisive) return decisive;
      if (value instanceof NoValue) noValue = worseOf(noValue, value);
    }
    return noValue ?? !decisive;
  };
}
