/** Selects calls by targets, as in rules, with exact matching. */

import { messageOf } from '../../kernel/errors.ts';
import { parseTarget, type TargetLike } from '../../kernel/policy/rules/target.ts';
import type { Target } from '../../kernel/policy/rules/rule.ts';
import type { OptionCheck } from './ready-made-options.ts';

/** `tool`, `server/tool`, `server/*`, `*`, by the tool's own name. An alias does not match. */
export type CallTarget = TargetLike;

export const mustBeCallTarget: OptionCheck = (value) => {
  try {
    parseTarget(value as TargetLike);
    return undefined;
  } catch (error) {
    return messageOf(error);
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
