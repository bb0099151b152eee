/** Allows that no test of the files comes to. */

import { testPolicy } from '../test-policy.ts';
import { titleOf } from '../rule-book.ts';
import { findingAt, type LintFinding, witnessOf } from './finding.ts';
import type { LintSubject } from './lint-subject.ts';

export async function untestedAllows(subject: LintSubject): Promise<readonly LintFinding[]> {
  const { coverage } = await testPolicy(subject.policy);
  const findings: LintFinding[] = [];
  for (const entry of subject.enforced) {
    if (entry.rule.effect !== 'allow') continue;
    const { layer, rule, written } = entry;
    const tested = coverage.some(
      (each) =>
        each.file === layer.document.file &&
        each.at === rule.at &&
        (each.target === written.text || rule.targets.length === 1) &&
        each.status === 'decided',
    );
    const shown = tested ? undefined : await subject.decidedBy(entry);
    if (shown === undefined) continue;
    const finding = {
      kind: 'untested-allow',
      severity: 'note',
      message: 'No test shows what this rule allows.',
      hint: 'Add a case to tests: the witness is one.',
      witness: witnessOf(shown.call, shown.explanation.decision, `${titleOf(entry)} allows it, and no test says so.`),
    } as const;
    findings.push(findingAt(entry, finding));
  }
  return findings;
}
