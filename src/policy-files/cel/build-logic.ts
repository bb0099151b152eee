/**
 * Builds `||`, `&&`, `!` and `?:` in three-valued logic. An operand that is unknown or fails has no effect if the other
 * operands decide. Otherwise it is the result, and a failure wins over an unknown.
 */

import { bool, unionType } from './expression/cel-type.ts';
import { failure, kindOfValue, type Evaluator, NoValue, type CelValue, worseOf } from './expression/evaluation.ts';
import { type ASTNode, operandsOf, spanOf } from './syntax/parse-condition.ts';
import { fieldsPresentIf, union } from './syntax/field-presence.ts';
import type { TextSpan } from './syntax/condition-problem.ts';
import { type CheckedExpression, rejectExpression, type ExpressionScope } from './expression/checked-expression.ts';

export function buildLogic(node: ASTNode & { readonly op: '||' | '&&' }, scope: ExpressionScope): CheckedExpression {
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

export function buildNot(node: ASTNode & { readonly op: '!_' }, scope: ExpressionScope): CheckedExpression {
  const { run } = buildBoolean(node.args, scope);
  return {
    type: bool,
    run: (evaluation) => {
      const value = run(evaluation);
      return typeof value === 'boolean' ? !value : value;
    },
  };
}

export function buildConditional(node: ASTNode & { readonly op: '?:' }, scope: ExpressionScope): CheckedExpression {
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
