/**
 * `||`, `&&`, `!` and `?:` in three values. An unknown or a failure decides nothing that the other operands have decided;
 * where it matters, it is what comes out, and of the two a failure.
 */

import { bool, either } from './cel-type.ts';
import { failed, kindOfValue, type Run, Trouble, type Value, worst } from './evaluation.ts';
import { type ASTNode, operandsOf, spanOf } from './parse.ts';
import { presentIf, union } from './presence.ts';
import type { Span } from './problem.ts';
import { type Part, refuse, type Scope } from './scope.ts';

export function buildLogic(node: ASTNode & { readonly op: '||' | '&&' }, scope: Scope): Part {
  // Behind "a ||" a is false, behind "a &&" it is true.
  const decides = node.op === '||';
  let { present } = scope;
  const operands: Run[] = [];
  for (const operand of operandsOf(node)) {
    operands.push(condition(operand, { ...scope, present }).run);
    present = union([present, presentIf(operand, !decides)]);
  }
  const [left, right] = operands as [Run, Run];
  return { type: bool, run: operands.length === 2 ? two(left, right, decides) : many(operands, decides) };
}

export function buildNot(node: ASTNode & { readonly op: '!_' }, scope: Scope): Part {
  const { run } = condition(node.args, scope);
  return {
    type: bool,
    run: (evaluation) => {
      const value = run(evaluation);
      return typeof value === 'boolean' ? !value : value;
    },
  };
}

export function buildChoice(node: ASTNode & { readonly op: '?:' }, scope: Scope): Part {
  const [first, yes, no] = node.args;
  const test = condition(first, scope);
  const branch = (of: ASTNode, truth: boolean): Part =>
    scope.build(of, { ...scope, present: union([scope.present, presentIf(first, truth)]) });
  const [one, other] = [branch(yes, true), branch(no, false)];
  return {
    type: either(one.type, other.type),
    run: (evaluation) => {
      const value = test.run(evaluation);
      if (value === true) return one.run(evaluation);
      if (value === false) return other.run(evaluation);
      // Nobody knows the branch; a failure in either is not lost.
      return worst(worst(value, one.run(evaluation)), other.run(evaluation)) as Trouble;
    },
  };
}

/** An expression that must be true or false. */
export function condition(node: ASTNode, scope: Scope): Part {
  const part = scope.build(node, scope);
  const { kind } = part.type;
  if (kind === 'bool') return { type: bool, run: checked(part.run, spanOf(node)) };
  if (kind !== 'dyn') return refuse(scope, node, `This must be true or false; it is a ${kind}.`);
  return { type: bool, run: checked(part.run, spanOf(node)) };
}

/** Also where the type is told: what a tool says of its arguments need not be so. */
function checked(run: Run, at: Span): Run {
  return (evaluation) => {
    const value = run(evaluation);
    return typeof value === 'boolean' || value instanceof Trouble
      ? value
      : failed(`this must be true or false; it is a ${kindOfValue(value)}`, at);
  };
}

function two(left: Run, right: Run, decides: boolean): Run {
  return (evaluation) => {
    const one = left(evaluation);
    if (one === decides) return decides;
    const other = right(evaluation);
    if (other === decides) return decides;
    return worst(one, other) ?? !decides;
  };
}

function many(operands: readonly Run[], decides: boolean): Run {
  return (evaluation) => {
    let trouble: Value | undefined;
    for (const operand of operands) {
      const value = operand(evaluation);
      if (value === decides) return decides;
      if (value instanceof Trouble) trouble = worst(trouble, value);
    }
    return trouble ?? !decides;
  };
}
