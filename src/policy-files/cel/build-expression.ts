/** Checks an expression and compiles it to a function, node by node. */

import { buildField, buildItem, buildVariable } from './build-access.ts';
import { bool, double, unionType, int, nullType, string } from './expression/cel-type.ts';
import { type Evaluator, type NoValue, type CelValue, worseOf } from './expression/evaluation.ts';
import type { JsonValue } from '../../kernel/json.ts';
import { buildConditional, buildLogic, buildNot } from './build-logic.ts';
import { buildBinary, buildMinus } from './build-operators.ts';
import type { ASTNode } from './syntax/parse-condition.ts';
import { type CheckedExpression, rejectExpression, type ExpressionScope } from './expression/checked-expression.ts';

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
