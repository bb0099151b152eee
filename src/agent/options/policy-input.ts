/** Policy as an agent takes it: rules, or a file of them. */

import { openPolicy } from '../../policy-files/load/open-policy.ts';
import { BridleError } from '../../kernel/errors.ts';
import type { PolicyChange, PolicySource } from '../../kernel/guard/guard.ts';
import type { EventBody } from '../../kernel/hooks/points/events.ts';
import type { Rules } from '../../kernel/policy/rules/rule.ts';

/** Rules, the name of a policy file, or a file that was opened by `openPolicy`. */
export type PolicyInput = Rules | PolicySource | string;

/** The source behind a policy, where it is not simply rules. A subagent's is a further layer. */
export function policySourceOf(
  policy: PolicyInput | undefined,
  { cwd, abstains }: { readonly cwd: string; readonly abstains: boolean },
): PolicySource | undefined {
  if (typeof policy === 'string') return openPolicy(policy, { cwd, abstains });
  return isFilePolicy(policy) ? policy : undefined;
}

/** A file says itself what happens to calls no rule is about. */
export function refuseSecondDefault(source: PolicySource | undefined, effect: string | undefined): void {
  if (source === undefined || effect === undefined) return;
  throw new BridleError('OPTION_INVALID', 'createAgent: option "default" is for rules; a policy file has its own');
}

/** True for a policy that is kept in a file. */
export function isFilePolicy(policy: PolicyInput | undefined): policy is PolicySource | string {
  return typeof policy === 'string' || (policy !== undefined && 'compileFor' in policy);
}

/** How a change of a policy is told. */
export function toPolicyEvent(change: PolicyChange): EventBody {
  return change.type === 'changed' ? { ...change, type: 'policy_changed' } : { ...change, type: 'policy_failed' };
}

/** The rules, where they are nothing else. */
export function inlineRulesOf(policy: PolicyInput | undefined): Rules {
  return policy === undefined || isFilePolicy(policy) ? [] : policy;
}
