/**
 * Finds the rules that only one of two policies has, and whether the difference can make a decision looser. A new deny
 * cannot, and neither can a rule whose calls are covered by another one. If this is not certain, it counts as looser.
 */

import { type Decision, type Grant, narrowGrant } from '../../kernel/call.ts';
import { pathsReadBy } from '../cel/syntax/condition-parts.ts';
import type { LoadedPolicy } from '../loaded-policy.ts';
import { PolicyRules, type RuleEntry, ruleLocation, ruleTitle } from '../policy-rules.ts';
import { impliesCondition } from './condition-implies.ts';

/** A part that only one of the policies has, for which no call was found that shows the difference. */
export interface ChangedRule {
  readonly side: 'before' | 'after';
  /** `"no deleting"`, `deny push`, `schema of deploy`, `hook module gate.mjs`, `tool deploy`, `server github`, … */
  readonly rule: string;
  /** `bridle.yaml:14`. */
  readonly at: string;
  /** `stricter` only if no decision can become looser. If that is not known, it is `looser`. */
  readonly change: 'stricter' | 'looser';
}

/** One target of a rule, with what comparisons need. */
interface ComparedRule {
  readonly rule: RuleEntry['rule'];
  readonly entry: RuleEntry;
  /** The own file may have another name in each version, so it is ''. The files that it extends have the same name. */
  readonly layer: string;
  readonly target: string;
}

interface PolicySide {
  readonly policy: LoadedPolicy;
  /** By meaning: the parts that affect decisions, not the name or reason. */
  readonly rules: ReadonlyMap<string, ComparedRule>;
}

const strictness: Readonly<Record<RuleEntry['rule']['effect'], number>> = { allow: 0, ask: 1, deny: 2, forbid: 3 };

export function changedRules(before: LoadedPolicy, after: LoadedPolicy): readonly ChangedRule[] {
  const [old, now] = [sideOf(before), sideOf(after)];
  return [
    ...onlyIn(old, now).map((rule) => changeOf(rule, 'before', canBeLost(rule, now))),
    ...onlyIn(now, old).map((rule) => changeOf(rule, 'after', canBeAdded(rule, old))),
  ];
}

function changeOf({ entry }: ComparedRule, side: ChangedRule['side'], isSafe: boolean): ChangedRule {
  return { side, rule: ruleTitle(entry), at: ruleLocation(entry), change: isSafe ? 'stricter' : 'looser' };
}

function onlyIn(side: PolicySide, other: PolicySide): readonly ComparedRule[] {
  return [...side.rules].filter(([meaning]) => !other.rules.has(meaning)).map(([, rule]) => rule);
}

function sideOf(policy: LoadedPolicy): PolicySide {
  const own = policy.layers.at(-1);
  const compared = new PolicyRules(policy).entries
    .filter(({ rule }) => rule.shadow !== true)
    .map((entry): ComparedRule => ({
      entry,
      rule: entry.rule,
      layer: entry.layer === own ? '' : entry.layer.policyFile.file,
      target: JSON.stringify(entry.target),
    }));
  // Among rules with one target and effect, the first match decides. Their order matters only if their terms differ.
  const groups = new Map<string, ComparedRule[]>();
  for (const each of compared) {
    const group = JSON.stringify([each.layer, each.target, each.rule.effect]);
    const members = groups.get(group);
    if (members === undefined) groups.set(group, [each]);
    else members.push(each);
  }
  const rules = [...groups].flatMap(([group, members]) => {
    const areOrdered = new Set(members.map(termsKey)).size > 1;
    return members.map((each, index) => [meaningOf(each, group, areOrdered ? index : 0), each] as const);
  });
  return { policy, rules: new Map(rules) };
}

function meaningOf(compared: ComparedRule, group: string, index: number): string {
  const { when, expires, unknown } = compared.rule;
  return JSON.stringify([group, index, when?.text, expires, unknown === 'ask', termsKey(compared)]);
}

function termsKey({ rule }: ComparedRule): string {
  return JSON.stringify([rule.approval, grantKey(rule.grant)]);
}

function grantKey({ timeoutMs, outputBytes, approvalMs }: Grant = {}): string {
  return JSON.stringify([timeoutMs, outputBytes, approvalMs]);
}

