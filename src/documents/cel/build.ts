/** Checks an expression and makes it ready to run, part by part. */

import { buildField, buildItem, buildVariable } from './access.ts';
import { bool, double, either, int, nothing, string } from './cel-type.ts';
import { type Run, type Trouble, type Value, worst } from './evaluation.ts';
import type { JsonValue } from '../../json.ts';
import { buildChoice, buildLogic, buildNot } from './logic.ts';
import { buildBinary, buildMinus } from './operators.ts';
import type { ASTNode } from './parse.ts';
import { type Part, refuse, type Scope } from './scope.ts';

type BuildCall = (node: ASTNode & { readonly op: 'call' | 'rcall' }, scope: Scope) => Part;

export function builder(buildCall: BuildCall): Scope['build'] {
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
        return buildChoice(node, scope);
      case '-_':
        return buildMinus(node, scope);
      case 'map':
      case '.?':
      case '[?]':
        return refuse(scope, node, 'This cannot be written in a condition.');
      default:
        return buildBinary(node, scope);
    }
  };
}

function buildLiteral(node: ASTNode & { readonly op: 'value' }, scope: Scope): Part {
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
      if (!Number.isSafeInteger(number)) return refuse(scope, node, 'This number is too large to be told exactly.');
      return { type: int, run: () => number };
    }
    default:
      if (value === null) return { type: nothing, run: () => null };
      return refuse(scope, node, 'Bytes and unsigned numbers cannot be written in a condition.');
  }
}

function buildList(node: ASTNode & { readonly op: 'list' }, scope: Scope): Part {
  const parts = node.args.map((item) => scope.build(item, scope));
  const item = parts.length === 0 ? ({ kind: 'dyn' } as const) : parts.map(({ type }) => type).reduce(either);
  return {
    type: { kind: 'list', item },
    run: node.args.every(({ op }) => op === 'value') ? constantList(parts) : listRun(parts),
  };
}

/** Made once: nothing in it depends on the call. */
function constantList(parts: readonly Part[]): Run {
  // Literals look at nothing of the evaluation.
  const values = parts.map(({ run }) => run(undefined as never));
  return () => values as readonly JsonValue[];
}

function listRun(parts: readonly Part[]): Run {
  return (evaluation) => {
    const values: Value[] = parts.map(({ run }) => run(evaluation));
    let trouble: Trouble | undefined;
    for (const value of values) trouble = worst(trouble, value);
    return trouble ?? (values as readonly JsonValue[]);
  };
}
