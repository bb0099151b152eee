/** The words everything speaks: calls, decisions, grants, outcomes. */

import type { CallId, SessionId } from './ids.ts';
import type { JsonObject, JsonValue } from './json.ts';

/** `observe`: no side effects. `confirm`: everything else, and every tool that says nothing. */
export type Tier = 'observe' | 'confirm';

/** What a model or a host asks for, before anything was checked. */
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
  /** The args that would run: canonical, validated, after every change so far. */
  readonly args: JsonObject;
  /** The args as they were asked for. */
  readonly requested: JsonValue;
  /** The folder relative paths of this call start from, where the host gave one. */
  readonly cwd: string | undefined;
  readonly session: SessionId;
  readonly turn: number;
  readonly step: number;
  /** The names of the agents from the root to the one that calls. */
  readonly agent: readonly string[];
}

/** How an allowed call may run. */
export interface Grant {
  readonly timeoutMs?: number | undefined;
  readonly outputBytes?: number | undefined;
  readonly approvalMs?: number | undefined;
}

export type Effect = 'allow' | 'deny' | 'ask';

/** What identifies the rule behind a decision. */
export interface RuleRef {
  readonly name: string;
  readonly effect: Effect | 'forbid';
  readonly target: string;
  /** 0 to 8; -1 for a forbid rule. */
  readonly bucket: number;
  /** Where it is written: `bridle.yaml:14`. */
  readonly at?: string | undefined;
}

/** The identity of a file as the kernel knows it, for comparing what was checked with what was opened. */
export interface FileIdentity {
  readonly device: string;
  readonly inode: string;
}

/** One path argument of a call, resolved as the kernel would. */
export interface CheckedPath {
  /** Where it stands in the args: `['edits', 0, 'path']`. */
  readonly at: readonly (string | number)[];
  readonly given: string;
  /** Absolute, every symbolic link followed. */
  readonly path: string;
  /** What stands at `path`, or undefined where nothing does yet. */
  readonly identity: FileIdentity | undefined;
  /** The nearest existing ancestor of a missing `path`; `path`'s own folder where it exists. */
  readonly ancestor: { readonly path: string; readonly identity: FileIdentity };
}

/** What a check of a call found: `matched` means its rule applies, for `reason`; `paths` is what was resolved on the way. */
export interface Finding {
  readonly matched: boolean;
  readonly reason?: string | undefined;
  readonly paths?: readonly CheckedPath[] | undefined;
}

/** What policy says of one call. */
export interface Decision {
  readonly effect: Effect;
  readonly rule: RuleRef | undefined;
  /** For a deny, why; for an ask, the question. Never empty on those two. */
  readonly reason: string;
  /** What further layers of policy ask, where this one asks too. */
  readonly additionalQuestions?: readonly Pick<Decision, 'rule' | 'reason'>[] | undefined;
  readonly grant: Grant | undefined;
  readonly paths: readonly CheckedPath[];
  /** True if the answer depends on the target alone: asking again gives the same. */
  readonly constant: boolean;
  /** Why the call could not even be read: no such tool, or args that do not fit. */
  readonly problem?: string | undefined;
  /** What could not be told about the call, where that made the answer stricter. */
  readonly uncertainty?: string | undefined;
  /** True: the rule may not apply, and the default would decide without it. */
  readonly mayFallToDefault?: boolean | undefined;
}

/** How an executed call ended. */
export type OutcomeType = 'ok' | 'error' | 'recovered' | 'cancelled' | 'timeout' | 'interrupted';
