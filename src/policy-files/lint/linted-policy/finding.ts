/** What looking over a policy brings up, each with a call that shows it. */

import type { Decision, Effect, RuleRef } from '../../../kernel/call.ts';
import type { FilePosition } from '../../policy-file.ts';
import type { CheckRequest } from '../../loaded-policy.ts';
import { type RuleEntry, ruleTitle } from '../../policy-rules.ts';

export type LintKind =
  /** No call gets as far as the rule. */
  | 'unreachable'
  /** Another rule says the same. */
  | 'duplicate'
  /** A higher layer is always as strict. */
  | 'shadowed-by-layer'
  /** A specific allow decides before a wider deny. */
  | 'reopens'
  | 'unanswerable-ask'
  /** Only the default decides about a tool. */
  | 'uncovered-tool'
  | 'default-allow'
  | 'unknown-name'
  /** Any command may run. */
  | 'open-command'
  /** An allow for a program that runs whatever it is told to. */
  | 'interpreter'
  /** An allow that looks at one command or file of a line only. */
  | 'runs-in-allow'
  /** An allow for everything but a few. */
  | 'deny-list'
  /** A deny on commands in a policy that does not ask about scripts and other opaque lines. */
  | 'unseen-command'
  /** A condition on the text of a command. */
  | 'command-text'
  | 'expired'
  /** A protection that ends. */
  | 'expiry-opens'
  | 'untested-allow'
  /** What loading the policy has found odd. */
  | 'load';

export interface LintFinding {
  readonly kind: LintKind;
  /** `note`: worth knowing, and nothing that must be changed. */
  readonly severity: 'error' | 'warning' | 'note';
  readonly file: string;
  readonly at: FilePosition;
  /** What the rule is called, or what it says. */
  readonly rule?: string | undefined;
  readonly message: string;
  readonly hint: string;
  readonly witness: Witness;
}

/** A call, what the policy decides about it, and what is to be seen in that. */
export interface Witness {
  readonly call: CheckRequest;
  readonly decision: Effect;
  readonly rule?: RuleRef | undefined;
  readonly reason?: string | undefined;
  readonly shows: string;
}

export function witnessOf(call: CheckRequest, decision: Decision, shows: string): Witness {
  const { effect, rule, reason } = decision;
  return {
    call,
    decision: effect,
    ...(rule === undefined ? {} : { rule }),
    ...(reason === '' ? {} : { reason }),
    shows,
  };
}

/** A finding about one target of a rule. */
export function findingAt(
  entry: RuleEntry,
  finding: Pick<LintFinding, 'kind' | 'severity' | 'message' | 'hint' | 'witness'>,
): LintFinding {
  const { layer, rule, writtenTarget } = entry;
  const at = rule.targets.length > 1 ? writtenTarget.at : rule.at;
  return { ...finding, file: layer.policyFile.file, at, rule: ruleTitle(entry) };
}
