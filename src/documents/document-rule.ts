/** Reads the rules of a policy file. */

import { quoteName } from '../catalog/names.ts';
import { nearest } from '../nearest.ts';
import type { Effect, Grant } from '../call.ts';
import type { DocumentRule, DocumentCondition, PlacedText } from './document.ts';
import { readCondition } from './document-condition.ts';
import { readFields, readSomeFields, type Fields } from './document-fields.ts';
import type { DocumentNode, MapEntry } from './document-node.ts';
import type { DocumentReport } from './document-report.ts';
import { readTarget } from './document-target.ts';
import { amountForms, readAmount, readMoment } from './document-units.ts';
import {
  kindOfNode,
  readChoice,
  readFlag,
  readName,
  readReason,
  readSome,
  wrongKind,
  type Read,
} from './document-values.ts';

interface RuleFields {
  allow: readonly PlacedText[];
  ask: readonly PlacedText[];
  deny: readonly PlacedText[];
  forbid: readonly PlacedText[];
  name: string;
  reason: string;
  when: DocumentCondition;
  grant: Grant;
  expires: number;
  unknown: 'deny' | 'ask';
  shadow: boolean;
}

const effects: readonly (Effect | 'forbid')[] = ['allow', 'ask', 'deny', 'forbid'];
const readTargets = readSome(readTarget);

function amount(kind: keyof typeof amountForms): Read<number> {
  return (node, name, report) => {
    const text = node.type === 'scalar' && typeof node.value === 'string' ? node.value : undefined;
    if (text === undefined) return wrongKind(node, name, report)(amountForms[kind]);
    const read = readAmount(text, kind);
    if (read === undefined) report.problem(node.at, `${name} is ${quoteName(text)}, not ${amountForms[kind]}`);
    return read;
  };
}

const readGrantFields = readSomeFields<{ timeout: number; output: number; approval: number }>({
  timeout: amount('duration'),
  output: amount('size'),
  approval: amount('duration'),
});

const readGrant: Read<Grant> = (node, name, report) => {
  const given = readGrantFields(node, name, report);
  if (given === undefined) return undefined;
  const { timeout, output, approval } = given;
  return {
    ...(timeout !== undefined && { timeoutMs: timeout }),
    ...(output !== undefined && { outputBytes: output }),
    ...(approval !== undefined && { approvalMs: approval }),
  };
};

const readExpires: Read<number> = (node, name, report) => {
  const forms = 'a day such as "2027-01-01", or a time with its zone such as "2027-01-01T12:00:00Z"';
  if (node.type !== 'scalar' || typeof node.value !== 'string') return wrongKind(node, name, report)(forms);
  const read = readMoment(node.value);
  if (read === undefined) report.problem(node.at, `${name} is ${kindOfNode(node)}, not ${forms}`);
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
  shadow: readFlag,
} as const;
const readRuleFields = readFields<RuleFields>(fieldReaders);
const ruleKeys = Object.keys(fieldReaders);

function isMisspelledEffect(key: string): boolean {
  const near = ruleKeys.includes(key) ? undefined : nearest(key.slice(0, 80), ruleKeys);
  return effects.some((effect) => effect === near);
}

export const readRule: Read<DocumentRule> = (node, _name, report) => {
  const fields = readRuleFields(node, 'a rule', report);
  const effect = fields === undefined ? undefined : effectOf(node, fields, report);
  if (fields === undefined || effect === undefined) return undefined;
  const { allow: _, ask: __, deny: ___, forbid: ____, ...rest } = fields.values;
  const grant = fields.entries.get('grant');
  if (grant !== undefined && (effect === 'deny' || effect === 'forbid')) {
    report.problem(grant.at, `a ${effect} rule grants nothing; leave grant out`);
  }
  const unknown = fields.entries.get('unknown');
  if (unknown !== undefined) checkUnknown(unknown, { effect, isConditional: fields.entries.has('when') }, report);
  return { effect, targets: fields.values[effect] ?? [], ...rest, at: report.place(node.at) };
};

function checkUnknown(
  { at }: MapEntry,
  { effect, isConditional }: { readonly effect: DocumentRule['effect']; readonly isConditional: boolean },
  report: DocumentReport,
): void {
  if (effect === 'allow' || effect === 'ask') {
    const why = `if the condition of an ${effect} rule is unknown, the rule never allows`;
    report.problem(at, `only a deny or forbid rule takes unknown: ${why}; leave unknown out`);
  } else if (!isConditional) {
    report.problem(at, 'unknown needs a condition, and this rule always applies; add when, or leave unknown out');
  }
}

function effectOf(
  node: DocumentNode,
  { entries }: Fields<RuleFields>,
  report: DocumentReport,
): DocumentRule['effect'] | undefined {
  const [effect, second] = effects.filter((each) => entries.has(each));
  if (effect === undefined) {
    // A misspelled key was told already, with what it was meant to be.
    if ([...entries.keys()].some(isMisspelledEffect)) return undefined;
    return report.problem(node.at, 'a rule has none of allow, ask, deny and forbid; write one of them');
  }
  if (second === undefined) return effect;
  const at = Math.max(entries.get(effect)?.at ?? 0, entries.get(second)?.at ?? 0);
  return report.problem(at, `a rule has both ${effect} and ${second}; write two rules`);
}
