/**
 * Which fields are known to be there, because another part of the condition has looked: behind `has(args.x) &&`, behind
 * `!has(args.x) ||`, in the branches of `?:`. It holds for unknown parts too: where a field is missing, the part that looks
 * for it decides alone.
 */

import { type ASTNode, operandsOf } from './parse.ts';

export type Present = ReadonlySet<string>;

/** One key for every way to write the same field, for what can be guarded: `args.a`, `args["a"].b`, `item.c`. */
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

/** The fields that are there if `node` is `truth`. */
export function presentIf(node: ASTNode, truth: boolean): Present {
  switch (node.op) {
    case '!_':
      return presentIf(node.args, !truth);
    case '&&':
    case '||': {
      const sets = operandsOf(node).map((operand) => presentIf(operand, truth));
      return (node.op === '&&') === truth ? union(sets) : sets.reduce(common);
    }
    case 'call': {
      const [name, [field]] = node.args;
      return truth && name === 'has' && field !== undefined ? single(pathOf(field)) : none;
    }
    case 'in': {
      const [key, map] = node.args;
      return truth && key.op === 'value' && typeof key.args === 'string' ? single(fieldPath(map, key.args)) : none;
    }
    default:
      return none;
  }
}

export function union(sets: readonly Present[]): Present {
  return new Set(sets.flatMap((set) => [...set]));
}

const none: Present = new Set();

function single(path: string | undefined): Present {
  return path === undefined ? none : new Set([path]);
}

function common(a: Present, b: Present): Present {
  return new Set([...a].filter((path) => b.has(path)));
}
