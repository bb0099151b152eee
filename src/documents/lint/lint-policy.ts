/**
 * Looking a policy over (D07). Nothing is reported that asking the policy does not show: each finding carries a call.
 * Which rules can decide is told completely where rules have no conditions; where they have some, only what is certain.
 */

import type { LoadedPolicy } from '../loaded-policy.ts';
import { commandRules } from './command-rules.ts';
import { expiringRules } from './expiring-rules.ts';
import type { LintFinding } from './finding.ts';
import { idleConditions } from './idle-conditions.ts';
import { idleRules } from './idle-rules.ts';
import { LintSubject, type LintOptions } from './lint-subject.ts';
import { openings } from './openings.ts';
import { reopenedDenies } from './reopened-denies.ts';
import { unknownNames } from './unknown-names.ts';
import { unseenCommands } from './unseen-commands.ts';
import { untestedAllows } from './untested-allows.ts';

const checks = [
  unknownNames,
  idleRules,
  idleConditions,
  reopenedDenies,
  commandRules,
  unseenCommands,
  openings,
  expiringRules,
  untestedAllows,
] as const;

const order: readonly LintFinding['severity'][] = ['error', 'warning', 'note'];

/** Everything odd about a policy, the worst first. */
export async function lintPolicy(policy: LoadedPolicy, options: LintOptions = {}): Promise<readonly LintFinding[]> {
  const subject = new LintSubject(policy, options);
  const findings: LintFinding[] = [];
  for (const check of checks) findings.push(...(await check(subject)));
  return findings.toSorted((a, b) => order.indexOf(a.severity) - order.indexOf(b.severity));
}
