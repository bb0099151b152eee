/**
 * Finds fields that are known to exist because another part of the condition has checked them: after `has(args.x) &&`,
 * after `!has(args.x) ||`, and in the branches of `?:`. This also works with unknown operands: if a field is missing,
 * the check for it decides alone.
 */

import { type ASTNode, operandsOf } from './parse-condition.ts';

export type PresentFields = ReadonlySet<string>;

/** One key for all ways to write the same field: `args.a`, `args["a"].b`, `item.c`. */
function pathOf(node: ASTNode): string | undefined {
  if (node.op === 'id') return node.args;
  if (node.op === '.') return fieldPath(node.args[0], node.args[1]);
  if (node.op !== '[]' || node.args[1].op !== 'value') return undefined;
  const { args: index } = node.args[1];
  return typeof index === 'string' || typeof index === 'bigint' ? fieldPath(node.args[0], index) : undefined;
}

export function fieldPath(of: ASTNode, field: string | bigint): string | undefined {
  const path = pathOf(of);
  return path === undefined
    ? undefined
    : `${path}/${typeof field === 'string' ? JSON.stringify(field) : String(field)}`;
}

/** The fields that exist if `node` evaluates to `truth`. */
export function fieldsPresentIf(node: ASTNode, truth: boolean): PresentFields {
  switch (node.op) {
    case '!_':
      return fieldsPresentIf(node.args, !truth);
    case '&&':
    case '||': {
      const sets = operandsOf(node).map((operand) => fieldsPresentIf(operand, truth));
      return (node.op === '&&') === truth ? union(sets) : sets.reduce(intersection);
    }
    case 'call': {
      const [name, [field]] = node.args;
      return truth && name === 'has' && field !== undefined ? singleField(pathOf(field)) : noFields;
    }
    case 'in': {
      const [key, map] = node.args;
      return truth && key.op === 'value' && typeof key.args === 'string'
        ? singleField(fieldPath(map, key.args))
        : noFields;
    }
    default:
      return noFields;
  }
}

export function union(sets: readonly PresentFields[]): PresentFields {
  return new Set(sets.flatMap((set) => [...set]));
}

const noFields: PresentFields = new Set();

function singleField(path: string | undefined): PresentFields {
  return path === undefined ? noFields : new Set([path]);
}

function intersection(a: PresentFields, b: PresentFields): PresentFields {
  return new Set([...a].filter((path) => b.has(path)));
}
