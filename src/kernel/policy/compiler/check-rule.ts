/** Validation of rules that were not made by a builder or by typed code. */

import {
  anyCheck,
  functionCheck,
  type ChecksOf,
  booleanCheck,
  grantCheck,
  checkThat,
  textCheck,
  unknownFieldProblems,
  valueProblems,
} from '../../check-fields.ts';
import { nameProblem, quoteName, textProblem } from '../../names.ts';
import { isRecord } from '../../kind-of.ts';
import { defaultLimits } from '../../limits.ts';
import type { Rule, Target } from '../rules/rule.ts';
import { targetText } from '../rules/target.ts';

const checks: ChecksOf<Rule> = {
  type: anyCheck,
  name: anyCheck,
  effect: anyCheck,
  target: anyCheck,
  reason: checkThat('a string or a function', (value) => typeof value === 'string' || typeof value === 'function'),
  when: functionCheck,
  grant: grantCheck,
  shadow: booleanCheck,
  handler: functionCheck,
  unknown: checkThat('"deny" or "ask"', (value) => value === 'deny' || value === 'ask'),
  check: functionCheck,
  review: functionCheck,
  unanswerable: textCheck,
  optional: booleanCheck,
  fingerprint: textCheck,
  concerns: functionCheck,
  covers: functionCheck,
  at: textCheck,
};
export const ruleFields = Object.keys(checks);
const effects: readonly unknown[] = ['allow', 'deny', 'ask', 'forbid'];

/** A frozen copy of a rule. Each field is read once by name, so that the checked value is the one that is used. */
export function freezeRule(given: Rule): Rule {
  const { name, effect, target, reason, when, grant: most, shadow, handler, check, review } = given;
  const { unknown, unanswerable, optional, fingerprint, concerns, covers, at } = given;
  return Object.freeze({
    type: 'rule',
    name,
    effect,
    target: isRecord(target) ? freezeTarget(target) : target,
    reason,
    when,
    grant: isRecord(most) ? Object.freeze({ ...most }) : most,
    shadow,
    handler,
    unknown,
    check,
    review,
    unanswerable,
    optional,
    fingerprint,
    concerns,
    covers,
    at,
  });
}

function freezeTarget({ type, server, tool }: Target & { server?: unknown; tool?: unknown }): Target {
  return Object.freeze({ type, server, tool }) as Target;
}

/** Problems of a rule, in the given object and in its copy. */
export function ruleProblems(given: Rule, rule: Rule): readonly string[] {
  const { effect, target } = rule;
  if (!effects.includes(effect)) {
    return [`a rule has the effect ${quoteName(effect)}; it is allow, deny, ask or forbid`];
  }
  if (!isRecord(target) || !['tool', 'server', 'all'].includes(target.type)) {
    return [`a rule with the effect ${effect} has no target`];
  }
  const misnamed = nameProblems(rule);
  if (misnamed.length > 0) return misnamed.map((text) => `${effect} rule: ${text}`);
  const problems = [...unknownFieldProblems(given, ruleFields), ...valueProblems(rule, checks)];
  if (rule.handler !== undefined && effect !== 'ask') problems.push('only an ask rule has a handler');
  if (rule.unknown !== undefined) problems.push(...unknownProblems(rule));
  return problems.map((problem) => `${messageNameOf(rule)}: ${problem}`);
}

function unknownProblems({ effect, unknown, when, check }: Rule): readonly string[] {
  if (effect === 'allow' || effect === 'ask') {
    return [
      `only a deny or forbid rule takes unknown; if the condition of an ${effect} rule is unknown, it never allows`,
    ];
  }
  const isConditional = when !== undefined || check !== undefined;
  return isConditional ? [] : [`unknown: '${unknown}' needs a condition (when); this rule always applies`];
}

export function messageNameOf({ name, effect, target, at }: Rule): string {
  const label = name === undefined ? `${effect} ${targetText(target)}` : `rule "${name}"`;
  return at === undefined ? label : `${at}: ${label}`;
}

function nameProblems({ name, target }: Rule): string[] {
  const problems: string[] = [];
  const check = (what: string, value: unknown, problem: string | undefined): void => {
    if (problem !== undefined) problems.push(`its ${what} ${quoteName(value)} ${problem}`);
  };
  // Builders compose it from a server name and a tool name.
  if (name !== undefined) check('name', name, textProblem(name, 3 * defaultLimits.nameLength));
  if (target.type === 'server' || (target.type === 'tool' && target.server !== undefined)) {
    check('server', target.server, nameProblem(target.server));
  }
  if (target.type === 'tool') check('tool', target.tool, nameProblem(target.tool));
  return problems;
}
