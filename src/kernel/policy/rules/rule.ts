/** One policy statement, as data. */

import type { Approver } from '../../approval.ts';
import type { Effect, Finding, Grant, ToolCall } from '../../call.ts';
import type { JsonObject } from '../../json.ts';
import type { ToolDeclaration } from '../../tool.ts';

export type Target =
  | { readonly type: 'tool'; readonly server: string | undefined; readonly tool: string }
  | { readonly type: 'server'; readonly server: string }
  | { readonly type: 'all' };

/** What a predicate can look at beside args and call. */
export interface RuleContext {
  readonly tool: ToolDeclaration;
  readonly state: ScopeValues;
}

/** What the scopes hold while a call is decided. */
export interface ScopeValues {
  readonly session: JsonObject;
  readonly turn: JsonObject;
}

/** Whether a rule applies to a call whose target fits. Anything but a boolean denies, except a fact that is unknown. */
export type RuleCondition = (args: JsonObject, call: ToolCall, about: RuleContext) => boolean | Promise<boolean>;

export interface RuleOptions {
  readonly name?: string | undefined;
  /** For a deny, what the model is told; for an ask, the question. */
  readonly reason?: string | ((call: ToolCall) => string) | undefined;
  readonly when?: RuleCondition | undefined;
  readonly grant?: Grant | undefined;
  /** Evaluated and reported, never enforced. */
  readonly shadow?: boolean | undefined;
}

export interface DenyOptions extends RuleOptions {
  /** What happens if it is unknown whether the condition holds: the call is denied, or a person is asked. Default: deny. */
  readonly unknown?: 'deny' | 'ask' | undefined;
}

export interface AskOptions extends RuleOptions {
  /** Answers this rule's asks; the agent's approver otherwise. */
  readonly handler?: Approver | undefined;
}

export interface Rule extends AskOptions, DenyOptions {
  readonly type: 'rule';
  readonly effect: Effect | 'forbid';
  readonly target: Target;
  /** Asked after `when`, for rules that also find out what a call touches and why it is refused. */
  readonly check?: ((call: ToolCall, tool: ToolDeclaration) => Finding) | undefined;
  /** `false` for a tool whose calls the rule can never apply to, whatever they are; then it is not even asked. */
  readonly concerns?: ((tool: ToolDeclaration) => boolean) | undefined;
  /** True for a tool to all of whose calls the rule applies, although it has a condition. */
  readonly covers?: ((tool: ToolDeclaration) => boolean) | undefined;
  /** Where it is written, where that is a file: `bridle.yaml:14`. */
  readonly at?: string | undefined;
  /** What its functions depend on beside the call and do not show: part of the policy's version. */
  readonly fingerprint?: string | undefined;
  /** Looks at the declared tools once and gives warnings. */
  readonly review?: ((tools: readonly ToolDeclaration[]) => readonly string[]) | undefined;
  /** An ask that nobody can answer denies with this reason, where other asks are an error. */
  readonly unanswerable?: string | undefined;
  /** True: its tool need not exist. */
  readonly optional?: boolean | undefined;
}

/** A rule or lists of rules, nested as you like. */
export type Rules = Rule | readonly Rules[];
