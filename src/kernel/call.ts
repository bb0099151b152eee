/** The core types: calls, decisions, grants, outcomes; and how grants combine. */

import type { CallId, SessionId } from './ids.ts';
import type { JsonObject, JsonValue } from './json.ts';

/** `observe`: no side effects. `confirm`: everything else, and the default for a tool that declares no tier. */
export type Tier = 'observe' | 'confirm';

/** A call as a model or a host requests it, before any check. */
export interface CallRequest {
  readonly id?: string | undefined;
  readonly tool: string;
  readonly server?: string | undefined;
  readonly args?: unknown;
}

/** One tool call: canonical names, validated and frozen args. */
export interface ToolCall {
  readonly id: CallId;
  readonly tool: string;
  readonly server: string | undefined;
  readonly displayName: string;
  readonly tier: Tier;
  /** The args the tool would run with: canonical, validated, and including every change so far. */
  readonly args: JsonObject;
  /** The args as they were requested. */
  readonly requested: JsonValue;
  /** The folder that relative paths of this call start from, if the host set one. */
  readonly cwd: string | undefined;
  readonly session: SessionId;
  readonly turn: number;
  readonly step: number;
  /** Agent names from the root agent to the one that makes the call. */
  readonly agent: readonly string[];
}

/** Limits under which an allowed call runs. */
export interface Grant {
  readonly timeoutMs?: number | undefined;
  readonly outputBytes?: number | undefined;
  readonly approvalMs?: number | undefined;
}

/** The narrower of two grants, field by field. The result is frozen because hooks and tools see it. */
export function narrowGrant(grant: Grant, other: Grant | undefined): Grant {
  if (other === undefined) return Object.isFrozen(grant) ? grant : Object.freeze({ ...grant });
  return Object.freeze({
    timeoutMs: least(grant.timeoutMs, other.timeoutMs),
    outputBytes: least(grant.outputBytes, other.outputBytes),
    approvalMs: least(grant.approvalMs, other.approvalMs),
  });
}

function least(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? (a ?? b) : Math.min(a, b);
}

export type Effect = 'allow' | 'deny' | 'ask';

/** Identifies the rule behind a decision. */
export interface RuleRef {
  readonly name: string;
  readonly effect: Effect | 'forbid';
  readonly target: string;
  /** 0 to 8; -1 for a forbid rule. */
  readonly bucket: number;
  /** File and line of the rule: `bridle.yaml:14`. */
  readonly at?: string | undefined;
  /** `signed`: its asks need a signed answer. */
  readonly approval?: 'signed' | undefined;
}

/** The identity of a file in the operating system, to compare the file that was checked with the one that was opened. */
export interface FileIdentity {
  readonly device: string;
  readonly inode: string;
}

/** One path argument of a call, resolved the way the operating system resolves it. */
export interface CheckedPath {
  /** Its position in the args: `['edits', 0, 'path']`. */
  readonly at: readonly (string | number)[];
  readonly given: string;
  /** Absolute, with every symbolic link followed. */
  readonly path: string;
  /** The file at `path`, or undefined if it does not exist yet. */
  readonly identity: FileIdentity | undefined;
  /** The nearest existing ancestor of a missing `path`; the parent folder if `path` exists. */
  readonly ancestor: { readonly path: string; readonly identity: FileIdentity };
}

/** The result of a rule's check: if `matched`, the rule applies because of `reason`. `paths` are the paths it resolved. */
export interface RuleCheckResult {
  readonly matched: boolean;
  readonly reason?: string | undefined;
  readonly paths?: readonly CheckedPath[] | undefined;
}

/** A policy's decision about one call. */
export interface Decision {
  readonly effect: Effect;
  readonly rule: RuleRef | undefined;
  /** For a deny, the reason; for an ask, the question. Never empty for these two. */
  readonly reason: string;
  /** Questions of other policy layers that also ask about this call. */
  readonly additionalQuestions?: readonly Pick<Decision, 'rule' | 'reason'>[] | undefined;
  readonly grant: Grant | undefined;
  readonly paths: readonly CheckedPath[];
  /** True if the decision depends only on the tool, so deciding again gives the same result. */
  readonly constant: boolean;
  /** Why the call is invalid: unknown tool, or args that do not match the schema. */
  readonly problem?: string | undefined;
  /** What Bridle could not tell about the call, if that made the decision stricter. */
  readonly uncertainty?: string | undefined;
  /** True if it is unknown whether the rule applies, and without it the default would decide. */
  readonly mayFallToDefault?: boolean | undefined;
}

/** How an executed call ended. */
export type OutcomeType = 'ok' | 'error' | 'recovered' | 'cancelled' | 'timeout' | 'interrupted';
