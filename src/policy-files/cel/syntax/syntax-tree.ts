/** The syntax tree of a condition as JSON, so that a condition that was read before need not be read again. */

import { isJsonObject, type JsonValue } from '../../../kernel/json.ts';
import type { ASTNode } from './parse-condition.ts';

/** A tree that JSON cannot hold: with bytes, say. */
const unwritable = Symbol('unwritable');

/** Undefined if JSON cannot hold it. */
export function treeToJson(ast: ASTNode): JsonValue | undefined {
  const written = write(ast);
  return written === unwritable ? undefined : written;
}

/** What {@link treeToJson} was given. */
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
