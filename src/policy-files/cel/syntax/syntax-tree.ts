/** Converts the syntax tree of a condition to JSON and back, so that a cached condition need not be parsed again. */

import { isJsonObject, type JsonValue } from '../../../kernel/json.ts';
import type { ASTNode } from './parse-condition.ts';

/** A value that JSON cannot represent, such as bytes. */
const unwritable = Symbol('unwritable');

/** Returns undefined if JSON cannot represent the tree. */
export function treeToJson(ast: ASTNode): JsonValue | undefined {
  const written = write(ast);
  return written === unwritable ? undefined : written;
}

/** Restores the tree. */
export function treeFromJson(tree: JsonValue): ASTNode {
  return read(tree) as ASTNode;
}

function write(value: unknown): JsonValue | typeof unwritable {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'number':
      return Number.isFinite(value) ? value : unwritable;
    case 'bigint':
      return { int: String(value) };
    default:
      break;
  }
  if (value === null) return null;
  if (Array.isArray(value)) return writeList(value);
  const { op, args, start, end } = Object(value) as Partial<ASTNode>;
  if (typeof op !== 'string' || typeof start !== 'number' || typeof end !== 'number') return unwritable;
  const inner = write(args);
  return inner === unwritable ? unwritable : { op, start, end, args: inner };
}

function writeList(values: readonly unknown[]): JsonValue | typeof unwritable {
  const list: JsonValue[] = [];
  for (const value of values) {
    const written = write(value);
    if (written === unwritable) return unwritable;
    list.push(written);
  }
  return list;
}

function read(tree: JsonValue): unknown {
  if (Array.isArray(tree)) return tree.map(read);
  if (tree === null || !isJsonObject(tree)) return tree;
  const { int, args } = tree;
  return typeof int === 'string' ? BigInt(int) : { ...tree, args: read(args ?? null) };
}
