/** The shape of a rule and of its condition. */

import type { Effect, Grant } from '../../../kernel/call.ts';
import { defaultLimits } from '../../../kernel/limits.ts';
import { closestName } from '../../../kernel/similar-names.ts';
import { callFacts } from '../../cel/functions/fact-functions.ts';
import type { PolicyFileRule, FilePosition, PolicyFileCondition } from '../../policy-file.ts';
import type { FileNode, MapEntry } from '../syntax/file-node.ts';
import type { FileReport } from '../syntax/file-report.ts';
import { duration, size, time } from './amounts.ts';
import { name, targets } from './name-shapes.ts';
import { about, boolean, choice, fields, line, named, refined, type Shape, text } from './shape.ts';
import { lazy } from '../../../kernel/lazy.ts';
import { scalarSourceMap } from '../syntax/scalar-source-map.ts';

const maxCharacters = 10_000;
// With an invisible character in a compared name, a rule would look right and never match.
const invisibleCharacter = lazy(() => /[^\P{C}\t\n\r]|[\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u);

const plainText = /^[\t\n -~]*$/;

/** A condition, with the file position of each of its characters. */
const condition: Shape<PolicyFileCondition> = refined(text(maxCharacters), (given, { name: key, report }) => {
  const { value, at } = given;
  if (value.trim() === '') return report.problem(at, `${key} is empty; write a condition, or remove the key`);
  if (value.length > maxCharacters)
    return report.problem(at, `${key} is longer than ${maxCharacters} characters; use several rules`);
  const stretches = scalarSourceMap(given).map(({ offset, source }) => ({ offset, at: report.positionOf(source) }));
  const read = { text: value, at: report.positionOf(at), stretches };
  const hidden = plainText.test(value) ? null : invisibleCharacter().exec(value);
  if (hidden === null) return read;
  const code = (hidden[0].codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  return report.problem(
    positionInCondition(read, hidden.index),
    `${key} contains the invisible character U+${code}; in a string of the condition, write \\u${code}`,
  );
});

/** The file position of the character at an offset of a condition. */
export function positionInCondition({ at, stretches }: PolicyFileCondition, offset: number): FilePosition {
  const segment = stretches.findLast((each) => each.offset <= offset);
  if (segment === undefined) return at;
  return { line: segment.at.line, column: segment.at.column + offset - segment.offset };
}

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

const facts = callFacts.map(({ name }) => name);
const conditionNames = `args, call, session, turn and the facts ${facts.slice(0, -1).join(', ')} and ${facts.at(-1)}`;

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
    `A CEL expression over ${conditionNames}. Without it, the rule always applies to its targets.`,
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
  approval: about(
    'For an ask rule: "signed" means that only an answer in the store counts, signed with the key of a person, and not one from the prompt of a framework or a coding agent.',
    choice('signed'),
  ),
  shadow: about('If true, the rule is evaluated and reported, but not enforced.', boolean),
};

const effects: readonly (Effect | 'forbid')[] = ['allow', 'ask', 'deny', 'forbid'];
const denies = { anyOf: [{ required: ['deny'] }, { required: ['forbid'] }] };

const ruleFields = fields(ruleShapes, {
  title: 'a rule',
  // The same as `effectOf`, and as the checks of `grant`, `approval` and `unknown` below.
  schema: {
    oneOf: effects.map((effect) => ({ required: [effect] })),
    not: { required: ['grant'], ...denies },
    dependentRequired: { approval: ['ask'] },
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
      const approval = entries.get('approval');
      if (approval !== undefined && effect !== 'ask')
        report.problem(approval.at, `only an ask rule can have approval; remove approval`);
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
