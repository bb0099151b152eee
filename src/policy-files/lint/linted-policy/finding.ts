/** The findings of `bridle lint`, each with a call that proves it. */

import type { Effect, RuleRef } from '../../../kernel/call.ts';
import type { FilePosition } from '../../policy-file.ts';
import type { CheckRequest, PolicyExplanation } from '../../loaded-policy.ts';
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
  /** A command in `runsOnly` that writes the files it gets, so that it never matches. */
  | 'writing-entry'
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

/** A call, and how the policy decided it. */
export interface TriedCall {
  readonly call: CheckRequest;
  readonly explanation: PolicyExplanation;
}

/** `shows`: what the call proves. */
type FindingText = Pick<LintFinding, 'kind' | 'severity' | 'message' | 'hint'> & Pick<ExampleCall, 'shows'>;

/** A finding at a place of a file, with a call that proves it. */
export function findingIn(
  place: Pick<LintFinding, 'file' | 'at' | 'rule'>,
  { call, explanation }: TriedCall,
  { shows, ...text }: FindingText,
): LintFinding {
  const { effect, rule, reason } = explanation.decision;
  const decided = { ...(rule !== undefined && { rule }), ...(reason !== '' && { reason }) };
  return { ...text, witness: { call, decision: effect, ...decided, shows }, ...place };
}

/** A finding about one target of a rule. */
export function findingAt(entry: RuleEntry, tried: TriedCall, text: FindingText): LintFinding {
  const { layer, rule, writtenTarget } = entry;
  const at = rule.targets.length > 1 ? writtenTarget.at : rule.at;
  return findingIn({ file: layer.policyFile.file, at, rule: ruleTitle(entry) }, tried, text);
}
