import { describe, expect, it } from 'vitest';
import { type ASTNode, parseCondition } from './parse-condition.ts';
import { treeFromJson, treeToJson } from './syntax-tree.ts';

function parsed(source: string): ASTNode {
  const read = parseCondition(source);
  if (read.problem !== undefined) throw new RangeError(read.problem.message);
  return read.ast;
}

/** What of a tree decides. */
function bare(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(bare);
  if (typeof value !== 'object' || value === null) return value;
  const { op, args, start, end } = value as ASTNode;
  return { op, args: bare(args), start, end };
}

describe('a tree that was written as JSON', () => {
  it.each([
    'runs("rm") || runsOnly("npm test", "git status") && !opaque()',
    'args.count > 3 && args.list[0] == -1.5e3',
    'args.a.b["c"] in ["x", "y"] ? true : null == args.d',
    'args.items.all(item, item.size() < 9007199254740993)',
    'has(args.path) && args.path.matches("^src/.*\\\\.ts$")',
    '{"a": 1, "b": [2, {"c": "d"}]}.a == 1',
    'call.tool == "x" && session.user != ""',
  ])('is the same when read: %s', (source) => {
    const ast = parsed(source);
    const tree = treeToJson(ast);
    expect(tree).toBeDefined();
    expect(bare(treeFromJson(JSON.parse(JSON.stringify(tree)) as never))).toEqual(bare(ast));
  });

  it('is undefined if JSON cannot represent it', () => {
    expect(treeToJson(parsed('b"bytes" == b"bytes"'))).toBeUndefined();
  });
});
