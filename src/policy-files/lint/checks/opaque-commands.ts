/** Finds deny rules on commands in a policy that allows lines whose commands cannot be seen (X04). */

import { analyseCommand } from '../../../facts/shell/analysis/analyse-command.ts';
import { conditionParts } from '../../cel/syntax/condition-parts.ts';
import { type RuleEntry, ruleTitle } from '../../policy-rules.ts';
import { argumentsWith } from '../../sample-calls/sample-args.ts';
import { findingAt, type LintFinding } from '../linted-policy/finding.ts';
import type { LintedPolicy } from '../linted-policy/linted-policy.ts';

/** Lines that can do anything without showing it. */
const opaqueLines = [
  `python3 -c "import os; os.remove('data')"`,
  `node -e "require('fs').unlinkSync('data')"`,
  'sh ./script.sh',
  './script.sh',
];

/**
 * One finding for the whole policy, at the first deny that such a line avoids, because all denies have the same cause.
 */
export async function opaqueCommands(linted: LintedPolicy): Promise<readonly LintFinding[]> {
  const denies = linted.activeRules.filter((entry) => denyingFactOf(entry) !== undefined);
  for (const entry of denies) {
    const found = await findingFor(entry, linted);
    if (found !== undefined) return [found];
  }
  return [];
}

async function findingFor(entry: RuleEntry, linted: LintedPolicy): Promise<LintFinding | undefined> {
  const calls = linted.commandCalls(entry, opaqueLines);
  const tried = await Promise.all(calls.map((call) => linted.tryCall(call)));
  const passed = tried.filter((each) => linted.outcomeOf(entry, each) === 'did not apply');
  const allowed = passed.find(({ explanation }) => explanation.decision.effect === 'allow');
  const fact = denyingFactOf(entry) ?? '';
  const message = `${fact} cannot see what a script or another program does, so this line gets past ${ruleTitle(entry)}.`;
  const shared = { kind: 'unseen-command', shows: `${ruleTitle(entry)} does not apply to it.` } as const;
  if (allowed !== undefined) {
    const hint = "Ask about such lines, or deny them: add a rule with 'when: opaque()'.";
    return findingAt(entry, allowed, { ...shared, severity: 'warning', message, hint });
  }
  const asked = passed.find(
    ({ explanation: { decision } }) => decision.effect === 'ask' && decision.rule === undefined,
  );
  if (asked === undefined || !fact.startsWith('runs') || isTested(linted)) return undefined;
  return findingAt(entry, asked, {
    ...shared,
    severity: 'note',
    message: `${message} Only the default asks about it.`,
    hint: "Add a test for such a line, or a rule with 'when: opaque()'.",
  });
}

/** The fact in the condition of a deny rule; undefined for other rules, and if the rule checks `opaque` itself. */
function denyingFactOf({ rule }: RuleEntry): string | undefined {
  if (rule.when === undefined || (rule.effect !== 'deny' && rule.effect !== 'forbid')) return undefined;
  const facts = conditionParts(rule.when.text).filter((part) => part.type === 'fact');
  if (facts.some(({ name, negated }) => name === 'opaque' && !negated)) return undefined;
  const fact = ['runs', 'writes', 'reads'].map((each) => facts.find(({ name, negated }) => name === each && !negated));
  const [first] = fact.filter((each) => each !== undefined);
  return first && `${first.name}(${JSON.stringify(first.entries[0] ?? '')})`;
}

/** A test that expects such a line to be asked about or denied shows that the author is aware of this. */
function isTested({ policy, classes }: LintedPolicy): boolean {
  const names = new Set(
    classes.flatMap(({ declared }) => (declared === undefined ? [] : argumentsWith('command', declared))),
  );
  return policy.layers
    .flatMap(({ policyFile }) => policyFile.tests)
    .filter(({ expect }) => expect !== 'allow')
    .flatMap(({ args }) => Object.entries(args).flatMap(([name, value]) => (names.has(name) ? [value] : [])))
    .some((line) => typeof line === 'string' && analyseCommand(line).opaque !== undefined);
}
