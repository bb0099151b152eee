/** `all`, `exists`, `exists_one`, `filter`, `map` over the items of a list or the names of a map. */

import type { JsonValue } from '../../json.ts';
import { isMap } from './access.ts';
import { aType, bool, type CelType, dyn, string } from './cel-type.ts';
import { type Evaluation, failed, kindOfValue, type Run, Trouble, type Value, worst } from './evaluation.ts';
import { condition } from './logic.ts';
import { type ASTNode, spanOf } from './parse.ts';
import { type Part, refuse, type Scope } from './scope.ts';

/** A loop in a loop in a loop is not a condition any more. */
const mostLoops = 2;

/** What a loop makes of the answers for its items; undefined: go on. */
interface Loop {
  readonly type: (answer: CelType, items: CelType) => CelType;
  readonly gather: (answers: Answers) => Value;
}

/** Runs the body for each item; failures and unknowns are kept apart until it is clear that they matter. */
interface Answers {
  readonly items: readonly JsonValue[];
  readonly answer: (item: JsonValue) => Value;
}

const loops: Readonly<Record<string, Loop>> = {
  all: { type: () => bool, gather: (answers) => quantify(answers, false) },
  exists: { type: () => bool, gather: (answers) => quantify(answers, true) },
  exists_one: {
    type: () => bool,
    gather: (answers) => whenAll(answers, (kept) => kept.filter(({ answer }) => answer === true).length === 1),
  },
  filter: {
    type: (_, items) => items,
    gather: (answers) =>
      whenAll(answers, (kept) => kept.filter(({ answer }) => answer === true).map(({ item }) => item)),
  },
  map: {
    type: (item) => ({ kind: 'list', item }),
    gather: (answers) => whenAll(answers, (kept) => kept.map(({ answer }) => answer)),
  },
};

export function buildLoop(node: ASTNode & { readonly op: 'rcall' }, scope: Scope): Part {
  const [name, of, [variable, body, ...more]] = node.args;
  const loop = loops[name] as Loop;
  if (variable === undefined || body === undefined || more.length > 0) {
    return refuse(scope, node, `"${name}" takes a name for the item and an expression: list.${name}(item, …).`);
  }
  if (variable.op !== 'id') return refuse(scope, variable, 'This must be a name for the item.');
  if (scope.variables.has(variable.args) || variable.args === 'call') {
    return refuse(scope, variable, `"${variable.args}" is taken; give the item another name.`);
  }
  if (scope.loops >= mostLoops) return refuse(scope, node, `Loops can be nested ${mostLoops} deep at most.`);
  const over = scope.build(of, scope);
  const item = itemType(over.type);
  if (item === undefined) return refuse(scope, of, `${aType(over.type)} has no items to look at.`);
  const inner = withItem(scope, variable.args, item);
  const inside = name === 'map' ? scope.build(body, inner) : condition(body, inner);
  const items: CelType = { kind: 'list', item };
  return {
    type: loop.type(inside.type, items),
    run: loopRun({ node, loop, depth: scope.loops, cost: 1 + (body.end - body.start) / 20 }, over.run, inside.run),
  };
}

interface How {
  readonly node: ASTNode;
  readonly loop: Loop;
  readonly depth: number;
  /** What one item costs: the longer the expression, the more. */
  readonly cost: number;
}

function loopRun(how: How, over: Run, body: Run): Run {
  const at = spanOf(how.node);
  return (evaluation) => {
    const value = over(evaluation);
    if (value instanceof Trouble) return value;
    const items = Array.isArray(value)
      ? (value as readonly JsonValue[])
      : isMap(value)
        ? Object.keys(value)
        : undefined;
    if (items === undefined) return failed(`a ${kindOfValue(value)} has no items`, at);
    evaluation.spendOn({ items: items.length });
    return how.loop.gather({ items, answer: answerOf(evaluation, how, body) });
  };
}

function answerOf(evaluation: Evaluation, { depth, cost }: How, body: Run): Answers['answer'] {
  return (item) => {
    evaluation.spend(cost);
    evaluation.items[depth] = item;
    return body(evaluation);
  };
}

function withItem(scope: Scope, name: string, type: CelType): Scope {
  const depth = scope.loops;
  const item: Part = { type, run: ({ items }) => items[depth] as JsonValue };
  return { ...scope, loops: depth + 1, variables: new Map([...scope.variables, [name, item]]) };
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

/** As `||` and `&&` over all items. */
function quantify({ items, answer }: Answers, decides: boolean): Value {
  let trouble: Trouble | undefined;
  for (const item of items) {
    const value = answer(item);
    if (value === decides) return decides;
    trouble = worst(trouble, value);
  }
  return trouble ?? !decides;
}

/** Every answer is needed: one that is missing leaves the whole open. */
function whenAll({ items, answer }: Answers, gather: (kept: readonly Kept[]) => Value): Value {
  const kept: Kept[] = [];
  let trouble: Trouble | undefined;
  for (const item of items) {
    const value = answer(item);
    if (value instanceof Trouble) trouble = worst(trouble, value);
    else kept.push({ item, answer: value });
  }
  return trouble ?? gather(kept);
}

interface Kept {
  readonly item: JsonValue;
  readonly answer: JsonValue;
}
