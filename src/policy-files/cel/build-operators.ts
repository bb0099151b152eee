/**
 * Builds comparison, arithmetic and `in`. Numbers are JSON numbers; `int` is a number that is known to be whole, and
 * whole numbers divide as in CEL.
 */

import type { JsonValue } from '../../kernel/json.ts';
import { checkFieldName, isMap } from './build-access.ts';
import {
  describeType,
  bool,
  canEqual,
  type CelType,
  double,
  dyn,
  unionType,
  int,
  isNumber,
} from './expression/cel-type.ts';
import {
  type Evaluation,
  failure,
  kindOfValue,
  type Evaluator,
  NoValue,
  type CelValue,
  worseOf,
} from './expression/evaluation.ts';
import { type ASTNode, spanOf, type TextSpan } from './syntax/parse-condition.ts';
import { type CheckedExpression, rejectExpression, type ExpressionScope } from './expression/checked-expression.ts';

type BinaryNode = ASTNode & { readonly op: keyof typeof operators };

interface Operator {
  /** The type of the result, or a message if the operands are invalid. */
  readonly type: (left: CelType, right: CelType) => CelType | string;
  /** Returns undefined if the operands are invalid. */
  readonly apply: (left: JsonValue, right: JsonValue, how: OperatorContext) => JsonValue | NoValue | undefined;
}

interface OperatorContext {
  readonly evaluation: Evaluation;
  /** True if both operands are whole numbers. */
  readonly areIntegers: boolean;
}

const operators = {
  '==': { type: equalityType, apply: (a, b, { evaluation }) => areEqual(a, b, evaluation) },
  '!=': { type: equalityType, apply: (a, b, { evaluation }) => !areEqual(a, b, evaluation) },
  '<': orderOperator((a, b) => a < b),
  '<=': orderOperator((a, b) => a <= b),
  '>': orderOperator((a, b) => a > b),
  '>=': orderOperator((a, b) => a >= b),
  '+': { type: sumType, apply: sum },
  '-': arithmeticOperator((a, b) => a - b),
  '*': arithmeticOperator((a, b) => a * b),
  '/': arithmeticOperator((a, b, areIntegers) => (areIntegers ? Math.trunc(a / b) : a / b)),
  '%': arithmeticOperator((a, b) => a % b),
  in: { type: membershipType, apply: isIn },
} satisfies Record<string, Operator>;

export function buildBinary(node: BinaryNode, scope: ExpressionScope): CheckedExpression {
  const operator: Operator = operators[node.op];
  const [left, right] = operands(node, scope);
  const type = operator.type(left.type, right.type);
  if (typeof type === 'string') return rejectExpression(scope, node, type);
  const areIntegers = left.type.kind === 'int' && right.type.kind === 'int';
  const at = spanOf(node);
  return {
    type,
    run: (evaluation) => {
      const [a, b] = [left.run(evaluation), right.run(evaluation)];
      if (a instanceof NoValue || b instanceof NoValue) return worseOf(a, b) as NoValue;
      const value = operator.apply(a, b, { evaluation, areIntegers });
      if (value === undefined) return operandFailure(node.op, [a, b], at);
      return value instanceof NoValue ? failure(value.why, at) : value;
    },
  };
}

export function buildMinus(node: ASTNode & { readonly op: '-_' }, scope: ExpressionScope): CheckedExpression {
  const { type, run } = scope.build(node.args, scope);
  if (type.kind !== 'dyn' && !isNumber(type))
    return rejectExpression(scope, node, `${describeType(type)} cannot be negated.`);
  const at = spanOf(node);
  return { type: type.kind === 'dyn' ? double : type, run: negate(run, at) };
}

/** `"x" in args` reads only one argument, and guards a field like `has(args.x)`. */
function operands(node: BinaryNode, scope: ExpressionScope): readonly [CheckedExpression, CheckedExpression] {
  const [left, right] = node.args;
  const name = node.op === 'in' && left.op === 'value' && typeof left.args === 'string' ? left.args : undefined;
  const args = right.op === 'id' && right.args === 'args' ? scope.variables.get('args') : undefined;
  if (name !== undefined && args !== undefined) scope.findings.reads.add(name);
  const of = name !== undefined && args !== undefined ? args : scope.build(right, scope);
  if (name !== undefined && of.type.kind === 'map') checkFieldName({ node, of: right, name }, of.type, scope);
  return [scope.build(left, scope), of];
}

function negate(run: Evaluator, at: TextSpan): Evaluator {
  return (evaluation) => {
    const value = run(evaluation);
    if (typeof value === 'number') return -value;
    return value instanceof NoValue ? value : failure(`a ${kindOfValue(value)} cannot be negated`, at);
  };
}

function operandFailure(op: string, [a, b]: readonly [CelValue, CelValue], at: TextSpan): NoValue {
  return failure(`"${op}" does not accept a ${kindOfValue(a)} and a ${kindOfValue(b)}`, at);
}

