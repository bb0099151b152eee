/** Reads the target of a rule, tool or test. */

import { nameProblem, quoteName } from '../../../kernel/names.ts';
import { messageOf } from '../../../kernel/errors.ts';
import { defaultLimits } from '../../../kernel/limits.ts';
import type { Target } from '../../../kernel/policy/rules/rule.ts';
import { parseTarget } from '../../../kernel/policy/rules/target.ts';
import type { LocatedText } from '../../policy-file.ts';
import { readTextNode, type NodeReader } from './read-values.ts';

/** The target, or a message that explains why the string is not one. */
export function targetOrProblem(text: string): Target | string {
  let target: Target;
  try {
    target = parseTarget(text);
  } catch (error) {
    return messageOf(error);
  }
  const names = [target.type === 'all' ? undefined : target.server, target.type === 'tool' ? target.tool : undefined];
  for (const name of names) {
    const problem = name === undefined ? undefined : nameProblem(name, defaultLimits.nameLength);
    if (problem !== undefined) return `the target ${quoteName(text)} has a part that ${problem}`;
  }
  return target;
}

export const readTargetNode: NodeReader<LocatedText> = (node, name, report) => {
  const given = readTextNode(node, name, report);
  if (given === undefined) return undefined;
  const target = targetOrProblem(given.value);
  if (typeof target === 'string') return report.problem(node.at, target);
  return { text: given.value, at: report.positionOf(node.at) };
};
