/** Finds tools that only the default covers, an open default, and asks without an approver. */

import { type CallClass, callClassName } from '../../sample-calls/call-classes.ts';
import type { FilePosition } from '../../policy-file.ts';
import { targetCovers, ruleTitle } from '../../policy-rules.ts';
import { findingAt, type LintFinding, witnessOf } from '../linted-policy/finding.ts';
import type { LintedPolicy, TriedCall } from '../linted-policy/linted-policy.ts';

const start: FilePosition = { line: 1, column: 1 };

export async function defaultDecisions(subject: LintedPolicy): Promise<readonly LintFinding[]> {
  return [
    ...(await uncoveredTools(subject)),
    ...(await openDefault(subject)),
    ...(subject.options.answerable === false ? await unansweredAsks(subject) : []),
  ];
}

async function uncoveredTools(subject: LintedPolicy): Promise<readonly LintFinding[]> {
  const findings: LintFinding[] = [];
  for (const each of subject.classes) {
    if (each.declared === undefined || isCovered(each, subject)) continue;
    const shown = await subject.trySampleCall(each);
    const { decision } = shown.explanation;
    if (decision.problem !== undefined || decision.rule !== undefined) continue;
    const isOpen = decision.effect === 'allow' && each.declared.tier !== 'observe';
    const isStated = subject.policy.layers.some(({ policyFile }) => policyFile.default !== undefined);
    findings.push({
      ...ownFile(subject),
      kind: 'uncovered-tool',
      severity: isOpen || !isStated ? 'warning' : 'note',
      message: `No rule covers ${callClassName(each)}, so the default decides: ${decision.effect}.`,
      hint: isStated ? 'Write a rule for it.' : 'Write a rule for it, or set the default.',
      witness: witnessOf(shown.call, decision, 'No rule decides it.'),
    });
  }
  return findings;
}

function isCovered({ server, tool }: CallClass, { activeRules }: LintedPolicy): boolean {
  return activeRules.some(({ target }) => targetCovers(target, server, tool));
}

/** The policy's own file, which is the lowest layer. */
function ownFile({ policy }: LintedPolicy): Pick<LintFinding, 'file' | 'at'> {
  return { file: policy.layers.at(-1)?.policyFile.file ?? '', at: start };
}

async function openDefault(subject: LintedPolicy): Promise<readonly LintFinding[]> {
  if (subject.policy.default !== 'allow') return [];
  const stated = subject.policy.layers.find(({ policyFile }) => policyFile.default !== undefined);
  const shown = await firstCallWhere(subject, ({ effect, rule }) => effect === 'allow' && rule === undefined);
  if (shown === undefined) return [];
  return [
    {
      ...ownFile(subject),
      ...(stated === undefined ? {} : { file: stated.policyFile.file }),
      kind: 'default-allow',
      severity: 'warning',
      message: 'The default is allow: calls that no rule covers may run.',
      hint: 'Set "default: ask" or "default: deny", and allow what you need.',
      witness: witnessOf(shown.call, shown.explanation.decision, 'The default allows it, not a rule.'),
    },
  ];
}

async function firstCallWhere(
  subject: LintedPolicy,
  isWanted: (decision: TriedCall['explanation']['decision']) => boolean,
): Promise<TriedCall | undefined> {
  // Unnamed tools come last and show best what a default allows.
  for (const each of subject.classes.toReversed()) {
    const shown = await subject.trySampleCall(each);
    const { decision } = shown.explanation;
    if (decision.problem === undefined && isWanted(decision)) return shown;
  }
  return undefined;
}

async function unansweredAsks(subject: LintedPolicy): Promise<readonly LintFinding[]> {
  const findings: LintFinding[] = [];
  const shared = {
    kind: 'unanswerable-ask',
    severity: 'error',
    hint: 'Run it with an approver, or make it an allow or a deny.',
  } as const;
  for (const entry of subject.activeRules.filter(({ rule }) => rule.effect === 'ask')) {
    const shown = await subject.findCallDecidedBy(entry);
    if (shown === undefined) continue;
    const message = 'This rule asks, but there is no approver to answer.';
    const witness = witnessOf(shown.call, shown.explanation.decision, `${ruleTitle(entry)} asks.`);
    findings.push(findingAt(entry, { ...shared, message, witness }));
  }
  const shown = await firstCallWhere(subject, ({ effect, rule }) => effect === 'ask' && rule === undefined);
  if (shown === undefined) return findings;
  const witness = witnessOf(shown.call, shown.explanation.decision, 'The default asks.');
  return [
    ...findings,
    { ...ownFile(subject), ...shared, message: 'The default asks, but there is no approver to answer.', witness },
  ];
}
