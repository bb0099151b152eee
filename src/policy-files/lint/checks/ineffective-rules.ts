/**
 * Finds rules that have no effect: unreachable, duplicate, under a layer that is always at least as strict, or with a
 * condition that is never true.
 */

import { callClassName } from '../../sample-calls/call-classes.ts';
import { normalizedCondition, conditionParts } from '../../cel/syntax/condition-parts.ts';
import { type RuleEntry, ruleLocation, ruleTitle } from '../../policy-rules.ts';
import { findingAt, type LintFinding } from '../linted-policy/finding.ts';
import type { LintedPolicy } from '../linted-policy/linted-policy.ts';
import type { ToolDeclaration } from '../../../kernel/tool.ts';

export async function ineffectiveRules(linted: LintedPolicy): Promise<readonly LintFinding[]> {
  const findings: LintFinding[] = [];
  const firstByMeaning = new Map<string, RuleEntry>();
  for (const entry of linted.activeRules) {
    const key = meaningOf(entry);
    const twin = firstByMeaning.get(key);
    // Of two rules that differ only in `unknown`, the one that denies includes the other.
    if (twin === undefined || isLooser(twin, entry)) firstByMeaning.set(key, entry);
    const finding =
      twin !== undefined && outlasts(twin, entry) && !isLooser(twin, entry)
        ? await duplicateFinding(entry, twin, linted)
        : linted.reach.classesOf(entry).length === 0
          ? await unreachableFinding(entry, linted)
          : linted.reach.isShadowedByLayer(entry) && !narrowsGrant(entry)
            ? await shadowedFinding(entry, linted)
            : undefined;
    if (finding !== undefined) findings.push(finding);
  }
  return findings;
}

/** The parts of a rule that affect decisions. */
function meaningOf({ layer, rule, target }: RuleEntry): string {
  const condition = rule.when === undefined ? null : normalizedCondition(rule.when.text);
  return JSON.stringify([layer.policyFile.file, rule.effect, target, condition]);
}

function isLooser(one: RuleEntry, other: RuleEntry): boolean {
  return one.rule.unknown === 'ask' && other.rule.unknown !== 'ask';
}

function outlasts(twin: RuleEntry, entry: RuleEntry): boolean {
  const forever = Number.POSITIVE_INFINITY;
  return (twin.rule.expires ?? forever) >= (entry.rule.expires ?? forever);
}

/** A grant in a lower layer counts even if a higher layer decides. */
function narrowsGrant({ rule }: RuleEntry): boolean {
  return rule.grant !== undefined && (rule.effect === 'allow' || rule.effect === 'ask');
}

async function duplicateFinding(
  entry: RuleEntry,
  twin: RuleEntry,
  linted: LintedPolicy,
): Promise<LintFinding | undefined> {
  const tried = (await linted.findCallDecidedBy(twin)) ?? (await plainCallFor(entry, linted));
  if (tried === undefined) return undefined;
  return findingAt(entry, tried, {
    kind: 'duplicate',
    severity: 'warning',
    message: `This rule repeats ${ruleTitle(twin)} (${ruleLocation(twin)}).`,
    hint: 'Remove one of the two.',
    shows: `${ruleTitle(twin)} decides first.`,
  });
}

async function unreachableFinding(entry: RuleEntry, linted: LintedPolicy): Promise<LintFinding | undefined> {
  const blockers = linted.reach.blockersOf(entry);
  const tried = await plainCallFor(entry, linted);
  if (tried === undefined) return undefined;
  const names = [...new Set(Array.from(blockers.values(), (each) => `${ruleTitle(each)} (${ruleLocation(each)})`))];
  const first = names.slice(0, 3).join(', ');
  const more = names.length > 3 ? ` and ${names.length - 3} more` : '';
  const isHidden = names.length === 0;
  return findingAt(entry, tried, {
    kind: 'unreachable',
    severity: 'warning',
    message: isHidden
      ? `No call reaches this rule: the tool list of its server hides the tool.`
      : `No call reaches this rule: ${first}${more} decide${names.length === 1 ? 's' : ''} every call it covers.`,
    hint: isHidden
      ? 'Remove the rule, or enable the tool.'
      : 'Remove it, or narrow the other rule, for example with a condition.',
    shows: `${ruleTitle(entry)} is not reached.`,
  });
}

