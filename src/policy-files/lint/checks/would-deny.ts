import { callWithAliases } from '../../../kernel/catalog/argument-aliases.ts';
import { readCall } from '../../../kernel/catalog/read-call.ts';
import { BridleError } from '../../../kernel/errors.ts';
import type { SessionId } from '../../../kernel/ids.ts';
import { defaultLimits } from '../../../kernel/limits.ts';
import { builtInFacts } from '../../cel/built-in-facts.ts';
import { compileCondition, type CompiledCondition } from '../../cel/compile-condition.ts';
import type { PolicyFileCondition } from '../../policy-file.ts';
import type { CheckRequest, LoadedPolicy } from '../../loaded-policy.ts';
import type { RuleEntry } from '../../policy-rules.ts';
import { callViewOf } from '../../layers/tool-descriptions.ts';

const conditions = new WeakMap<PolicyFileCondition, CompiledCondition>();

function compiledCondition(condition: PolicyFileCondition): CompiledCondition {
  const known = conditions.get(condition);
  const made = known ?? compileCondition(condition.text, { tools: [], complete: false, facts: builtInFacts });
  conditions.set(condition, made);
  return made;
}

/** True if a deny rule would deny the call if it were reached: it matches, or it denies unknowns. */
export async function wouldDeny(
  { layer, rule }: RuleEntry,
  request: CheckRequest,
  policy: LoadedPolicy,
): Promise<boolean> {
  if (rule.when === undefined) return true;
  const { cwd = policy.cwd, state } = request;
  const place = { session: 'lint' as SessionId, turn: 0, step: 0, agent: ['main'], cwd };
  const read = await readCall(request, place, { catalog: policy.catalog, limits: defaultLimits });
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
