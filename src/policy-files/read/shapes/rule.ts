/** The shape of a rule. */

import type { Effect, Grant } from '../../../kernel/call.ts';
import { defaultLimits } from '../../../kernel/limits.ts';
import { closestName } from '../../../kernel/similar-names.ts';
import type { PolicyFileRule } from '../../policy-file.ts';
import type { FileNode, MapEntry } from '../syntax/file-node.ts';
import type { FileReport } from '../syntax/file-report.ts';
import { duration, size, time } from './amounts.ts';
import { condition } from './condition.ts';
import { name, targets } from './name-shapes.ts';
import { about, boolean, choice, fields, line, named, refined, type Shape } from './shape.ts';

const grant: Shape<Grant> = named(
  'grant',
  about(
    'Limits for a call that this rule allows.',
    refined(
      fields(
        {
          timeout: about('How long the call may run.', duration),
          output: about('How much output the call may return.', size),
          approval: about('How long an approval of the call is valid.', duration),
        },
        { nonEmpty: true },
      ),
      ({ values: { timeout, output, approval } }) => ({
        ...(timeout !== undefined && { timeoutMs: timeout }),
        ...(output !== undefined && { outputBytes: output }),
        ...(approval !== undefined && { approvalMs: approval }),
      }),
    ),
    [{ timeout: '30s', output: '64KiB', approval: '5m' }],
  ),
);

const conditionKeys =
  'args, call, session, turn and the facts runs, runsOnly, opaque, worksIn, reads, writes, readsInside, writesInside, host, isPublicHost and underDomain';

const ruleShapes = {
  allow: about('The call runs.', targets),
  ask: about('A person must approve the call first.', targets),
  deny: about('The call does not run, unless a more specific rule decides otherwise.', targets),
  forbid: about('The call does not run. No other rule can override this.', targets),
  name: about('The name of the rule in decisions, tests and the journal. Unique in a file.', name, [
    'project commands',
  ]),
  reason: about(
    'For deny and forbid: the reason that the model gets. For ask: the question. One line.',
    line(defaultLimits.reasonLength),
    ['May the agent change GitHub?'],
  ),
  when: about(
    `A CEL expression over ${conditionKeys}. Without it, the rule always applies to its targets.`,
    condition,
    [
      'runsOnly("npm test", "git status")',
      'writes("**/.env")',
      'opaque()',
      '!underDomain("example.com")',
      'args.branch == "main"',
    ],
  ),
  grant,
  expires: about('After this time the rule is ignored: a day (its start in UTC), or a time with its zone.', time, [
    '2027-01-01',
    '2027-01-01T12:00:00Z',
    '2027-01-01T12:00+02:00',
  ]),
  unknown: about(
    'For a deny or forbid rule with a condition: the decision if it is unknown whether the condition is true. Default: deny.',
    choice('deny', 'ask'),
  ),
  shadow: about('If true, the rule is evaluated and reported, but not enforced.', boolean),
};

const effects: readonly (Effect | 'forbid')[] = ['allow', 'ask', 'deny', 'forbid'];
const denies = { anyOf: [{ required: ['deny'] }, { required: ['forbid'] }] };

const ruleFields = fields(ruleShapes, {
  title: 'a rule',
  // The same as `effectOf`, and as the checks of `grant` and `unknown` below.
  schema: {
    oneOf: effects.map((effect) => ({ required: [effect] })),
    not: { required: ['grant'], ...denies },
    if: { required: ['unknown'] },
    // oxlint-disable-next-line no-thenable -- a keyword of JSON Schema
    then: { required: ['when'], ...denies },
  },
});

export const rule: Shape<PolicyFileRule> = named(
  'rule',
  about(
    'A rule: an effect (allow, ask, deny or forbid), its targets, and when it applies.',
    refined(ruleFields, ({ values, entries }, { node, report }) => {
      const effect = effectOf(node, entries, report);
      if (effect === undefined) return undefined;
      const { allow: _, ask: __, deny: ___, forbid: ____, ...rest } = values;
      const grantEntry = entries.get('grant');
      if (grantEntry !== undefined && (effect === 'deny' || effect === 'forbid'))
        report.problem(grantEntry.at, `a ${effect} rule cannot have a grant; remove grant`);
      const unknown = entries.get('unknown');
      const problem = unknown === undefined ? undefined : unknownProblem(effect, entries.has('when'));
      if (unknown !== undefined && problem !== undefined) report.problem(unknown.at, problem);
      return { effect, targets: values[effect] ?? [], ...rest, at: report.positionOf(node.at) };
    }),
    [
      { allow: ['view_file', 'list_directory'] },
      { allow: 'run_command', when: 'runsOnly("npm test", "git status")' },
      { forbid: '*', when: 'writes("**/.env")', unknown: 'ask', reason: 'Secrets stay as they are.' },
    ],
  ),
);

function unknownProblem(effect: PolicyFileRule['effect'], isConditional: boolean): string | undefined {
  if (effect === 'allow' || effect === 'ask') {
    const why = `if the condition of an ${effect} rule is unknown, the rule never allows`;
    return `only deny and forbid rules can have unknown: ${why}; remove unknown`;
  }
  return isConditional ? undefined : 'unknown needs a condition, but this rule has none; add when, or remove unknown';
}

function effectOf(
  node: FileNode,
  entries: ReadonlyMap<string, MapEntry>,
  report: FileReport,
): PolicyFileRule['effect'] | undefined {
  const [effect, second] = effects.filter((each) => entries.has(each));
  if (effect === undefined) {
    // A misspelled key was already reported, with a suggestion.
    if ([...entries.keys()].some(isMisspelledEffect)) return undefined;
    return report.problem(node.at, 'a rule needs one of allow, ask, deny or forbid');
  }
  if (second === undefined) return effect;
  const at = Math.max(entries.get(effect)?.at ?? 0, entries.get(second)?.at ?? 0);
  return report.problem(at, `a rule has both ${effect} and ${second}; write two rules`);
}

function isMisspelledEffect(key: string): boolean {
  const known = Object.keys(ruleShapes);
  const near = known.includes(key) ? undefined : closestName(key.slice(0, 80), known);
  return effects.some((effect) => effect === near);
}
