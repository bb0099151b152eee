/** Finds rules that have expired, and protections that will expire. */

import { sampleCallOf } from '../../sample-calls/call-classes.ts';
import { type RuleEntry, ruleTitle } from '../../policy-rules.ts';
import { findingAt, type LintFinding } from '../linted-policy/finding.ts';
import type { LintedPolicy } from '../linted-policy/linted-policy.ts';
import { hasExpired } from '../linted-policy/rule-reach.ts';

export async function expiringRules(linted: LintedPolicy): Promise<readonly LintFinding[]> {
  const findings: LintFinding[] = [];
  for (const entry of linted.policyRules.entries) {
    const { expires } = entry.rule;
    if (expires === undefined) continue;
    const finding = hasExpired(expires, linted.now)
      ? await expiredFinding(entry, linted)
      : await endingFinding(entry, linted);
    if (finding !== undefined) findings.push(finding);
  }
  return findings;
}

function dateText(expires: number): string {
  return new Date(expires).toISOString();
}

async function expiredFinding(entry: RuleEntry, linted: LintedPolicy): Promise<LintFinding | undefined> {
  const { effect, expires = 0 } = entry.rule;
  const [each] = linted.classesCoveredBy(entry);
  if (each === undefined) return undefined;
  return findingAt(entry, await linted.tryCall(sampleCallOf(each)), {
    kind: 'expired',
    severity: 'warning',
    message:
      effect === 'allow'
        ? `This rule expired at ${dateText(expires)} and no longer allows anything.`
        : `This rule expired at ${dateText(expires)} and no longer protects anything.`,
    hint: 'Remove it, or give it another date.',
    shows: `${ruleTitle(entry)} decides nothing.`,
  });
}

/** When an allow expires, the policy gets stricter; when another rule expires, it gets looser. */
async function endingFinding(entry: RuleEntry, linted: LintedPolicy): Promise<LintFinding | undefined> {
  const { effect, expires = 0, shadow } = entry.rule;
  if (effect === 'allow' || shadow === true) return undefined;
  const tried = await linted.findCallDecidedBy(entry);
  if (tried === undefined) return undefined;
  return findingAt(entry, tried, {
    kind: 'expiry-opens',
    severity: 'warning',
    message: `This ${effect} expires at ${dateText(expires)}; after that, later rules or the default decide.`,
    hint: 'Let allow rules expire, not protections. Or check that the remaining rules are strict enough.',
    shows: `${ruleTitle(entry)} decides it until then.`,
  });
}
