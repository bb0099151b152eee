/**
 * Finds problems in a policy (D07). Every finding has a call that proves it, as decided by the policy. For rules
 * without conditions, the analysis of which rules can decide is complete; for rules with conditions, only certain
 * findings are reported.
 */

import type { LoadedPolicy } from '../loaded-policy.ts';
import { commandRules } from './checks/command-rules.ts';
import { expiringRules } from './checks/expiring-rules.ts';
import { type LintFinding, findingAt, findingIn } from './linted-policy/finding.ts';
import { ineffectiveRules, neverTrueConditions } from './checks/ineffective-rules.ts';
import { LintedPolicy, type LintOptions } from './linted-policy/linted-policy.ts';
import { defaultDecisions } from './checks/default-decisions.ts';
import { reopenedDenies } from './checks/reopened-denies.ts';
import { unknownNames } from './checks/unknown-names.ts';
import { writingEntries } from './checks/writing-entries.ts';
import { opaqueCommands } from './checks/opaque-commands.ts';
import { testPolicy } from '../test/test-policy.ts';
import { ruleTitle } from '../policy-rules.ts';

const checks = [
  unknownNames,
  ineffectiveRules,
  neverTrueConditions,
  reopenedDenies,
  commandRules,
  opaqueCommands,
  writingEntries,
  defaultDecisions,
  expiringRules,
  untestedAllows,
  oldVersions,
] as const;

const order: readonly LintFinding['severity'][] = ['error', 'warning', 'note'];

/** Files that were migrated when they were read. They decide as before, so any call proves it. */
async function oldVersions(linted: LintedPolicy): Promise<readonly LintFinding[]> {
  const findings: LintFinding[] = [];
  for (const { file, migratedFrom } of linted.policy.layers.map(({ policyFile }) => policyFile)) {
    const [first] = linted.classes;
    if (migratedFrom === undefined || first === undefined) continue;
    const finding = findingIn({ file, at: migratedFrom.at }, await linted.trySampleCall(first), {
      kind: 'old-version',
      severity: 'warning',
      message: `This file has version ${migratedFrom.version} of the format, which is not the current one.`,
      hint: 'Bridle still reads it. Write it in the current version: see the reference of the policy file.',
      shows: 'The migrated file decides it.',
    });
    findings.push(finding);
  }
  return findings;
}

/** All findings, the most severe first. */
export async function lintPolicy(policy: LoadedPolicy, options: LintOptions = {}): Promise<readonly LintFinding[]> {
  const linted = new LintedPolicy(policy, options);
  const findings: LintFinding[] = [];
  for (const check of checks) findings.push(...(await check(linted)));
  return findings.toSorted((a, b) => order.indexOf(a.severity) - order.indexOf(b.severity));
}

async function untestedAllows(linted: LintedPolicy): Promise<readonly LintFinding[]> {
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
    const finding = findingAt(entry, tried, {
      kind: 'untested-allow',
      severity: 'note',
      message: 'No test covers what this rule allows.',
      hint: 'Add a test, for example with this call.',
      shows: `${ruleTitle(entry)} allows it, and no test covers that.`,
    });
    findings.push(finding);
  }
  return findings;
}
