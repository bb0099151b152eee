/** The target of a rule: one tool, all tools of a server, or all tools. */

import { kindOf } from '../../kind-of.ts';
import { pairText, quoteName } from '../../names.ts';
import { BridleError } from '../../errors.ts';
import type { Rule, Target } from './rule.ts';

/** `tool`, `server/tool`, `server/*`, `*`, or the pair as an object if a name contains a slash. */
export type TargetLike = string | { readonly server: string; readonly tool?: string };

export function parseTarget(like: TargetLike): Target {
  if (typeof like === 'string') return Object.freeze(readTargetText(like));
  if (typeof like !== 'object' || like === null || typeof like.server !== 'string' || like.server === '') {
    throw notTarget(`not ${kindOf(like)}`);
  }
  // A misspelled or missing tool must not become all tools of the server.
  const odd = Object.keys(like).find((key) => key !== 'server' && (key !== 'tool' || like.tool === undefined));
  if (odd !== undefined) throw notTarget(`and ${quoteName(odd)} is not known or has no value`);
  const { server, tool } = like;
  return Object.freeze(tool === undefined ? { type: 'server', server } : { type: 'tool', server, tool });
}

function notTarget(problem: string): BridleError {
  const forms = 'a string such as "view_file" or "server/tool", or { server, tool }';
  return new BridleError('RULE_INVALID', `a target is ${forms}, ${problem}`);
}

function readTargetText(text: string): Target {
  if (text === '*') return { type: 'all' };
  const slash = text.indexOf('/');
  const server = slash < 0 ? undefined : text.slice(0, slash);
  const tool = text.slice(slash + 1);
  if (server === '' || tool === '' || (text.includes('*') && tool !== '*') || server?.includes('*') === true) {
    const forms = '"tool", "server/tool", "server/*" or "*"';
    throw new BridleError('RULE_INVALID', `the target ${quoteName(text)} is not one of ${forms}`);
  }
  if (server !== undefined && tool === '*') return { type: 'server', server };
  return { type: 'tool', server, tool };
}

export function targetText(target: Target): string {
  switch (target.type) {
    case 'all':
      return '*';
    case 'server':
      return `${target.server}/*`;
    case 'tool':
      return pairText(target.server, target.tool);
    default:
      return target satisfies never;
  }
}

/** 0 to 8: specific before general, and within a level deny before ask before allow. Forbid comes before all of them. */
export function bucketOf(effect: Rule['effect'], target: Target): number {
  if (effect === 'forbid') return -1;
  const level = { tool: 0, server: 3, all: 6 }[target.type];
  return level + { deny: 0, ask: 1, allow: 2 }[effect];
}
