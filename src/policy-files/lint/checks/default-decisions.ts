/** Finds tools that only the default covers, an open default, and asks without an approver. */

import { type CallClass, callClassName } from '../../sample-calls/call-classes.ts';
import type { FilePosition } from '../../policy-file.ts';
import { targetCovers, ruleTitle } from '../../policy-rules.ts';
import { findingAt, findingIn, type LintFinding, type TriedCall } from '../linted-policy/finding.ts';
import type { LintedPolicy } from '../linted-policy/linted-policy.ts';

const start: FilePosition = { line: 1, column: 1 };

export async function defaultDecisions(linted: LintedPolicy): Promise<readonly LintFinding[]> {
  return [
    ...(await uncoveredTools(linted)),
    ...(await openDefault(linted)),
    ...(linted.options.answerable === false ? await unansweredAsks(linted) : []),
  ];
}

async function uncoveredTools(linted: LintedPolicy): Promise<readonly LintFinding[]> {
  const findings: LintFinding[] = [];
  for (const each of linted.classes) {
    if (each.declared === undefined || isCovered(each, linted)) continue;
    const tried = await linted.trySampleCall(each);
    const { decision } = tried.explanation;
    if (decision.problem !== undefined || decision.rule !== undefined) continue;
    const isOpen = decision.effect === 'allow' && each.declared.tier !== 'observe';
    const isStated = linted.policy.layers.some(({ policyFile }) => policyFile.default !== undefined);
    const finding = findingIn(ownFile(linted), tried, {
      kind: 'uncovered-tool',
      severity: isOpen || !isStated ? 'warning' : 'note',
      message: `No rule covers ${callClassName(each)}, so the default decides: ${decision.effect}.`,
      hint: isStated ? 'Write a rule for it.' : 'Write a rule for it, or set the default.',
      shows: 'No rule decides it.',
    });
    findings.push(finding);
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

async function openDefault(linted: LintedPolicy): Promise<readonly LintFinding[]> {
  if (linted.policy.default !== 'allow') return [];
  const stated = linted.policy.layers.find(({ policyFile }) => policyFile.default !== undefined);
  const tried = await firstCallWhere(linted, ({ effect, rule }) => effect === 'allow' && rule === undefined);
  if (tried === undefined) return [];
  return [
    findingIn({ ...ownFile(linted), ...(stated !== undefined && { file: stated.policyFile.file }) }, tried, {
      kind: 'default-allow',
      severity: 'warning',
      message: 'The default is allow: calls that no rule covers may run.',
      hint: 'Set "default: ask" or "default: deny", and allow what you need.',
      shows: 'The default allows it, not a rule.',
    }),
  ];
}

async function firstCallWhere(
  linted: LintedPolicy,
  isWanted: (decision: TriedCall['explanation']['decision']) => boolean,
): Promise<TriedCall | undefined> {
  // Unnamed tools come last and show best what a default allows.
  for (const each of linted.classes.toReversed()) {
    const tried = await linted.trySampleCall(each);
    const { decision } = tried.explanation;
    if (decision.problem === undefined && isWanted(decision)) return tried;
  }
  return undefined;
}

async function unansweredAsks(linted: LintedPolicy): Promise<readonly LintFinding[]> {
  const findings: LintFinding[] = [];
  const shared = {
    kind: 'unanswerable-ask',
    severity: 'error',
    hint: 'Run it with an approver, or make it an allow or a deny.',
  } as const;
  for (const entry of linted.activeRules.filter(({ rule }) => rule.effect === 'ask')) {
    const tried = await linted.findCallDecidedBy(entry);
    if (tried === undefined) continue;
    const message = 'This rule asks, but there is no approver to answer.';
    findings.push(findingAt(entry, tried, { ...shared, message, shows: `${ruleTitle(entry)} asks.` }));
  }
  const tried = await firstCallWhere(linted, ({ effect, rule }) => effect === 'ask' && rule === undefined);
  if (tried === undefined) return findings;
  const message = 'The default asks, but there is no approver to answer.';
  return [...findings, findingIn(ownFile(linted), tried, { ...shared, message, shows: 'The default asks.' })];
}
