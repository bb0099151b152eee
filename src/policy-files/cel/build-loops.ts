/** Builds `all`, `exists`, `exists_one`, `filter` and `map` over the items of a list or the field names of a map. */

import type { JsonValue } from '../../kernel/json.ts';
import { isMap } from './build-access.ts';
import { describeType, bool, type CelType, dyn, string } from './expression/cel-type.ts';
import {
  type Evaluation,
  failure,
  kindOfValue,
  type Evaluator,
  NoValue,
  type CelValue,
  worseOf,
} from './expression/evaluation.ts';
import { buildBoolean } from './build-expression.ts';
import { type ASTNode, spanOf } from './syntax/parse-condition.ts';
import { type CheckedExpression, rejectExpression, type ExpressionScope } from './expression/checked-expression.ts';

/** Deeper nesting would be unreadable and slow. */
const maxLoopDepth = 2;

/** How a loop combines the results for its items. */
interface Loop {
  readonly type: (answer: CelType, items: CelType) => CelType;
  readonly gather: (answers: LoopItems) => CelValue;
}

/**
 * The items, and a function that runs the body for one of them. Failures and unknowns are answered until it is clear
 * whether they matter.
 */
interface LoopItems {
  readonly items: readonly JsonValue[];
  readonly answer: (item: JsonValue) => CelValue;
}

const loops: Readonly<Record<string, Loop>> = {
  all: { type: () => bool, gather: (answers) => quantify(answers, false) },
  exists: { type: () => bool, gather: (answers) => quantify(answers, true) },
  exists_one: {
    type: () => bool,
    gather: (answers) =>
      whenAllAnswered(answers, (answered) => answered.filter(({ answer }) => answer === true).length === 1),
  },
  filter: {
    type: (_, items) => items,
    gather: (answers) =>
      whenAllAnswered(answers, (answered) => answered.filter(({ answer }) => answer === true).map(({ item }) => item)),
  },
  map: {
    type: (item) => ({ kind: 'list', item }),
    gather: (answers) => whenAllAnswered(answers, (answered) => answered.map(({ answer }) => answer)),
  },
};

export function buildLoop(node: ASTNode & { readonly op: 'rcall' }, scope: ExpressionScope): CheckedExpression {
  const [name, of, [variable, body, ...more]] = node.args;
  const loop = loops[name] as Loop;
  if (variable === undefined || body === undefined || more.length > 0) {
    return rejectExpression(
      scope,
      node,
      `"${name}" takes a name for the item and an expression: list.${name}(item, …).`,
    );
  }
  if (variable.op !== 'id') return rejectExpression(scope, variable, 'This must be a name for the item.');
  if (scope.variables.has(variable.args) || variable.args === 'call') {
    return rejectExpression(scope, variable, `"${variable.args}" is already in use; give the item another name.`);
  }
  if (scope.loopDepth >= maxLoopDepth)
    return rejectExpression(scope, node, `Loops can be nested at most ${maxLoopDepth} deep.`);
  const over = scope.build(of, scope);
  const item = itemType(over.type);
  if (item === undefined) return rejectExpression(scope, of, `${describeType(over.type)} has no items to loop over.`);
  const inner = withItem(scope, variable.args, item);
  const checkedBody = name === 'map' ? scope.build(body, inner) : buildBoolean(body, inner);
  const items: CelType = { kind: 'list', item };
  return {
    type: loop.type(checkedBody.type, items),
    run: loopEvaluator(
      { node, loop, depth: scope.loopDepth, cost: 1 + (body.end - body.start) / 20 },
      over.run,
      checkedBody.run,
    ),
  };
}

interface LoopPlan {
  readonly node: ASTNode;
  readonly loop: Loop;
  readonly depth: number;
  /** The cost of one item, in proportion to the length of the expression. */
  readonly cost: number;
}

function loopEvaluator(plan: LoopPlan, over: Evaluator, body: Evaluator): Evaluator {
  const at = spanOf(plan.node);
  return (evaluation) => {
    const value = over(evaluation);
    if (value instanceof NoValue) return value;
    const items = Array.isArray(value)
      ? (value as readonly JsonValue[])
      : isMap(value)
        ? Object.keys(value)
        : undefined;
    if (items === undefined) return failure(`a ${kindOfValue(value)} has no items`, at);
    evaluation.spendOnResult({ items: items.length });
    return plan.loop.gather({ items, answer: answerOf(evaluation, plan, body) });
  };
}

function answerOf(evaluation: Evaluation, { depth, cost }: LoopPlan, body: Evaluator): LoopItems['answer'] {
  return (item) => {
    evaluation.spend(cost);
    evaluation.items[depth] = item;
    return body(evaluation);
  };
}

function withItem(scope: ExpressionScope, name: string, type: CelType): ExpressionScope {
  const depth = scope.loopDepth;
  const item: CheckedExpression = { type, run: ({ items }) => items[depth] as JsonValue };
  return { ...scope, loopDepth: depth + 1, variables: new Map([...scope.variables, [name, item]]) };
}

function itemType(type: CelType): CelType | undefined {
  switch (type.kind) {
    case 'list':
      return type.item;
    case 'map':
      return string;
    default:
      return type.kind === 'dyn' ? dyn : undefined;
  }
}

/** Like `||` or `&&` over all items. */
function quantify({ items, answer }: LoopItems, decisive: boolean): CelValue {
  let noValue: NoValue | undefined;
  for (const item of items) {
    const value = answer(item);
    if (value === decisive) return decisive;
    noValue = worseOf(noValue, value);
  }
  return noValue ?? !decisive;
}

/** Needs the result of every item: if one is unknown or fails, so does the loop. */
function whenAllAnswered(
  { items, answer }: LoopItems,
  gather: (answered: readonly ItemAnswer[]) => CelValue,
): CelValue {
  const answered: ItemAnswer[] = [];
  let noValue: NoValue | undefined;
  for (const item of items) {
    const value = answer(item);
    if (value instanceof NoValue) noValue = worseOf(noValue, value);
    else answered.push({ item, answer: value });
  }
  return noValue ?? gather(answered);
}

interface ItemAnswer {
  readonly item: JsonValue;
  readonly answer: JsonValue;
}
