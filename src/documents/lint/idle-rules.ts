/** Rules that never decide anything: behind others, said twice, or under a layer that is always as strict. */

import { className } from '../call-classes.ts';
import { plainCondition } from '../condition-parts.ts';
import { type BookRule, placeOf, titleOf } from '../rule-book.ts';
import { findingAt, type LintFinding, witnessOf } from './finding.ts';
import type { LintSubject } from './lint-subject.ts';

export async function idleRules(subject: LintSubject): Promise<readonly LintFinding[]> {
  const findings: LintFinding[] = [];
  const said = new Map<string, BookRule>();
  for (const entry of subject.enforced) {
    const key = statementOf(entry);
    const twin = said.get(key);
    // Of two that differ only in what unknown does, the one that denies says all that the other one says.
    if (twin === undefined || isLooser(twin, entry)) said.set(key, entry);
    const finding =
      twin !== undefined && outlasts(twin, entry) && !isLooser(twin, entry)
        ? await duplicate(entry, twin, subject)
        : subject.reach.classesOf(entry).length === 0
          ? await unreachable(entry, subject)
          : subject.reach.isShadowedByLayer(entry) && !narrowsGrant(entry)
            ? await shadowed(entry, subject)
            : undefined;
    if (finding !== undefined) findings.push(finding);
  }
  return findings;
}

/** What a rule says, without its words for people. */
function statementOf({ layer, rule, target }: BookRule): string {
  const condition = rule.when === undefined ? null : plainCondition(rule.when.text);
  return JSON.stringify([layer.document.file, rule.effect, target, condition]);
}

function isLooser(one: BookRule, other: BookRule): boolean {
  return one.rule.unknown === 'ask' && other.rule.unknown !== 'ask';
}

function outlasts(twin: BookRule, entry: BookRule): boolean {
  const forever = Number.POSITIVE_INFINITY;
  return (twin.rule.expires ?? forever) >= (entry.rule.expires ?? forever);
}

/** A grant of a lower layer counts also where a higher one allows. */
function narrowsGrant({ rule }: BookRule): boolean {
  return rule.grant !== undefined && (rule.effect === 'allow' || rule.effect === 'ask');
}

async function duplicate(entry: BookRule, twin: BookRule, subject: LintSubject): Promise<LintFinding | undefined> {
  const shown = (await subject.decidedBy(twin)) ?? (await plainShown(entry, subject));
  if (shown === undefined) return undefined;
  return findingAt(entry, {
    kind: 'duplicate',
    severity: 'warning',
    message: `This rule says what ${titleOf(twin)} (${placeOf(twin)}) says already.`,
    hint: 'Remove one of the two.',
    witness: witnessOf(shown.call, shown.explanation.decision, `${titleOf(twin)} answers first.`),
  });
}

async function unreachable(entry: BookRule, subject: LintSubject): Promise<LintFinding | undefined> {
  const blockers = subject.reach.blockersOf(entry);
  const shown = await plainShown(entry, subject);
  if (shown === undefined) return undefined;
  const names = [...new Set(Array.from(blockers.values(), (each) => `${titleOf(each)} (${placeOf(each)})`))];
  const first = names.slice(0, 3).join(', ');
  const more = names.length > 3 ? ` and ${names.length - 3} more` : '';
  const isHidden = names.length === 0;
  return findingAt(entry, {
    kind: 'unreachable',
    severity: 'warning',
    message: isHidden
      ? `No call gets to this rule: the list of its server hides the tool.`
      : `No call gets to this rule: ${first}${more} decide${names.length === 1 ? 's' : ''} every call it is about.`,
    hint: isHidden
      ? 'Remove the rule, or show the tool.'
      : 'Remove it, narrow the other rule, or give the other one a condition.',
    witness: witnessOf(shown.call, shown.explanation.decision, `${titleOf(entry)} is not asked.`),
  });
}

/** A plain call that a rule is about, which does not get to it. */
async function plainShown(entry: BookRule, subject: LintSubject): ReturnType<LintSubject['decidedBy']> {
  for (const each of subject.covered(entry)) {
    const shown = await subject.show(each);
    const outcome = subject.outcomeOf(entry, shown);
    if (outcome === 'not reached' || outcome === undefined) return shown;
  }
  const { target } = entry;
  if (target.type !== 'tool') return undefined;
  const { server, tool } = target;
  return subject.ask(server === undefined ? { tool, args: {} } : { tool, server, args: {} });
}

async function shadowed(entry: BookRule, subject: LintSubject): Promise<LintFinding | undefined> {
  for (const each of subject.reach.classesOf(entry)) {
    const shown = await subject.show(each);
    const { decision } = shown.explanation;
    const decider = subject.book.of(decision.rule);
    if (decider === undefined || decider.layer === entry.layer || subject.decider(entry, shown) !== entry) continue;
    return findingAt(entry, {
      kind: 'shadowed-by-layer',
      severity: 'warning',
      message: `This rule changes nothing: ${decider.layer.document.file} is always as strict about ${className(each)}.`,
      hint: 'Remove it, unless the other file may become more open one day.',
      witness: witnessOf(
        shown.call,
        decision,
        `${titleOf(decider)} (${placeOf(decider)}) decides, with or without it.`,
      ),
    });
  }
  return undefined;
}
