/** A person's answer to one ask, and what the person is asked. */

import type { CheckedPath, RuleRef, ToolCall } from './call.ts';
import type { ApprovalId } from './ids.ts';
import type { JsonObject, JsonValue } from './json.ts';
import type { MaybePromise } from './maybe-promise.ts';
import type { ToolDeclaration } from './tool.ts';

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
  /** The narrowest rule that covers this call and others like it, for a person who wants to be asked less. */
  readonly proposal?: RememberedRule | undefined;
  /** Milliseconds since 1970; an answer after that does not count. */
  readonly expiresAt: number;
}

/** Where an answer was given: `host` is the process that hosts the agent. */
export type AnswerPlace = 'host';

/** How long the same answer counts for exactly these args again. */
export type RememberDuration = 'turn' | 'session' | { readonly ms: number };

export type ApprovalAnswer =
  | {
      readonly type: 'approve';
      readonly args?: JsonObject | undefined;
      readonly remember?: RememberDuration | undefined;
      /** With `remember`: what is remembered is the proposal that was shown, not these args alone. */
      readonly rule?: boolean | undefined;
      readonly by?: string | undefined;
      readonly place?: AnswerPlace | undefined;
      /** How long ago it was given, where it had to wait for whoever asked; it counts from then on. */
      readonly ageMs?: number | undefined;
    }
  /** Nobody has answered yet, and the process need not wait: the call neither runs nor is refused, it is asked about again. */
  | { readonly type: 'suspend' }
  /** Nobody has answered in time. */
  | { readonly type: 'expire' }
  | {
      readonly type: 'deny';
      readonly reason?: string | undefined;
      readonly remember?: RememberDuration | undefined;
      readonly by?: string | undefined;
      readonly place?: AnswerPlace | undefined;
    };

/** Answers asks. `true` approves this one call, `false` denies it; anything that is not an answer denies. */
export interface Approver {
  (
    request: ApprovalRequest,
    options: { readonly signal: AbortSignal },
  ): boolean | ApprovalAnswer | Promise<boolean | ApprovalAnswer>;
  /**
   * Told before a question is put: where a run is resumed it may have been put already. Then it goes on under the id it
   * had, or is refused because the call is no longer the one that was shown.
   */
  readonly earlier?: (request: ApprovalRequest) => MaybePromise<EarlierQuestion | undefined>;
}

export type EarlierQuestion = { readonly id: ApprovalId } | { readonly refused: string };

/** A rule that a person accepted when it was shown: `text` is what was shown, `data` what is compared. */
export interface RememberedRule {
  readonly text: string;
  readonly data: JsonValue;
}

/** A call that a rule may be proposed for or cover, with its paths as they were checked: those the tool will open. */
export interface ProposalSubject {
  readonly call: ToolCall;
  readonly tool: ToolDeclaration;
  readonly paths: readonly CheckedPath[];
}

/** Proposes rules to remember, and tells which calls they cover. */
export interface RuleProposer {
  propose(subject: ProposalSubject): RememberedRule | undefined;
  covers(rule: RememberedRule, subject: ProposalSubject): boolean;
}

/** An answer that counts again. */
export interface ReusableAnswer {
  readonly approvalId: string;
  readonly approved: boolean;
  readonly reason: string;
  readonly by: string;
  /** The turn it is limited to. */
  readonly turn: number | undefined;
  /** What it is for, if it is for more than exactly the same call. */
  readonly rule: RememberedRule | undefined;
}

/** A call as a book of answers looks it up. */
export interface AnswerQuery {
  /** Everything about the call that a person saw, who asked, and under which policy. */
  readonly binding: string;
  /** The same without what a rule may leave open: its args and paths. */
  readonly group: string;
  /** What a person would be asked. */
  readonly request: ApprovalRequest;
  readonly turn: number;
  /** Whether a rule covers the call. */
  readonly covers: (rule: RememberedRule) => boolean;
}

/** Where remembered answers are kept: in the session itself, or in a store. */
export interface AnswerMemory {
  find(query: AnswerQuery): MaybePromise<(ReusableAnswer & { readonly leftMs: number }) | undefined>;
  keep(query: AnswerQuery, answer: ReusableAnswer, forMs: number): MaybePromise<void>;
}

/** Puts masks in the place of secrets; gives back the value itself where it holds none. */
export type Mask = <T>(value: T) => T;
