/** Whether an object that claims to be a rule is one, for rules that were not made by a builder or by typed code. */

import { nameProblem } from '../catalog/names.ts';
import { grantProblems } from '../grant.ts';
import { defaultLimits } from '../limits.ts';
import type { Rule } from './rule.ts';
import { targetText } from './target.ts';

export function ruleProblems(rule: Rule): readonly string[] {
  const { effect, target } = rule;
  if (effect !== 'allow' && effect !== 'deny' && effect !== 'ask' && effect !== 'forbid') {
    return [`a rule has the effect ${JSON.stringify(effect)}; it is allow, deny, ask or forbid`];
  }
  if (typeof target !== 'object' || target === null || !['tool', 'server', 'all'].includes(target.type)) {
    return [`a rule with the effect ${effect} has no target`];
  }
  const named = rule.name === undefined ? `${effect} ${targetText(target)}` : `rule "${String(rule.name)}"`;
  return [...nameProblems(rule), ...partProblems(rule), ...grantProblems(rule.grant)].map(
    (text) => `${named}: ${text}`,
  );
}

function nameProblems({ name, target }: Rule): string[] {
  const problems: string[] = [];
  const check = (what: string, value: unknown): void => {
    const problem = value === undefined ? undefined : nameProblem(value, defaultLimits.nameLength);
    if (problem !== undefined) problems.push(`the ${what} ${problem}`);
  };
  if (name !== undefined && (typeof name !== 'string' || name.trim() === '')) problems.push('the name is not a text');
  if (target.type !== 'all') check('server', target.server);
  if (target.type === 'tool') check('tool', target.tool);
  return problems;
}

function partProblems({ effect, reason, when, check, handler, shadow }: Rule): string[] {
  const problems: string[] = [];
  if (when !== undefined && typeof when !== 'function') problems.push('when is not a function');
  if (check !== undefined && typeof check !== 'function') problems.push('check is not a function');
  if (when !== undefined && check !== undefined) problems.push('when and check exclude each other');
  if (reason !== undefined && typeof reason !== 'string' && typeof reason !== 'function')
    problems.push('reason is not a text');
  if (shadow !== undefined && typeof shadow !== 'boolean') problems.push('shadow is not true or false');
  if (handler !== undefined && typeof handler !== 'function') problems.push('handler is not a function');
  if (handler !== undefined && effect !== 'ask') problems.push('only an ask rule has a handler');
  return problems;
}
