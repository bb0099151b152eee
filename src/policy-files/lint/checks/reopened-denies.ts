/** Finds specific allow rules that override a wider deny rule. */

import type { Target } from '../../../kernel/policy/rules/rule.ts';
import { candidateCalls } from '../../sample-calls/candidate-calls.ts';
import type { CheckRequest, LoadedPolicy } from '../../loaded-policy.ts';
import { type RuleEntry, ruleLocation, ruleTitle } from '../../policy-rules.ts';
import { findingAt, type LintFinding, type TriedCall } from '../linted-policy/finding.ts';
import { type LintedPolicy, maxTries } from '../linted-policy/linted-policy.ts';
import { callReaderOf } from '../../layers/decide-request.ts';
import { callWithAliases, readCall } from '../../../kernel/catalog/read-call.ts';
import { BridleError } from '../../../kernel/errors.ts';
import type { SessionId } from '../../../kernel/ids.ts';
import { builtInFacts } from '../../cel/built-in-facts.ts';
import { compileCondition, type CompiledCondition } from '../../cel/compile-condition.ts';
import type { PolicyFileCondition } from '../../policy-file.ts';
import { callViewOf } from '../../layers/tool-descriptions.ts';

export async function reopenedDenies(linted: LintedPolicy): Promise<readonly LintFinding[]> {
  const findings: LintFinding[] = [];
  const denies = linted.activeRules.filter(({ rule }) => rule.effect === 'deny');
  for (const allow of linted.activeRules.filter(({ rule }) => rule.effect === 'allow')) {
    for (const deny of denies) {
      if (deny.layer !== allow.layer || !isWider(deny.target, allow.target)) continue;
      const finding = await reopenedFinding(allow, deny, linted);
      if (finding !== undefined) findings.push(finding);
    }
  }
  return findings;
}

function isWider(wide: Target, narrow: Target): boolean {
  if (wide.type === 'all') return narrow.type !== 'all';
  return wide.type === 'server' && narrow.type === 'tool' && narrow.server === wide.server;
}

async function reopenedFinding(
  allow: RuleEntry,
  deny: RuleEntry,
  linted: LintedPolicy,
): Promise<LintFinding | undefined> {
  const tried = await callAllowedBefore(allow, deny, linted);
  if (tried === undefined) return undefined;
  const isException = deny.target.type === 'all' && deny.rule.when === undefined;
  const condition = deny.rule.when === undefined ? '' : ` when ${deny.rule.when.text.trim()}`;
  return findingAt(allow, tried, {
    kind: 'reopens',
    severity: isException ? 'note' : 'warning',
    message: `This allow overrides ${ruleTitle(deny)} (${ruleLocation(deny)}), which denies ${deny.writtenTarget.text}${condition}.`,
    hint: isException
      ? 'If this is an intended exception, you can replace the wide rule with "default: deny".'
      : 'If the deny should apply here too, make it a forbid.',
    shows: `${ruleTitle(allow)} allows it; ${ruleTitle(deny)}, which would deny it, is not reached.`,
  });
}

/** A call that the allow decides and that the deny would deny. */
async function callAllowedBefore(
  allow: RuleEntry,
  deny: RuleEntry,
  linted: LintedPolicy,
): Promise<TriedCall | undefined> {
  let tries = 0;
  for (const call of callsForBoth(allow, deny, linted)) {
    if (++tries > maxTries) return undefined;
    if (!(await wouldDeny(deny, call, linted.policy))) continue;
    const tried = await linted.findCallDecidedBy(allow, [call]);
    if (tried !== undefined && linted.outcomeOf(deny, tried) === 'not reached') return tried;
  }
  return undefined;
}

/** Calls from the deny's condition come first: a call that it would deny proves the most. */
function* callsForBoth(allow: RuleEntry, deny: RuleEntry, linted: LintedPolicy): Iterable<CheckRequest> {
  const { when } = deny.rule;
  if (when !== undefined) for (const each of linted.reach.classesOf(allow)) yield* candidateCalls(when.text, each);
  yield* linted.callsFor(allow);
}

const conditions = new WeakMap<PolicyFileCondition, CompiledCondition>();

function compiledCondition(condition: PolicyFileCondition): CompiledCondition {
  const known = conditions.get(condition);
  const made = known ?? compileCondition(condition.text, { tools: [], complete: false, facts: builtInFacts });
  conditions.set(condition, made);
  return made;
}

/** True if a deny rule would deny the call if it were reached: it matches, or it denies unknowns. */
async function wouldDeny({ layer, rule }: RuleEntry, request: CheckRequest, policy: LoadedPolicy): Promise<boolean> {
  if (rule.when === undefined) return true;
  const { cwd = policy.cwd, state } = request;
  const place = { session: 'lint' as SessionId, turn: 0, step: 0, agent: ['main'], cwd };
  const read = await readCall(request, place, callReaderOf(policy));
  if (read.problem !== undefined) return false;
  const { call, tool } = callViewOf(layer.policyFile)(read.call, read.tool);
  const { evaluate } = compiledCondition(rule.when);
  const about = { tool, state: { session: state?.session ?? {}, turn: state?.turn ?? {} } };
  try {
    const readable = callWithAliases(tool, call);
    return evaluate(readable.args, readable, about);
  } catch (error) {
    // A failed condition denies, and so does an unknown one unless the rule asks in that case.
    const isUnknown = error instanceof BridleError && error.code === 'FACT_UNKNOWN';
    return !(isUnknown && rule.unknown === 'ask');
  }
}
