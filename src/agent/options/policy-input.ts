/** The `policy` option of an agent: rules, or a policy file. */

import { openPolicy } from '../../policy-files/load/open-policy.ts';
import { BridleError } from '../../kernel/errors.ts';
import type { PolicyChange, PolicySource } from '../../kernel/guard/guard-options.ts';
import type { EventBody } from '../../kernel/hooks/points/events.ts';
import type { Rules } from '../../kernel/policy/rules/rule.ts';

/** Rules, the path of a policy file, or a policy opened with `openPolicy`. */
export type PolicyInput = Rules | PolicySource | string;

/**
 * The source of a policy that is kept in a file; undefined for inline rules. A subagent's policy abstains by default.
 */
export function policySourceOf(
  policy: PolicyInput | undefined,
  { cwd, abstains }: { readonly cwd: string; readonly abstains: boolean },
): PolicySource | undefined {
  if (typeof policy === 'string') return openPolicy(policy, { cwd, abstains });
  return isFilePolicy(policy) ? policy : undefined;
}

/** A policy file sets its own default, so the option `default` must not be set too. */
export function refuseSecondDefault(source: PolicySource | undefined, effect: string | undefined): void {
  if (source === undefined || effect === undefined) return;
  throw new BridleError(
    'OPTION_INVALID',
    'createAgent: option "default" cannot be combined with a policy file; set "default" in the file',
  );
}

/** True if the policy is kept in a file. */
export function isFilePolicy(policy: PolicyInput | undefined): policy is PolicySource | string {
  return typeof policy === 'string' || (policy !== undefined && 'compileFor' in policy);
}

/** The event for a policy that was reloaded, or could not be. */
export function toPolicyEvent(change: PolicyChange): EventBody {
  return change.type === 'changed' ? { ...change, type: 'policy_changed' } : { ...change, type: 'policy_failed' };
}

/** The inline rules; none if the policy is kept in a file. */
export function inlineRulesOf(policy: PolicyInput | undefined): Rules {
  return policy === undefined || isFilePolicy(policy) ? [] : policy;
}
