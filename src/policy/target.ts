/** What a rule is about: one tool, the tools of one server, or everything. */

import { pairText, quoteName } from '../catalog/names.ts';
import { BridleError } from '../errors.ts';
import type { Target } from './rule.ts';

/** `tool`, `server/tool`, `server/*`, `*`, or the pair itself where a name holds a slash. */
export type TargetLike = string | { readonly server: string; readonly tool?: string | undefined };

export function readTarget(like: TargetLike): Target {
  if (typeof like === 'string') return readTargetText(like);
  if (typeof like !== 'object' || like === null || typeof like.server !== 'string' || like.server === '') {
    throw new BridleError(
      'RULE_INVALID',
      'a target is a text such as "view_file" or "server/tool", or { server, tool }',
    );
  }
  const { server, tool } = like;
  return tool === undefined ? { type: 'server', server } : { type: 'tool', server, tool };
}

function readTargetText(text: string): Target {
  if (text === '*') return { type: 'all' };
  const slash = text.indexOf('/');
  const server = slash < 0 ? undefined : text.slice(0, slash);
  const tool = text.slice(slash + 1);
  if (server === '' || tool === '' || (text.includes('*') && tool !== '*') || server?.includes('*') === true) {
    const forms = '"tool", "server/tool", "server/*" or "*"';
    throw new BridleError('RULE_INVALID', `the target ${quoteName(text)} is none of ${forms}`);
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
