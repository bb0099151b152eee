/** Reads what a rule, a tool or a test is about. */

import { nameProblem, quoteName } from '../catalog/names.ts';
import { messageOf } from '../errors.ts';
import { defaultLimits } from '../limits.ts';
import type { Target } from '../policy/rule.ts';
import { readTarget as parseTarget } from '../policy/target.ts';
import type { PlacedText } from './document.ts';
import { readTextNode, type Read } from './document-values.ts';

/** The target a text stands for, or why it stands for none. */
export function targetOf(text: string): Target | string {
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

export const readTarget: Read<PlacedText> = (node, name, report) => {
  const given = readTextNode(node, name, report);
  if (given === undefined) return undefined;
  const target = targetOf(given.value);
  if (typeof target === 'string') return report.problem(node.at, target);
  return { text: given.value, at: report.place(node.at) };
};
