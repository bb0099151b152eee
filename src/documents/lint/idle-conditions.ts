/** Conditions on the commands of a tool that runs none: they never hold. */

import type { ToolDeclaration } from '../../tool.ts';
import { conditionParts, plainCondition } from '../condition-parts.ts';
import { type BookRule, titleOf } from '../rule-book.ts';
import { findingAt, type LintFinding, witnessOf } from './finding.ts';
import type { LintSubject } from './lint-subject.ts';

const commandFacts: ReadonlySet<string> = new Set(['runs', 'runsOnly', 'opaque']);

export async function idleConditions(subject: LintSubject): Promise<readonly LintFinding[]> {
  const findings: LintFinding[] = [];
  for (const entry of subject.enforced) {
    const fact = soleCommandFact(entry);
    const [each] = subject.covered(entry);
    if (fact === undefined || entry.target.type !== 'tool' || each?.declared === undefined) continue;
    if (mayRunCommands(each.declared)) continue;
    const { call, explanation } = await subject.show(each);
    const finding = {
      kind: 'unreachable',
      severity: entry.rule.effect === 'allow' ? 'warning' : 'error',
      message: `The condition never holds: ${entry.written.text} declares no command, and ${fact} is about commands.`,
      hint: 'Name the tool that runs them, or ask about what this one touches.',
      witness: witnessOf(call, explanation.decision, `${titleOf(entry)} does not apply to it, nor to any other call.`),
    } as const;
    findings.push(findingAt(entry, finding));
  }
  return findings;
}

/** The fact that is all a condition asks. */
function soleCommandFact({ rule }: BookRule): string | undefined {
  const [part, ...others] = rule.when === undefined ? [] : conditionParts(rule.when.text);
  if (part?.type !== 'fact' || others.length > 0 || part.negated || !commandFacts.has(part.name)) return undefined;
  const isAll = new RegExp(`^${part.name}\\([^()]*\\)$`).test(plainCondition(rule.when?.text ?? ''));
  return isAll ? part.name : undefined;
}

/** Of a tool that does not say what it touches, facts are unknown, and unknown is not never. */
function mayRunCommands({ tier, touches, commands = [] }: ToolDeclaration): boolean {
  const isUntold = touches === undefined && tier !== 'observe';
  return isUntold || (touches?.bash ?? []).length > 0 || commands.length > 0;
}
