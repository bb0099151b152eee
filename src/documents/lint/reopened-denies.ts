/** Specific allows that decide before a wider deny is asked. */

import type { Target } from '../../policy/rule.ts';
import { candidateCalls } from '../candidate-calls.ts';
import type { CheckRequest } from '../loaded-policy.ts';
import { type BookRule, placeOf, titleOf } from '../rule-book.ts';
import { findingAt, type LintFinding, witnessOf } from './finding.ts';
import { type LintSubject, mostTries, type Shown } from './lint-subject.ts';
import { wouldDeny } from './would-deny.ts';

export async function reopenedDenies(subject: LintSubject): Promise<readonly LintFinding[]> {
  const findings: LintFinding[] = [];
  const denies = subject.enforced.filter(({ rule }) => rule.effect === 'deny');
  for (const allow of subject.enforced.filter(({ rule }) => rule.effect === 'allow')) {
    for (const deny of denies) {
      if (deny.layer !== allow.layer || !isWider(deny.target, allow.target)) continue;
      const finding = await reopened(allow, deny, subject);
      if (finding !== undefined) findings.push(finding);
    }
  }
  return findings;
}

function isWider(wide: Target, narrow: Target): boolean {
  if (wide.type === 'all') return narrow.type !== 'all';
  return wide.type === 'server' && narrow.type === 'tool' && narrow.server === wide.server;
}

async function reopened(allow: BookRule, deny: BookRule, subject: LintSubject): Promise<LintFinding | undefined> {
  const shown = await deniedOtherwise(allow, deny, subject);
  if (shown === undefined) return undefined;
  const isMeant = deny.target.type === 'all' && deny.rule.when === undefined;
  const condition = deny.rule.when === undefined ? '' : ` when ${deny.rule.when.text.trim()}`;
  return findingAt(allow, {
    kind: 'reopens',
    severity: isMeant ? 'note' : 'warning',
    message: `This allow decides before ${titleOf(deny)} (${placeOf(deny)}) is asked, which denies ${deny.written.text}${condition}.`,
    hint: isMeant
      ? 'If it is meant as an exception, "default: deny" says the same as the wide rule.'
      : 'If the deny is meant to hold here too, make it a forbid.',
    witness: witnessOf(
      shown.call,
      shown.explanation.decision,
      `${titleOf(allow)} allows it; ${titleOf(deny)}, which would deny it, is not asked.`,
    ),
  });
}

/** A call that the allow decides and the deny would have denied. */
async function deniedOtherwise(allow: BookRule, deny: BookRule, subject: LintSubject): Promise<Shown | undefined> {
  let tries = 0;
  for (const call of callsForBoth(allow, deny, subject)) {
    if (++tries > mostTries) return undefined;
    if (!(await wouldDeny(deny, call, subject.policy))) continue;
    const shown = await subject.decidedBy(allow, [call]);
    if (shown !== undefined && subject.outcomeOf(deny, shown) === 'not reached') return shown;
  }
  return undefined;
}

/** What the deny is about comes first: a call it would deny shows the most. */
function* callsForBoth(allow: BookRule, deny: BookRule, subject: LintSubject): Iterable<CheckRequest> {
  const { when } = deny.rule;
  if (when !== undefined) for (const each of subject.reach.classesOf(allow)) yield* candidateCalls(when.text, each);
  yield* subject.callsFor(allow);
}