/** A sample call that the rule covers but that does not reach it. */
async function plainCallFor(entry: RuleEntry, linted: LintedPolicy): ReturnType<LintedPolicy['findCallDecidedBy']> {
  for (const each of linted.classesCoveredBy(entry)) {
    const tried = await linted.trySampleCall(each);
    const outcome = linted.outcomeOf(entry, tried);
    if (outcome === 'not reached' || outcome === undefined) return tried;
  }
  const { target } = entry;
  if (target.type !== 'tool') return undefined;
  const { server, tool } = target;
  return linted.tryCall(server === undefined ? { tool, args: {} } : { tool, server, args: {} });
}

async function shadowedFinding(entry: RuleEntry, linted: LintedPolicy): Promise<LintFinding | undefined> {
  for (const each of linted.reach.classesOf(entry)) {
    const tried = await linted.trySampleCall(each);
    const decider = linted.policyRules.entryOf(tried.explanation.decision.rule);
    if (decider === undefined || decider.layer === entry.layer || linted.decider(entry, tried) !== entry) continue;
    return findingAt(entry, tried, {
      kind: 'shadowed-by-layer',
      severity: 'warning',
      message: `This rule has no effect: ${decider.layer.policyFile.file} is always at least as strict about ${callClassName(each)}.`,
      hint: 'Remove it, unless the other file may become less strict.',
      shows: `${ruleTitle(decider)} (${ruleLocation(decider)}) decides, with or without it.`,
    });
  }
  return undefined;
}

const commandFacts: ReadonlySet<string> = new Set(['runs', 'runsOnly', 'runsListed', 'opaque']);

/** Finds conditions on commands for a tool that runs no commands: they are never true. */
export async function neverTrueConditions(linted: LintedPolicy): Promise<readonly LintFinding[]> {
  const findings: LintFinding[] = [];
  for (const entry of linted.activeRules) {
    const fact = soleCommandFact(entry);
    const [each] = linted.classesCoveredBy(entry);
    if (fact === undefined || entry.target.type !== 'tool' || each?.declared === undefined) continue;
    if (mayRunCommands(each.declared)) continue;
    const finding = findingAt(entry, await linted.trySampleCall(each), {
      kind: 'unreachable',
      severity: entry.rule.effect === 'allow' ? 'warning' : 'error',
      message: `The condition is never true: ${entry.writtenTarget.text} runs no commands, and ${fact} checks commands.`,
      hint: 'Name a tool that runs commands, or check what this tool reads or writes.',
      shows: `${ruleTitle(entry)} never applies, to this call or any other.`,
    });
    findings.push(finding);
  }
  return findings;
}

/** The fact, if it is the whole condition. */
function soleCommandFact({ rule }: RuleEntry): string | undefined {
  const [part, ...others] = rule.when === undefined ? [] : conditionParts(rule.when.text);
  if (part?.type !== 'fact' || others.length > 0 || part.negated || !commandFacts.has(part.name)) return undefined;
  const isAll = new RegExp(`^${part.name}\\([^()]*\\)$`).test(normalizedCondition(rule.when?.text ?? ''));
  return isAll ? part.name : undefined;
}

/** If a tool does not declare what it touches, facts are unknown, which is not the same as never true. */
function mayRunCommands({ tier, touches, commands = [] }: ToolDeclaration): boolean {
  const isUndeclared = touches === undefined && tier !== 'observe';
  return isUndeclared || (touches?.bash ?? []).length > 0 || commands.length > 0;
}
