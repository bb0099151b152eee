/**
 * The journal entries: what was decided and what happened, one entry per transition. Format version 1. Values are JSON
 * data with sorted keys. Each journal implements the storage and the hash chain itself.
 */

import type { CheckedPath, Grant, OutcomeType, RuleRef, Tier } from '../call.ts';
import type { JsonValue } from '../json.ts';

export const journalVersion = 1;

interface EntryHead {
  readonly v: typeof journalVersion;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly session: string;
  readonly turn: number;
  readonly step: number;
  readonly agent: readonly string[];
  /** The version of the active policy. */
  readonly policy: string;
}

interface CallInfo {
  readonly call: string;
  readonly tool: string;
  readonly server?: string | undefined;
}

/** A decision about a call. `asked` is followed by `approved`, `refused` or `expired`. */
export interface DecidedEntry extends EntryHead, CallInfo {
  readonly kind: 'decided';
  readonly status: 'allowed' | 'denied' | 'asked' | 'approved' | 'refused' | 'expired';
  readonly tier: Tier;
  readonly requested: JsonValue;
  readonly args: JsonValue;
  readonly rule?: RuleRef | undefined;
  readonly hook?: string | undefined;
  readonly reason?: string | undefined;
  readonly grant?: Grant | undefined;
  /** The folder that relative paths of the call start from. */
  readonly cwd?: string | undefined;
  readonly paths?: readonly CheckedPath[] | undefined;
  readonly approval?: ApprovalDetails | undefined;
}

export interface ApprovalDetails {
  readonly id: string;
  readonly by?: string | undefined;
  /** `host`: in the process that hosts the agent. `framework`: in the prompt of a framework, without a signature. */
  readonly place?: 'host' | 'framework' | undefined;
  readonly edited?: boolean | undefined;
  readonly remembered?: boolean | undefined;
}

/** The outcome of an executed call. */
export interface SettledEntry extends EntryHead, CallInfo {
  readonly kind: 'settled';
  readonly status: OutcomeType;
  /** What the model saw. */
  readonly result: JsonValue;
  /** The tool's result, if a hook changed it. */
  readonly original?: JsonValue | undefined;
  readonly error?: string | undefined;
  readonly elapsedMs: number;
}

/** An event that is recorded but decided nothing: a hook failure, a late result, a remembered answer. */
export interface NotedEntry extends EntryHead {
  readonly kind: 'noted';
  readonly status: 'hook_failed' | 'observer_failed' | 'late_result' | 'remembered' | 'rule_shadowed' | 'not_enforced';
  readonly detail: JsonValue;
}

export type JournalEntry = DecidedEntry | SettledEntry | NotedEntry;

/** Accepts entries in order. If `append` throws or rejects, the entry was not recorded. */
export interface Journal {
  append(entry: JournalEntry): void | Promise<void>;
}
