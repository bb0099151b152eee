/** Approvals: what a person is asked about a call, and how the person answers. */

import type { CheckedPath, RuleRef, ToolCall } from './call.ts';
import type { Clock } from './clock.ts';
import type { ApprovalId } from './ids.ts';
import type { JsonObject, JsonValue } from './json.ts';
import type { MaybePromise } from './maybe-promise.ts';
import type { ToolDeclaration } from './tool.ts';

/** One argument as shown to a person: invisible characters are made visible, and removed characters are counted. */
export interface ShownArgument {
  readonly name: string;
  readonly text: string;
  /** How many characters of `full` are missing from `text`. */
  readonly missing: number;
  /** The complete value, made visible in the same way. */
  readonly full: string;
}

/** The complete final call as shown to a person. */
export interface ShownCall {
  readonly title: string;
  readonly args: readonly ShownArgument[];
  /** The whole call as one text, for a terminal or a log. */
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
  /** Why approval is needed: one question for each ask rule and each hook that asks for confirmation. */
  readonly questions: readonly ApprovalQuestion[];
  readonly paths: readonly CheckedPath[];
  readonly policyVersion: string;
  /** The narrowest rule that covers this call and similar ones. A person can accept it to be asked less often. */
  readonly proposal?: RememberedRule | undefined;
  /** Milliseconds since 1970. Later answers are ignored. */
  readonly expiresAt: number;
}

/** Where it was given: `host` is the process that hosts the agent; `framework` is its own prompt, without a signature. */
export type AnswerPlace = 'host' | 'framework';

/** How long the same answer is reused for exactly these args. */
export type RememberDuration = 'turn' | 'session' | { readonly ms: number };

export type ApprovalAnswer =
  | {
      readonly type: 'approve';
      readonly args?: JsonObject | undefined;
      readonly remember?: RememberDuration | undefined;
      /** With `remember`: remember the proposed rule that was shown instead of only these args. */
      readonly rule?: boolean | undefined;
      readonly by?: string | undefined;
      readonly place?: AnswerPlace | undefined;
      /** How long ago the answer was given, if it was stored before it was picked up. Its validity starts then. */
      readonly ageMs?: number | undefined;
    }
  /** No answer yet, and the process should not wait. The call is suspended: it is asked about again when the run resumes. */
  | { readonly type: 'suspend' }
  /** The time limit passed without an answer. */
  | { readonly type: 'expire' }
  | {
      readonly type: 'deny';
      readonly reason?: string | undefined;
      readonly remember?: RememberDuration | undefined;
      readonly by?: string | undefined;
      readonly place?: AnswerPlace | undefined;
    };

/** Answers approval requests. `true` approves this one call, `false` denies it. Anything else that is not a valid answer denies. */
export interface Approver {
  (
    request: ApprovalRequest,
    options: { readonly signal: AbortSignal },
  ): boolean | ApprovalAnswer | Promise<boolean | ApprovalAnswer>;
  /**
   * Called before a question is asked. In a resumed run the question may have been asked already: then it keeps its id,
   * or it is refused because the call has changed since it was shown.
   */
  readonly earlier?: ((request: ApprovalRequest) => MaybePromise<EarlierQuestion | undefined>) | undefined;
  /** True if its answers are signed. Only such an approver may answer a rule with `approval: signed`. */
  readonly signed?: boolean | undefined;
  /** Set by `rememberAnswers`. Without it, no answer is remembered. A rule's handler uses that of the guard's approver. */
  readonly memory?: ApproverMemory | undefined;
}

export type EarlierQuestion = { readonly id: ApprovalId } | { readonly refused: string };

/** A rule that a person accepted: `text` is what the person saw, `data` is what calls are compared with. */
export interface RememberedRule {
  readonly text: string;
  readonly data: JsonValue;
}

/** A call that a remembered rule may be proposed for or may cover. `paths` are the checked paths that the tool will open. */
export interface ProposalSubject {
  readonly call: ToolCall;
  readonly tool: ToolDeclaration;
  readonly paths: readonly CheckedPath[];
}

/** A call that a person is asked about, as a memory of answers sees it. */
export interface AskedCall {
  readonly request: ApprovalRequest;
  readonly subject: ProposalSubject;
  /** What asks: the id of a rule in its policy, or the name of a hook, for each question. */
  readonly askers: readonly (readonly [rule: string | undefined, hook: string | undefined])[];
  /** Identifies the session. Two sessions with the same id are different sessions. */
  readonly session: object;
  readonly clock: Clock;
}

/** A remembered answer that is reused for later calls. */
export interface ReusableAnswer {
  readonly approvalId: string;
  readonly approved: boolean;
  readonly reason: string;
  readonly by: string;
  /** The only turn in which it counts; undefined means any turn. */
  readonly turn: number | undefined;
  /** The rule it applies to, if it covers more than exactly the same call. */
  readonly rule: RememberedRule | undefined;
}

/**
 * The memory of an approver. The guard calls it, because only the guard knows which answers count: well-formed, in time,
 * in the journal, and for a call that was not edited.
 */
export interface ApproverMemory {
  /** The rule to show with the question, if there is one. */
  propose(asked: AskedCall): RememberedRule | undefined;
  find(asked: AskedCall): MaybePromise<(ReusableAnswer & { readonly leftMs: number }) | undefined>;
  keep(asked: AskedCall, answer: ReusableAnswer, forMs: number): MaybePromise<void>;
}

/** Replaces secrets in a value with masks. Returns the same value if it contains none. */
export type Mask = <T>(value: T) => T;
