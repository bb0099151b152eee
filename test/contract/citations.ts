/** Finds the rules that the source of a test file cites. */

import { isNode, parse, walk, type Node } from '../source.ts';

export interface Citations {
  readonly ids: readonly string[];
  /** Calls of `proves` whose ids cannot be read from the source. */
  readonly unreadable: readonly string[];
}

/** Every id in a call of `proves(…)`; a skipped test proves nothing. */
export function citationsIn(path: string, text: string): Citations {
  const ids: string[] = [];
  const unreadable: string[] = [];
  walk(parse(path, text), (node) => {
    if (node.type !== 'CallExpression') return true;
    if (isSkip(node['callee'])) return false;
    if (!isNamed(node['callee'], 'proves')) return true;
    for (const argument of node['arguments'] as readonly Node[]) {
      if (typeof argument['value'] === 'string') ids.push(argument['value']);
      else unreadable.push(`${path}: ${text.slice(node.start, node.start + 60)}`);
    }
    return true;
  });
  return { ids, unreadable };
}

function isSkip(callee: unknown): boolean {
  return (
    isNode(callee) &&
    callee.type === 'MemberExpression' &&
    (isNamed(callee['property'], 'skip') || isNamed(callee['property'], 'todo') || isSkip(callee['object']))
  );
}

function isNamed(node: unknown, name: string): boolean {
  return isNode(node) && node.type === 'Identifier' && node['name'] === name;
}
