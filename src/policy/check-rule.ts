/** Reading what claims to be a rule, for rules that were not made by a builder or by typed code. */

import { kindOf } from '../kind-of.ts';
import { nameProblem, quoteName, textProblem } from '../catalog/names.ts';
import { grantProblems } from '../grant.ts';
import { defaultLimits } from '../limits.ts';
import type { Rule, Target } from './rule.ts';
import { targetText } from './target.ts';

/** A copy that nobody can change any more. Fields are read by name and once: what is checked is what is kept. */
export function freezeRule(given: Rule): Rule {
  const { name, effect, target, reason, when, grant, shadow, handler, check, review } = given;
  const { unanswerable, optional, fingerprint, concerns, at } = given;
  return Object.freeze({
    type: 'rule',
    name,
    effect,
    target: isObject(target) ? freezeTarget(target) : target,
    reason,
    when,
    grant: isObject(grant) ? Object.freeze({ ...grant }) : grant,
    shadow,
    handler,
    check,
    review,
    unanswerable,
    optional,
    fingerprint,
    concerns,
    at,
  });
}

function freezeTarget({ type, server, tool }: Target & { server?: unknown; tool?: unknown }): Target {
  return Object.freeze({ type, server, tool }) as Target;
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
const effects: readonly unknown[] = ['allow', 'deny', 'ask', 'forbid'];
export const ruleFields: ReadonlySet<string> = new Set(Object.keys(freezeRule({} as Rule)));

/** What is wrong with a rule: with what was given, and with the copy of it. */
export function ruleProblems(given: Rule, rule: Rule): readonly string[] {
  const { effect, target } = rule;
  if (!effects.includes(effect)) {
    return [`a rule has the effect ${quoteName(effect)}; it is allow, deny, ask or forbid`];
  }
  if (!isObject(target) || !['tool', 'server', 'all'].includes(target.type)) {
    return [`a rule with the effect ${effect} has no target`];
  }
  const misnamed = nameProblems(rule);
  if (misnamed.length > 0) return misnamed.map((text) => `${effect} rule: ${text}`);
  const unknown = Object.keys(given).filter((field) => !ruleFields.has(field));
  return [
    ...unknown.map((field) => `it has an unknown field ${quoteName(field)}`),
    ...partProblems(rule),
    ...grantProblems(rule.grant),
  ].map((text) => `${labelOf(rule)}: ${text}`);
}

/** How messages name a rule. */
export function labelOf({ name, effect, target, at }: Rule): string {
  const label = name === undefined ? `${effect} ${targetText(target)}` : `rule "${name}"`;
  return at === undefined ? label : `${at}: ${label}`;
}

function nameProblems({ name, target }: Rule): string[] {
  const { nameLength } = defaultLimits;
  const problems: string[] = [];
  const check = (what: string, value: unknown, problem: string | undefined): void => {
    if (problem !== undefined) problems.push(`its ${what} ${quoteName(value)} ${problem}`);
  };
  // Builders make it of the names of a server and a tool.
  if (name !== undefined) check('name', name, textProblem(name, 3 * nameLength));
  if (target.type === 'server' || (target.type === 'tool' && target.server !== undefined)) {
    check('server', target.server, nameProblem(target.server, nameLength));
  }
  if (target.type === 'tool') check('tool', target.tool, nameProblem(target.tool, nameLength));
  return problems;
}

function partProblems(rule: Rule): string[] {
  const { effect, reason, handler, shadow, unanswerable, optional } = rule;
  const problems: string[] = [];
  for (const part of ['when', 'check', 'handler', 'review'] as const) {
    const value: unknown = rule[part];
    if (value !== undefined && typeof value !== 'function')
      problems.push(`${part} is ${kindOf(value)}, not a function`);
  }
  if (reason !== undefined && typeof reason !== 'string' && typeof reason !== 'function')
    problems.push('reason is not a text');
  if (unanswerable !== undefined && typeof unanswerable !== 'string') problems.push('unanswerable is not a text');
  if (shadow !== undefined && typeof shadow !== 'boolean') problems.push('shadow is not true or false');
  if (optional !== undefined && typeof optional !== 'boolean') problems.push('optional is not true or false');
  if (handler !== undefined && effect !== 'ask') problems.push('only an ask rule has a handler');
  return problems;
}
