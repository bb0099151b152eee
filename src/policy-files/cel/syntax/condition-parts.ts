/**
 * Extracts the parts of a condition from its syntax tree: facts with their entries, comparisons of values, and string
 * methods.
 */

import { serialize } from '@marcbachmann/cel-js';
import type { JsonValue } from '../../../kernel/json.ts';
import { type ASTNode, childrenOf, parseCondition } from './parse-condition.ts';

export type ConditionPart =
  /** `runs("git push")`: a function other than a string method, with its string arguments. */
  | { readonly type: 'fact'; readonly name: string; readonly entries: readonly string[]; readonly negated: boolean }
  /** `args.x.startsWith("a")` */
  | {
      readonly type: 'text';
      readonly method: string;
      readonly path: readonly string[];
      readonly literal: string;
      readonly negated: boolean;
    }
  /** `args.x == 1`, `args.x in [1, 2]`, `host() == "a"`: `path` is `['host()']` for a function. */
  | {
      readonly type: 'comparison';
      readonly path: readonly string[];
      readonly values: readonly JsonValue[];
      readonly negated: boolean;
    };

const textMethods: ReadonlySet<string> = new Set(['contains', 'startsWith', 'endsWith', 'matches']);
const comparisons: ReadonlySet<string> = new Set(['==', '!=', '<', '<=', '>', '>=', 'in']);

/** The syntax tree; undefined if the condition is invalid, which loading has already reported. */
function treeOf(text: string): ASTNode | undefined {
  const parsed = parseCondition(text);
  return parsed.problem === undefined ? parsed.ast : undefined;
}

/** The condition without formatting: two conditions that differ only in white space become equal. */
export function normalizedCondition(text: string): string {
  const tree = treeOf(text);
  return tree === undefined ? text.trim() : serialize(tree);
}

export function conditionParts(text: string): readonly ConditionPart[] {
  const parts: ConditionPart[] = [];
  const tree = treeOf(text);
  if (tree !== undefined) collect(tree, false, parts);
  return parts;
}

/** Every value that a condition reads, as a path of names: `['args', 'file_path']`. */
export function pathsReadBy(text: string): readonly (readonly string[])[] {
  const paths: (readonly string[])[] = [];
  const visit = (node: ASTNode): void => {
    const path = pathOf(node);
    if (path === undefined) for (const child of childrenOf(node)) visit(child);
    else paths.push(path);
  };
  const tree = treeOf(text);
  if (tree !== undefined) visit(tree);
  return paths;
}

function collect(node: ASTNode, negated: boolean, parts: ConditionPart[]): void {
  const part = partOf(node, negated);
  if (part !== undefined) parts.push(part);
  const isNegated = node.op === '!_' ? !negated : negated;
  for (const child of childrenOf(node)) collect(child, isNegated, parts);
}

function partOf(node: ASTNode, negated: boolean): ConditionPart | undefined {
  if (node.op === 'call') return factOf(node.args[0], node.args[1], negated);
  if (node.op === 'rcall') {
    const [method, on, args] = node.args;
    const literal = args[0]?.op === 'value' ? args[0].args : undefined;
    const path = pathOf(on);
    if (!textMethods.has(method)) return factOf(method, args, negated);
    if (path === undefined || typeof literal !== 'string') return undefined;
    return { type: 'text', method, path, literal, negated };
  }
  return comparisons.has(node.op) ? comparisonOf(node, negated) : undefined;
}

function factOf(name: string, args: readonly ASTNode[], negated: boolean): ConditionPart {
  const entries = args.flatMap(literalsIn).filter((each) => typeof each === 'string');
  return { type: 'fact', name, entries, negated };
}

function comparisonOf(node: ASTNode, negated: boolean): ConditionPart | undefined {
  const [left, right] = node.args as [ASTNode, ASTNode];
  const leftPath = valuePath(left);
  const path = leftPath ?? valuePath(right);
  if (path === undefined) return undefined;
  const values = literalsIn(leftPath === undefined ? left : right);
  return values.length === 0
    ? undefined
    : { type: 'comparison', path, values, negated: negated !== (node.op === '!=') };
}

function valuePath(node: ASTNode): readonly string[] | undefined {
  return node.op === 'call' && node.args[0] !== 'size' ? [`${node.args[0]}()`] : pathOf(node);
}

/** The path of names to a value: `args.a["b"]` is `['args', 'a', 'b']`. */
function pathOf(node: ASTNode): readonly string[] | undefined {
  switch (node.op) {
    case 'id':
      return [node.args];
    case '.':
    case '.?': {
      const base = pathOf(node.args[0]);
      return base === undefined ? undefined : [...base, node.args[1]];
    }
    case '[]':
    case '[?]': {
      const [on, key] = node.args;
      const base = pathOf(on);
      const name = key.op === 'value' && typeof key.args === 'string' ? key.args : undefined;
      return base === undefined || name === undefined ? undefined : [...base, name];
    }
    case 'rcall':
      return node.args[0] === 'orValue' ? pathOf(node.args[1]) : undefined;
    default:
      return undefined;
  }
}

function literalsIn(node: ASTNode): JsonValue[] {
  if (node.op === 'list') return node.args.flatMap(literalsIn);
  if (node.op !== 'value') return [];
  const value = node.args;
  if (typeof value === 'bigint') return [Number(value)];
  return value === null || ['string', 'number', 'boolean'].includes(typeof value) ? [value as JsonValue] : [];
}
