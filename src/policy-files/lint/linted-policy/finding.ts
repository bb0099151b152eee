/** The findings of `bridle lint`, each with a call that proves it. */

import type { Decision, Effect, RuleRef } from '../../../kernel/call.ts';
import type { FilePosition } from '../../policy-file.ts';
import type { CheckRequest } from '../../loaded-policy.ts';
import { type RuleEntry, ruleTitle } from '../../policy-rules.ts';

export type LintKind =
  /** No call reaches the rule. */
  | 'unreachable'
  /** Another rule does the same. */
  | 'duplicate'
  /** A higher layer is always at least as strict. */
  | 'shadowed-by-layer'
  /** A specific allow decides before a wider deny. */
  | 'reopens'
  | 'unanswerable-ask'
  /** Only the default covers a tool. */
  | 'uncovered-tool'
  | 'default-allow'
  | 'unknown-name'
  /** Any command is allowed. */
  | 'open-command'
  /** An allow for a program that can run any other command or code. */
  | 'interpreter'
  /** An allow that checks only one command or file of a line. */
  | 'runs-in-allow'
  /** An allow for everything except a few commands. */
  | 'deny-list'
  /** A deny on commands in a policy that does not ask about scripts and other opaque lines. */
  | 'unseen-command'
  /** A condition on the text of a command. */
  | 'command-text'
  | 'expired'
  /** A protection that expires. */
  | 'expiry-opens'
  | 'untested-allow'
  /** The file has an older version of the format. */
  | 'old-version'
  /** A warning from loading the policy. */
  | 'load';

export interface LintFinding {
  readonly kind: LintKind;
  /** `note`: good to know, but nothing needs to change. */
  readonly severity: 'error' | 'warning' | 'note';
  readonly file: string;
  readonly at: FilePosition;
  /** The name of the rule, or its effect and target. */
  readonly rule?: string | undefined;
  readonly message: string;
  readonly hint: string;
  readonly witness: ExampleCall;
}

/** A call, the policy's decision about it, and what that proves. */
export interface ExampleCall {
  readonly call: CheckRequest;
  readonly decision: Effect;
  readonly rule?: RuleRef | undefined;
  readonly reason?: string | undefined;
  readonly shows: string;
}

export function exampleCallOf(call: CheckRequest, decision: Decision, shows: string): ExampleCall {
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