function operandMismatch(op: string, left: CelType, right: CelType): string {
  return `${op} does not accept ${describeType(left)} and ${describeType(right)}.`;
}

function equalityType(left: CelType, right: CelType): CelType | string {
  return canEqual(left, right) ? bool : `${describeType(left)} never equals ${describeType(right)}.`;
}

function orderOperator(compare: (a: string | number, b: string | number) => boolean): Operator {
  return {
    type: (left, right) => (orderable(left, right) ? bool : operandMismatch('a comparison', left, right)),
    apply: (a, b) => {
      if (typeof a === 'number' && typeof b === 'number') return compare(a, b);
      return typeof a === 'string' && typeof b === 'string' ? compare(a, b) : undefined;
    },
  };
}

function orderable(left: CelType, right: CelType): boolean {
  const known = [left, right].filter(({ kind }) => kind !== 'dyn');
  return known.every(isNumber) || known.every(({ kind }) => kind === 'string');
}

function arithmeticOperator(compute: (a: number, b: number, areIntegers: boolean) => number): Operator {
  return {
    type: (left, right) => {
      if (![left, right].every((type) => type.kind === 'dyn' || isNumber(type)))
        return operandMismatch('arithmetic', left, right);
      return left.kind === 'int' && right.kind === 'int' ? int : double;
    },
    apply: (a, b, { areIntegers }) =>
      typeof a === 'number' && typeof b === 'number' ? exactResult(compute(a, b, areIntegers), areIntegers) : undefined,
  };
}

/** Numbers that cannot be represented exactly would compare incorrectly. */
function exactResult(value: number, areIntegers: boolean): number | NoValue {
  if (areIntegers ? Number.isSafeInteger(value) : Number.isFinite(value)) return value === 0 ? 0 : value;
  return failure('the result cannot be represented exactly');
}

function sumType(left: CelType, right: CelType): CelType | string {
  if (left.kind === 'dyn' || right.kind === 'dyn') {
    const { kind } = left.kind === 'dyn' ? right : left;
    return ['dyn', 'string', 'int', 'double', 'list'].includes(kind) ? dyn : operandMismatch('"+"', left, right);
  }
  if (isNumber(left) && isNumber(right)) return left.kind === 'int' && right.kind === 'int' ? int : double;
  if (left.kind === 'string' && right.kind === 'string') return left;
  return left.kind === 'list' && right.kind === 'list' ? unionType(left, right) : operandMismatch('"+"', left, right);
}

function sum(
  a: JsonValue,
  b: JsonValue,
  { evaluation, areIntegers }: OperatorContext,
): JsonValue | NoValue | undefined {
  if (typeof a === 'number' && typeof b === 'number') return exactResult(a + b, areIntegers);
  if (typeof a === 'string' && typeof b === 'string') {
    evaluation.spendOnResult({ characters: a.length + b.length });
    return a + b;
  }
  if (!Array.isArray(a) || !Array.isArray(b)) return undefined;
  evaluation.spendOnResult({ items: a.length + b.length });
  return [...(a as readonly JsonValue[]), ...(b as readonly JsonValue[])];
}

function membershipType(left: CelType, right: CelType): CelType | string {
  switch (right.kind) {
    case 'dyn':
      return bool;
    case 'map':
      return left.kind === 'dyn' || left.kind === 'string'
        ? bool
        : `The field names of a map are strings, not ${describeType(left)}.`;
    case 'list':
      return canEqual(left, right.item) ? bool : `${describeType(left)} is never in ${describeType(right)}.`;
    default:
      return `"in" needs a list or a map, not ${describeType(right)}. To search in a string, write text.contains(part).`;
  }
}

function isIn(value: JsonValue, of: JsonValue, { evaluation }: OperatorContext): boolean | undefined {
  if (Array.isArray(of)) return listIncludes(of as readonly JsonValue[], value, evaluation);
  return isMap(of) && typeof value === 'string' ? Object.hasOwn(of, value) : undefined;
}

function areEqual(a: JsonValue, b: JsonValue, evaluation: Evaluation): boolean {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) {
    if (typeof a === 'string' && typeof b === 'string' && a.length === b.length && a.length > 1000)
      evaluation.spend(a.length / 1000);
    return a === b;
  }
  evaluation.spend(1);
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
    return a.every((item: JsonValue, index) => areEqual(item, b[index] as JsonValue, evaluation));
  }
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  evaluation.spend(keys.length / 10);
  return keys.every((key) => {
    const [one, other] = [a, b] as readonly Record<string, JsonValue>[];
    return Object.hasOwn(b, key) && areEqual(one?.[key] as JsonValue, other?.[key] as JsonValue, evaluation);
  });
}

function listIncludes(list: readonly JsonValue[], value: JsonValue, evaluation: Evaluation): boolean {
  evaluation.spend(list.length / 10);
  return list.some((item) => areEqual(item, value, evaluation));
}
