/** Which calls a hook is about: targets as in rules, matched exactly. */

import { messageOf } from '../errors.ts';
import { readTarget, type TargetLike } from '../policy/target.ts';
import type { Target } from '../policy/rule.ts';
import type { Check } from './stock-options.ts';

/** `tool`, `server/tool`, `server/*`, `*`, by the tool's own name: an alias matches nothing. */
export type CallTarget = TargetLike;

export const isCallTarget: Check = (value) => {
  try {
    readTarget(value as TargetLike);
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
};

interface Named {
  readonly tool: string;
  readonly server: string | undefined;
}

/** True for a call that one of the targets names. */
export function callFilter(likes: readonly TargetLike[]): (call: Named) => boolean {
  const targets = likes.map(readTarget);
  return (call) => targets.some((target) => fits(target, call));
}

function fits(target: Target, { tool, server }: Named): boolean {
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
