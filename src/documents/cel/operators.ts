/**
 * Comparing, arithmetic, `in`. Numbers are those of JSON; `int` is a number that is known to be whole, and whole numbers
 * divide as CEL's do.
 */

import type { JsonValue } from '../../json.ts';
import { checkName, isMap } from './access.ts';
import { aType, bool, canEqual, type CelType, double, dyn, either, int, isNumber } from './cel-type.ts';
import { areEqual, includes } from './equality.ts';
import { type Evaluation, failed, kindOfValue, type Run, Trouble, type Value, worst } from './evaluation.ts';
import { type ASTNode, spanOf } from './parse.ts';
import type { Span } from './problem.ts';
import { type Part, refuse, type Scope } from './scope.ts';

type BinaryNode = ASTNode & { readonly op: keyof typeof operators };

interface Operator {
  /** The type of the result, or what is wrong with the operands. */
  readonly type: (left: CelType, right: CelType) => CelType | string;
  /** Undefined: the operands do not fit. */
  readonly apply: (left: JsonValue, right: JsonValue, how: How) => JsonValue | Trouble | undefined;
}

interface How {
  readonly evaluation: Evaluation;
  /** Both operands are whole numbers. */
  readonly whole: boolean;
}

const operators = {
  '==': { type: equality, apply: (a, b, { evaluation }) => areEqual(a, b, evaluation) },
  '!=': { type: equality, apply: (a, b, { evaluation }) => !areEqual(a, b, evaluation) },
  '<': order((a, b) => a < b),
  '<=': order((a, b) => a <= b),
  '>': order((a, b) => a > b),
  '>=': order((a, b) => a >= b),
  '+': { type: sumType, apply: sum },
  '-': arithmetic((a, b) => a - b),
  '*': arithmetic((a, b) => a * b),
  '/': arithmetic((a, b, whole) => (whole ? Math.trunc(a / b) : a / b)),
  '%': arithmetic((a, b) => a % b),
  in: { type: membership, apply: isIn },
} satisfies Record<string, Operator>;

export function buildBinary(node: BinaryNode, scope: Scope): Part {
  const operator: Operator = operators[node.op];
  const [left, right] = operands(node, scope);
  const type = operator.type(left.type, right.type);
  if (typeof type === 'string') return refuse(scope, node, type);
  const whole = left.type.kind === 'int' && right.type.kind === 'int';
  const at = spanOf(node);
  return {
    type,
    run: (evaluation) => {
      const [a, b] = [left.run(evaluation), right.run(evaluation)];
      if (a instanceof Trouble || b instanceof Trouble) return worst(a, b) as Trouble;
      const value = operator.apply(a, b, { evaluation, whole });
      if (value === undefined) return misfit(node.op, [a, b], at);
      return value instanceof Trouble ? failed(value.why, at) : value;
    },
  };
}

export function buildMinus(node: ASTNode & { readonly op: '-_' }, scope: Scope): Part {
  const { type, run } = scope.build(node.args, scope);
  if (type.kind !== 'dyn' && !isNumber(type)) return refuse(scope, node, `${aType(type)} cannot be negative.`);
  const at = spanOf(node);
  return { type: type.kind === 'dyn' ? double : type, run: negated(run, at) };
}

/** `"x" in args` reads one argument, not all, and is as good a guard as `has(args.x)`. */
function operands(node: BinaryNode, scope: Scope): readonly [Part, Part] {
  const [left, right] = node.args;
  const name = node.op === 'in' && left.op === 'value' && typeof left.args === 'string' ? left.args : undefined;
  const args = right.op === 'id' && right.args === 'args' ? scope.variables.get('args') : undefined;
  if (name !== undefined && args !== undefined) scope.findings.reads.add(name);
  const of = name !== undefined && args !== undefined ? args : scope.build(right, scope);
  if (name !== undefined && of.type.kind === 'map') checkName({ node, of: right, name }, of.type, scope);
  return [scope.build(left, scope), of];
}

function negated(run: Run, at: Span): Run {
  return (evaluation) => {
    const value = run(evaluation);
    if (typeof value === 'number') return -value;
    return value instanceof Trouble ? value : failed(`a ${kindOfValue(value)} cannot be negative`, at);
  };
}

function misfit(op: string, [a, b]: readonly [Value, Value], at: Span): Trouble {
  return failed(`"${op}" does not take a ${kindOfValue(a)} and a ${kindOfValue(b)}`, at);
}

function takes(op: string, left: CelType, right: CelType): string {
  return `${op} does not take ${aType(left)} and ${aType(right)}.`;
}

function equality(left: CelType, right: CelType): CelType | string {
  return canEqual(left, right) ? bool : `${aType(left)} never equals ${aType(right)}.`;
}

function order(compare: (a: string | number, b: string | number) => boolean): Operator {
  return {
    type: (left, right) => (orderable(left, right) ? bool : takes('comparing', left, right)),
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

function arithmetic(compute: (a: number, b: number, whole: boolean) => number): Operator {
  return {
    type: (left, right) => {
      if (![left, right].every((type) => type.kind === 'dyn' || isNumber(type)))
        return takes('arithmetic', left, right);
      return left.kind === 'int' && right.kind === 'int' ? int : double;
    },
    apply: (a, b, { whole }) =>
      typeof a === 'number' && typeof b === 'number' ? exact(compute(a, b, whole), whole) : undefined,
  };
}

/** Numbers past what can be told exactly would compare wrongly. */
function exact(value: number, whole: boolean): number | Trouble {
  if (whole ? Number.isSafeInteger(value) : Number.isFinite(value)) return value === 0 ? 0 : value;
  return failed('the result is not a number that can be told exactly');
}

function sumType(left: CelType, right: CelType): CelType | string {
  if (left.kind === 'dyn' || right.kind === 'dyn') {
    const { kind } = left.kind === 'dyn' ? right : left;
    return ['dyn', 'string', 'int', 'double', 'list'].includes(kind) ? dyn : takes('"+"', left, right);
  }
  if (isNumber(left) && isNumber(right)) return left.kind === 'int' && right.kind === 'int' ? int : double;
  if (left.kind === 'string' && right.kind === 'string') return left;
  return left.kind === 'list' && right.kind === 'list' ? either(left, right) : takes('"+"', left, right);
}

function sum(a: JsonValue, b: JsonValue, { evaluation, whole }: How): JsonValue | Trouble | undefined {
  if (typeof a === 'number' && typeof b === 'number') return exact(a + b, whole);
  if (typeof a === 'string' && typeof b === 'string') {
    evaluation.spendOn({ characters: a.length + b.length });
    return a + b;
  }
  if (!Array.isArray(a) || !Array.isArray(b)) return undefined;
  evaluation.spendOn({ items: a.length + b.length });
  return [...(a as readonly JsonValue[]), ...(b as readonly JsonValue[])];
}

function membership(left: CelType, right: CelType): CelType | string {
  switch (right.kind) {
    case 'dyn':
      return bool;
    case 'map':
      return left.kind === 'dyn' || left.kind === 'string'
        ? bool
        : `The fields of a map have texts as names, not ${aType(left)}.`;
    case 'list':
      return canEqual(left, right.item) ? bool : `${aType(left)} is never in ${aType(right)}.`;
    default:
      return `Nothing is "in" ${aType(right)}. For a part of a text write text.contains(part).`;
  }
}

function isIn(value: JsonValue, of: JsonValue, { evaluation }: How): boolean | undefined {
  if (Array.isArray(of)) return includes(of as readonly JsonValue[], value, evaluation);
  return isMap(of) && typeof value === 'string' ? Object.hasOwn(of, value) : undefined;
}
