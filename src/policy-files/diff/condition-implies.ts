/** Proves from the syntax alone that one condition implies another. If it returns false, nothing is known. */

import { serialize } from '@marcbachmann/cel-js';
import { type ASTNode, operandsOf, parseCondition } from '../cel/syntax/parse-condition.ts';

/** Facts that stay true if their list gets longer. Each gets strings only. */
const growingFacts: ReadonlySet<string> = new Set([
  'runs',
  'runsOnly',
  'runsListed',
  'readsInside',
  'writesInside',
  'worksIn',
]);

/**
 * True if `wide` is true whenever `narrow` is true, and not false whenever `narrow` is unknown. `undefined` is a rule
 * without a condition.
 */
export function impliesCondition(narrow: string | undefined, wide: string | undefined): boolean {
  if (wide === undefined || narrow === wide) return true;
  if (narrow === undefined) return false;
  const [from, to] = [parseCondition(narrow), parseCondition(wide)];
  if (from.problem !== undefined || to.problem !== undefined) return false;
  const wideParts = operands(to.ast, '||').map((part) => operands(part, '&&'));
  return operands(from.ast, '||').every((part) => {
    const facts = operands(part, '&&');
    return wideParts.some((each) => each.every((needed) => facts.some((fact) => factImplies(fact, needed))));
  });
}

function operands(node: ASTNode, operator: '||' | '&&'): readonly ASTNode[] {
  if (node.op !== operator) return [node];
  return operandsOf(node).flatMap((each) => operands(each, operator));
}

function factImplies(fact: ASTNode, needed: ASTNode): boolean {
  if (serialize(fact) === serialize(needed)) return true;
  if (fact.op !== 'call' || needed.op !== 'call' || fact.args[0] !== needed.args[0]) return false;
  if (!growingFacts.has(fact.args[0])) return false;
  const [entries, list] = [textsOf(fact.args[1]), textsOf(needed.args[1])];
  return entries !== undefined && list !== undefined && entries.every((entry) => list.includes(entry));
}

function textsOf(nodes: readonly ASTNode[]): readonly string[] | undefined {
  const texts = nodes.flatMap((node) => (node.op === 'value' && typeof node.args === 'string' ? [node.args] : []));
  return texts.length === nodes.length ? texts : undefined;
}
