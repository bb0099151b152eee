/** Finds allow rules that no test covers. */

import { testPolicy } from '../../test/test-policy.ts';
import { ruleTitle } from '../../policy-rules.ts';
import { findingAt, type LintFinding, exampleCallOf } from '../linted-policy/finding.ts';
import type { LintedPolicy } from '../linted-policy/linted-policy.ts';

export async function untestedAllows(linted: LintedPolicy): Promise<readonly LintFinding[]> {
  const { coverage } = await testPolicy(linted.policy);
  const findings: LintFinding[] = [];
  for (const entry of linted.activeRules) {
    if (entry.rule.effect !== 'allow') continue;
    const { layer, rule, writtenTarget } = entry;
    const tested = coverage.some(
      (each) =>
        each.file === layer.policyFile.file &&
        each.at === rule.at &&
        (each.target === writtenTarget.text || rule.targets.length === 1) &&
        each.status === 'decided',
    );
    const tried = tested ? undefined : await linted.findCallDecidedBy(entry);
    if (tried === undefined) continue;
    const finding = {
      kind: 'untested-allow',
      severity: 'note',
      message: 'No test covers what this rule allows.',
      hint: 'Add a test, for example with this call.',
      witness: exampleCallOf(
        tried.call,
        tried.explanation.decision,
        `${ruleTitle(entry)} allows it, and no test covers that.`,
      ),
    } as const;
    findings.push(findingAt(entry, finding));
  }
  return findings;
}
