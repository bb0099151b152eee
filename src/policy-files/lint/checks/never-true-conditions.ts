/** Finds conditions on commands for a tool that runs no commands: they are never true. */

import type { ToolDeclaration } from '../../../kernel/tool.ts';
import { conditionParts, normalizedCondition } from '../../cel/syntax/condition-parts.ts';
import { type RuleEntry, ruleTitle } from '../../policy-rules.ts';
import { findingAt, type LintFinding } from '../linted-policy/finding.ts';
import type { LintedPolicy } from '../linted-policy/linted-policy.ts';

const commandFacts: ReadonlySet<string> = new Set(['runs', 'runsOnly', 'opaque']);

export async function neverTrueConditions(linted: LintedPolicy): Promise<readonly LintFinding[]> {
  const findings: LintFinding[] = [];
  for (const entry of linted.activeRules) {
    const fact = soleCommandFact(entry);
    const [each] = linted.classesCoveredBy(entry);
    if (fact === undefined || entry.target.type !== 'tool' || each?.declared === undefined) continue;
    if (mayRunCommands(each.declared)) continue;
    const finding = findingAt(entry, await linted.trySampleCall(each), {
      kind: 'unreachable',
      severity: entry.rule.effect === 'allow' ? 'warning' : 'error',
      message: `The condition is never true: ${entry.writtenTarget.text} runs no commands, and ${fact} checks commands.`,
      hint: 'Name a tool that runs commands, or check what this tool reads or writes.',
      shows: `${ruleTitle(entry)} never applies, to this call or any other.`,
    });
    findings.push(finding);
  }
  return findings;
}

/** The fact, if it is the whole condition. */
function soleCommandFact({ rule }: RuleEntry): string | undefined {
  const [part, ...others] = rule.when === undefined ? [] : conditionParts(rule.when.text);
  if (part?.type !== 'fact' || others.length > 0 || part.negated || !commandFacts.has(part.name)) return undefined;
  const isAll = new RegExp(`^${part.name}\\([^()]*\\)$`).test(normalizedCondition(rule.when?.text ?? ''));
  return isAll ? part.name : undefined;
}

/** If a tool does not declare what it touches, facts are unknown, which is not the same as never true. */
function mayRunCommands({ tier, touches, commands = [] }: ToolDeclaration): boolean {
  const isUndeclared = touches === undefined && tier !== 'observe';
  return isUndeclared || (touches?.bash ?? []).length > 0 || commands.length > 0;
}
