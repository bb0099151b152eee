/**
 * Finds problems in a policy (D07). Every finding has a call that proves it, as decided by the policy. For rules
 * without conditions, the analysis of which rules can decide is complete; for rules with conditions, only certain
 * findings are reported.
 */

import type { LoadedPolicy } from '../loaded-policy.ts';
import { commandRules } from './checks/command-rules.ts';
import { expiringRules } from './checks/expiring-rules.ts';
import type { LintFinding } from './linted-policy/finding.ts';
import { neverTrueConditions } from './checks/never-true-conditions.ts';
import { ineffectiveRules } from './checks/ineffective-rules.ts';
import { LintedPolicy, type LintOptions } from './linted-policy/linted-policy.ts';
import { defaultDecisions } from './checks/default-decisions.ts';
import { reopenedDenies } from './checks/reopened-denies.ts';
import { unknownNames } from './checks/unknown-names.ts';
import { opaqueCommands } from './checks/opaque-commands.ts';
import { untestedAllows } from './checks/untested-allows.ts';

const checks = [
  unknownNames,
  ineffectiveRules,
  neverTrueConditions,
  reopenedDenies,
  commandRules,
  opaqueCommands,
  defaultDecisions,
  expiringRules,
  untestedAllows,
] as const;

const order: readonly LintFinding['severity'][] = ['error', 'warning', 'note'];

/** All findings, the most severe first. */
export async function lintPolicy(policy: LoadedPolicy, options: LintOptions = {}): Promise<readonly LintFinding[]> {
  const linted = new LintedPolicy(policy, options);
  const findings: LintFinding[] = [];
  for (const check of checks) findings.push(...(await check(linted)));
  return findings.toSorted((a, b) => order.indexOf(a.severity) - order.indexOf(b.severity));
}
