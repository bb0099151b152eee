/** Rules as plain data. */

import type { Approver } from '../../approval.ts';
import type { Effect, RuleCheckResult, Grant, ToolCall } from '../../call.ts';
import type { JsonObject } from '../../json.ts';
import type { ToolDeclaration } from '../../tool.ts';

export type Target =
  | { readonly type: 'tool'; readonly server: string | undefined; readonly tool: string }
  | { readonly type: 'server'; readonly server: string }
  | { readonly type: 'all' };

/** What a predicate can read in addition to args and call. */
export interface RuleContext {
  readonly tool: ToolDeclaration;
  readonly state: ScopeValues;
}

/** The values of the scopes while a call is decided. */
export interface ScopeValues {
  readonly session: JsonObject;
  readonly turn: JsonObject;
}

/** Whether a rule applies to a call that matches its target. A result other than a boolean denies the call. */
export interface RuleCondition {
  (args: JsonObject, call: ToolCall, about: RuleContext): boolean | Promise<boolean>;
  /** The argument it reads, so that the compiler can check the name. */
  readonly argument?: string;
  /** For a condition about what a call touches: what `tool` must declare so that the answer can be known. */
  readonly lacks?: (tool: ToolDeclaration) => MissingDeclaration | undefined;
}

/** What a condition asks and a tool does not declare. */
export interface MissingDeclaration {
  /** Completes "what the tool …". */
  readonly what: string;
  /** What happens to calls of such tools. */
  readonly effect: string;
  /** How to declare it. */
  readonly hint: string;
}

export interface RuleOptions {
  readonly name?: string | undefined;
  /** For a deny, the reason that the model gets; for an ask, the question. */
  readonly reason?: string | ((call: ToolCall) => string) | undefined;
  readonly when?: RuleCondition | undefined;
  readonly grant?: Grant | undefined;
  /** Evaluated and reported, never enforced. */
  readonly shadow?: boolean | undefined;
}

export interface DenyOptions extends RuleOptions {
  /** The effect if the condition is unknown: deny the call, or ask a person. Default: deny. */
  readonly unknown?: 'deny' | 'ask' | undefined;
}

export interface AskOptions extends RuleOptions {
  /** Answers this rule's asks instead of the agent's approver. */
  readonly handler?: Approver | undefined;
  /** `signed`: only a signed answer from the store counts, not one from the prompt of a framework or a coding agent. */
  readonly approval?: 'signed' | undefined;
}

export interface Rule extends AskOptions, DenyOptions {
  readonly type: 'rule';
  readonly effect: Effect | 'forbid';
  readonly target: Target;
  /** Called after `when`, for rules that also determine what a call touches and why it is refused. */
  readonly check?: ((call: ToolCall, tool: ToolDeclaration) => RuleCheckResult) | undefined;
  /** Returns false for a tool whose calls the rule can never apply to. Then it is not evaluated. */
  readonly concerns?: ((tool: ToolDeclaration) => boolean) | undefined;
  /** Returns true for a tool if the rule applies to all of its calls although it has a condition. */
  readonly covers?: ((tool: ToolDeclaration) => boolean) | undefined;
  /** File and line, for a rule from a file: `bridle.yaml:14`. */
  readonly at?: string | undefined;
  /** Identifies values that its functions depend on but do not show. Part of the policy's version. */
  readonly fingerprint?: string | undefined;
  /** Checks the declared tools and returns warnings. */
  readonly review?: ((tools: readonly ToolDeclaration[]) => readonly string[]) | undefined;
  /** If there is nobody to answer, this ask denies with this reason. Without it, that is an error. */
  readonly unanswerable?: string | undefined;
  /** True if its tool need not exist. */
  readonly optional?: boolean | undefined;
}

/** A rule, or lists of rules nested to any depth. */
export type Rules = Rule | readonly Rules[];
