/** A person's answer to one ask, and what the person is asked. */

import type { CheckedPath, RuleRef, ToolCall } from './call.ts';
import type { ApprovalId } from './ids.ts';
import type { JsonObject } from './json.ts';

/** One argument as a person reads it: invisible characters made visible, a cut counted. */
export interface ShownArgument {
  readonly name: string;
  readonly text: string;
  /** Characters of `full` that `text` leaves out. */
  readonly missing: number;
  /** The whole of it, made visible in the same way. */
  readonly full: string;
}

/** The whole final call as a person reads it. */
export interface ShownCall {
  readonly title: string;
  readonly args: readonly ShownArgument[];
  /** Everything as one text, for a terminal or a log. */
  readonly text: string;
}

export interface ApprovalQuestion {
  readonly text: string;
  readonly rule: RuleRef | undefined;
  readonly hook: string | undefined;
}

export interface ApprovalRequest {
  readonly id: ApprovalId;
  readonly call: ToolCall;
  readonly shown: ShownCall;
  /** Why it is asked: ask rules and hooks that want a confirmation. */
  readonly questions: readonly ApprovalQuestion[];
  readonly paths: readonly CheckedPath[];
  readonly policyVersion: string;
  /** Milliseconds since 1970; an answer after that does not count. */
  readonly expiresAt: number;
}

/** How long the same answer counts for exactly these args again. */
export type Remember = 'turn' | 'session' | { readonly ms: number };

export type ApprovalAnswer =
  | {
      readonly type: 'approve';
      readonly args?: JsonObject | undefined;
      readonly remember?: Remember | undefined;
      readonly by?: string | undefined;
    }
  | {
      readonly type: 'deny';
      readonly reason?: string | undefined;
      readonly remember?: Remember | undefined;
      readonly by?: string | undefined;
    };

/** Answers asks. `true` approves this one call, `false` denies it; anything that is not an answer denies. */
export type Approver = (
  request: ApprovalRequest,
  options: { readonly signal: AbortSignal },
) => boolean | ApprovalAnswer | Promise<boolean | ApprovalAnswer>;
