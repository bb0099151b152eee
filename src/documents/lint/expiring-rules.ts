/** Rules whose time is over, and protections that will end. */

import { callOf } from '../call-classes.ts';
import { type BookRule, titleOf } from '../rule-book.ts';
import { findingAt, type LintFinding, witnessOf } from './finding.ts';
import type { LintSubject } from './lint-subject.ts';
import { hasExpired } from './reach.ts';

export async function expiringRules(subject: LintSubject): Promise<readonly LintFinding[]> {
  const findings: LintFinding[] = [];
  for (const entry of subject.book.entries) {
    const { expires } = entry.rule;
    if (expires === undefined) continue;
    const finding = hasExpired(expires, subject.now) ? await expired(entry, subject) : await ending(entry, subject);
    if (finding !== undefined) findings.push(finding);
  }
  return findings;
}

function dayOf(expires: number): string {
  return new Date(expires).toISOString();
}

async function expired(entry: BookRule, subject: LintSubject): Promise<LintFinding | undefined> {
  const { effect, expires = 0 } = entry.rule;
  const [each] = subject.covered(entry);
  if (each === undefined) return undefined;
  const { call, explanation } = await subject.ask(callOf(each));
  return findingAt(entry, {
    kind: 'expired',
    severity: 'warning',
    message:
      effect === 'allow'
        ? `This rule has expired (${dayOf(expires)}) and allows nothing any more.`
        : `This rule has expired (${dayOf(expires)}) and protects nothing any more.`,
    hint: 'Remove it, or give it another date.',
    witness: witnessOf(call, explanation.decision, `${titleOf(entry)} decides nothing.`),
  });
}

/** An allow that ends closes something; the others open something. */
async function ending(entry: BookRule, subject: LintSubject): Promise<LintFinding | undefined> {
  const { effect, expires = 0, shadow } = entry.rule;
  if (effect === 'allow' || shadow === true) return undefined;
  const shown = await subject.decidedBy(entry);
  if (shown === undefined) return undefined;
  return findingAt(entry, {
    kind: 'expiry-opens',
    severity: 'warning',
    message: `From ${dayOf(expires)} on this ${effect} does not hold any more, and what follows it decides.`,
    hint: 'Let allows expire, not protections; or make sure that what follows is strict enough.',
    witness: witnessOf(shown.call, shown.explanation.decision, `${titleOf(entry)} decides it until then.`),
  });
}
