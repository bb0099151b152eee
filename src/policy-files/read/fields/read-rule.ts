/** Reads the rules of a policy file. */

import { quoteName } from '../../../kernel/names.ts';
import { closestName } from '../../../kernel/similar-names.ts';
import type { Effect, Grant } from '../../../kernel/call.ts';
import type { PolicyFileRule, PolicyFileCondition, LocatedText } from '../../policy-file.ts';
import { readCondition } from './read-condition.ts';
import { readFields, readNonEmptyFields, type KnownFields } from './read-fields.ts';
import type { FileNode, MapEntry } from '../syntax/file-node.ts';
import type { FileReport } from '../syntax/file-report.ts';
import { readTargetNode } from './read-target.ts';
import { amountForms, readAmount, readTime } from './units.ts';
import {
  describeNode,
  readChoice,
  readBoolean,
  readName,
  readReason,
  readOneOrMore,
  reportWrongKind,
  type NodeReader,
} from './read-values.ts';

interface RuleFields {
  allow: readonly LocatedText[];
  ask: readonly LocatedText[];
  deny: readonly LocatedText[];
  forbid: readonly LocatedText[];
  name: string;
  reason: string;
  when: PolicyFileCondition;
  grant: Grant;
  expires: number;
  unknown: 'deny' | 'ask';
  shadow: boolean;
}

const effects: readonly (Effect | 'forbid')[] = ['allow', 'ask', 'deny', 'forbid'];
const readTargets = readOneOrMore(readTargetNode);

function amountReader(kind: keyof typeof amountForms): NodeReader<number> {
  return (node, name, report) => {
    const text = node.type === 'scalar' && typeof node.value === 'string' ? node.value : undefined;
    if (text === undefined) return reportWrongKind(node, name, report)(amountForms[kind]);
    const read = readAmount(text, kind);
    if (read === undefined) report.problem(node.at, `${name} is ${quoteName(text)}, not ${amountForms[kind]}`);
    return read;
  };
}

const readGrantFields = readNonEmptyFields<{ timeout: number; output: number; approval: number }>({
  timeout: amountReader('duration'),
  output: amountReader('size'),
  approval: amountReader('duration'),
});

const readGrant: NodeReader<Grant> = (node, name, report) => {
  const given = readGrantFields(node, name, report);
  if (given === undefined) return undefined;
  const { timeout, output, approval } = given;
  return {
    ...(timeout !== undefined && { timeoutMs: timeout }),
    ...(output !== undefined && { outputBytes: output }),
    ...(approval !== undefined && { approvalMs: approval }),
  };
};

const readExpires: NodeReader<number> = (node, name, report) => {
  const expiresForms = 'a day such as "2027-01-01", or a time with its zone such as "2027-01-01T12:00:00Z"';
  if (node.type !== 'scalar' || typeof node.value !== 'string')
    return reportWrongKind(node, name, report)(expiresForms);
  const read = readTime(node.value);
  if (read === undefined) report.problem(node.at, `${name} is ${describeNode(node)}, not ${expiresForms}`);
  return read;
};

const readUnknown = readChoice('deny', 'ask');

const fieldReaders = {
  allow: readTargets,
  ask: readTargets,
  deny: readTargets,
  forbid: readTargets,
  name: readName,
  reason: readReason,
  when: readCondition,
  grant: readGrant,
  expires: readExpires,
  unknown: readUnknown,
  shadow: readBoolean,
} as const;
const readRuleFields = readFields<RuleFields>(fieldReaders);
const ruleKeys = Object.keys(fieldReaders);

function isMisspelledEffect(key: string): boolean {
  const near = ruleKeys.includes(key) ? undefined : closestName(key.slice(0, 80), ruleKeys);
  return effects.some((effect) => effect === near);
}

export const readRule: NodeReader<PolicyFileRule> = (node, _name, report) => {
  const fields = readRuleFields(node, 'a rule', report);
  const effect = fields === undefined ? undefined : effectOf(node, fields, report);
  if (fields === undefined || effect === undefined) return undefined;
  const { allow: _, ask: __, deny: ___, forbid: ____, ...rest } = fields.values;
  const grant = fields.entries.get('grant');
  if (grant !== undefined && (effect === 'deny' || effect === 'forbid')) {
    report.problem(grant.at, `a ${effect} rule cannot have a grant; remove grant`);
  }
  const unknown = fields.entries.get('unknown');
  if (unknown !== undefined) checkUnknown(unknown, { effect, isConditional: fields.entries.has('when') }, report);
  return { effect, targets: fields.values[effect] ?? [], ...rest, at: report.positionOf(node.at) };
};

function checkUnknown(
  { at }: MapEntry,
  { effect, isConditional }: { readonly effect: PolicyFileRule['effect']; readonly isConditional: boolean },
  report: FileReport,
): void {
  if (effect === 'allow' || effect === 'ask') {
    const why = `if the condition of an ${effect} rule is unknown, the rule never allows`;
    report.problem(at, `only deny and forbid rules can have unknown: ${why}; remove unknown`);
  } else if (!isConditional) {
    report.problem(at, 'unknown needs a condition, but this rule has none; add when, or remove unknown');
  }
}

function effectOf(
  node: FileNode,
  { entries }: KnownFields<RuleFields>,
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
