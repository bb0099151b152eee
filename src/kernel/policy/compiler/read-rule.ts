/** Reads rules: checked, frozen copies. */

import { defaultLimits } from '../../limits.ts';
import { quoteName, textProblem } from '../../names.ts';
import * as is from '../../shapes.ts';
import { Invalid, invalid, type Shape, type ShapesOf, isRecord } from '../../shapes.ts';
import type { Rule, Target } from '../rules/rule.ts';
import { targetText } from '../rules/target.ts';

/** Other fields of a target are ignored. */
const target: Shape<Target> = (value, limits) => {
  const { type, server, tool } = (isRecord(value) ? value : {}) as { type?: unknown; server?: unknown; tool?: unknown };
  if (type !== 'tool' && type !== 'server' && type !== 'all') return invalid('is not a target');
  const copy = {
    type,
    server: type === 'server' || (type === 'tool' && server !== undefined) ? is.name(server, limits) : undefined,
    tool: type === 'tool' ? is.name(tool, limits) : undefined,
  };
  if (copy.server instanceof Invalid) return copy.server.under('server');
  return copy.tool instanceof Invalid ? copy.tool.under('tool') : (Object.freeze(copy) as Target);
};

const effect = is.oneOf('allow', 'deny', 'ask', 'forbid');

const shapes: ShapesOf<Rule> = {
  type: is.any,
  // Builders compose it from a server name and a tool name.
  name: is.without((value) => textProblem(value, 3 * defaultLimits.nameLength)),
  effect,
  target,
  reason: is.that('a string or a function', (value) => typeof value === 'string' || typeof value === 'function'),
  when: is.func,
  grant: is.grant,
  shadow: is.flag,
  handler: is.func,
  approval: is.oneOf('signed'),
  unknown: is.oneOf('deny', 'ask'),
  check: is.func,
  review: is.func,
  unanswerable: is.text,
  optional: is.flag,
  fingerprint: is.text,
  concerns: is.func,
  covers: is.func,
  at: is.text,
};
const shape = is.options<Rule>(shapes, { needed: ['effect', 'target'] });

export const ruleFields = Object.keys(shapes);

/** A checked, frozen copy of a rule, or its problems. */
export function readRule(given: Rule): Rule | readonly string[] {
  const rule = shape(given, defaultLimits);
  if (rule instanceof Invalid) return rule.texts().map((problem) => `${invalidRuleLabel(given)}: ${problem}`);
  const problems: string[] = [];
  if ((rule.handler ?? rule.approval) !== undefined && rule.effect !== 'ask')
    problems.push('only an ask rule has a handler or approval');
  if (rule.unknown !== undefined) problems.push(...unknownProblems(rule));
  return problems.length === 0 ? rule : problems.map((problem) => `${ruleLabel(rule)}: ${problem}`);
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

/** A rule as messages name it. */
export function ruleLabel({ name, effect, target, at }: Rule): string {
  const label = name === undefined ? `${effect} ${targetText(target)}` : `rule "${name}"`;
  return at === undefined ? label : `${at}: ${label}`;
}

function invalidRuleLabel(given: Rule): string {
  if (typeof given.name === 'string') return `rule ${quoteName(given.name)}`;
  const about = target(given.target, defaultLimits);
  const kind = effect(given.effect, defaultLimits);
  return `${kind instanceof Invalid ? 'rule' : kind}${about instanceof Invalid ? '' : ` ${targetText(about)}`}`;
}
