/** Selects calls by targets, as in rules, with exact matching. */

import { messageOf } from '../../kernel/errors.ts';
import { parseTarget, type TargetLike } from '../../kernel/policy/rules/target.ts';
import type { Target } from '../../kernel/policy/rules/rule.ts';
import { invalid, type Shape } from '../../kernel/shapes.ts';

/** `tool`, `server/tool`, `server/*`, `*`, by the tool's own name. An alias does not match. */
export type CallTarget = TargetLike;

export const callTarget: Shape<TargetLike> = (value) => {
  try {
    parseTarget(value as TargetLike);
    return value as TargetLike;
  } catch (error) {
    return invalid(`is not a target: ${messageOf(error)}`);
  }
};

interface NamedCall {
  readonly tool: string;
  readonly server: string | undefined;
}

/** True for a call that matches one of the targets. */
export function callFilter(targets: readonly TargetLike[]): (call: NamedCall) => boolean {
  const parsed = targets.map(parseTarget);
  return (call) => parsed.some((target) => matchesTarget(target, call));
}

function matchesTarget(target: Target, { tool, server }: NamedCall): boolean {
  switch (target.type) {
    case 'all':
      return true;
    case 'server':
      return target.server === server;
    case 'tool':
      return target.server === server && target.tool === tool;
    default:
      return target satisfies never;
  }
}