/** True if no decision gets looser without this rule. */
function canBeLost(lost: ComparedRule, after: PolicySide): boolean {
  if (lost.rule.effect === 'allow') return canAllowBeLost(lost, after);
  const others = [...after.rules.values()];
  return peersOf(lost, others).every((peer) => hasTermsOf(peer, lost)) && others.some((each) => replaces(each, lost));
}

/** While it is unknown whether an allow rule applies, the default is no looser than ask. If its condition fails, it denies. */
function canAllowBeLost({ rule, layer }: ComparedRule, { policy, rules }: PolicySide): boolean {
  if (rule.grant !== undefined) return false;
  if (rule.when === undefined) return true;
  const isAlone = ![...rules.values()].some((each) => each.rule.effect === 'allow' && each.layer !== layer);
  return policy.default !== 'allow' && isAlone && cannotFail(rule.when.text);
}

/** A condition that reads no values of the call cannot fail. */
function cannotFail(condition: string): boolean {
  return pathsReadBy(condition).length === 0;
}

/** True if the rule `each` is at least as strict as the rule `lost` about all of its calls. */
function replaces(each: ComparedRule, lost: ComparedRule): boolean {
  const [rule, old] = [each.rule, lost.rule];
  const isForbidAll = rule.effect === 'forbid' && each.entry.target.type === 'all';
  if (each.layer !== lost.layer || !(isForbidAll || each.target === lost.target)) return false;
  if (strictness[rule.effect] < strictness[old.effect]) return false;
  if (rule.expires !== undefined && rule.expires !== old.expires) return false;
  const [narrow, wide] = [old.when?.text, rule.when?.text];
  if (rule.unknown === 'ask' && wide !== undefined && old.effect !== 'ask' && old.unknown !== 'ask') return false;
  // If a condition fails, the rule denies. In a longer condition, another part may be true, and the rule asks.
  if (rule.effect === 'ask' && wide !== narrow && narrow !== undefined && !cannotFail(narrow)) return false;
  return (rule.effect !== 'ask' || hasTermsOf(each, lost)) && impliesCondition(narrow, wide);
}

/** True if no decision gets looser with this rule. */
function canBeAdded(added: ComparedRule, before: PolicySide): boolean {
  const { rule, layer, target } = added;
  if (rule.effect === 'deny' || rule.effect === 'forbid') return true;
  const others = [...before.rules.values()];
  if (!peersOf(added, others).every((peer) => hasTermsOf(added, peer))) return false;
  return others.some(
    (each) =>
      each.layer === layer &&
      each.target === target &&
      strictness[each.rule.effect] <= strictness[rule.effect] &&
      (each.rule.expires === undefined || each.rule.expires === rule.expires) &&
      hasTermsOf(added, each) &&
      impliesCondition(rule.when?.text, each.rule.when?.text),
  );
}

/** The rules with the same effect that may decide the same calls. */
function peersOf({ rule, entry, target }: ComparedRule, others: readonly ComparedRule[]): readonly ComparedRule[] {
  const isTool = entry.target.type === 'tool';
  return others.filter(
    (each) =>
      each.rule.effect === rule.effect && (!isTool || each.entry.target.type !== 'tool' || each.target === target),
  );
}

/** True if the terms of a rule are at least as strict as those of the other. */
function hasTermsOf({ rule }: ComparedRule, { rule: other }: ComparedRule): boolean {
  return (other.approval === undefined || rule.approval === other.approval) && isNarrower(rule.grant, other.grant);
}

function isNarrower(grant: Grant = {}, other: Grant = {}): boolean {
  return grantKey(narrowGrant(grant, other)) === grantKey(grant);
}

/** How the terms of a call change that both policies allow, or about which both ask. */
export function changedTerms(before: Decision, after: Decision): ChangedRule['change'] | undefined {
  const signed = [before, after].map(needsSignature) as [boolean, boolean];
  if (after.effect === 'deny') return undefined;
  const isSame = signed[0] === signed[1] && grantKey(before.grant) === grantKey(after.grant);
  if (isSame) return undefined;
  return (signed[0] && !signed[1]) || !isNarrower(after.grant, before.grant) ? 'looser' : 'stricter';
}

function needsSignature({ rule, additionalQuestions = [] }: Decision): boolean {
  return [rule, ...additionalQuestions.map((each) => each.rule)].some((each) => each?.approval === 'signed');
}
