/** Events: everything that happens in a session, as one readonly union, in order. */

import type { Effect, OutcomeType, RuleRef } from '../../call.ts';
import type { SessionId } from '../../ids.ts';
import type { JsonValue } from '../../json.ts';
import type { Interaction, TurnOrigin, Question, Usage } from './payloads.ts';

interface EventHead {
  /** Counts up by one within a session. */
  readonly seq: number;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly session: SessionId;
  readonly turn: number;
  readonly step: number;
  readonly agent: readonly string[];
}

export interface CallInfo {
  readonly callId: string;
  readonly tool: string;
  readonly server: string | undefined;
}

/** In place of args that are too large for an event. */
export const omittedArgs = '[omitted: too large for an event]';

export type FailureKind = 'threw' | 'timeout' | 'malformed' | 'late';

/** How a turn ended. Empty if the host does not report it. */
export interface TurnEnd {
  readonly stopReason?: string | undefined;
  readonly error?: string | undefined;
  readonly usage?: Usage | undefined;
}

interface ModelCall {
  readonly model: string;
  /** Counts the attempts at one answer, from 1. Ignore the deltas of an attempt that failed or was rejected. */
  readonly attempt: number;
}

interface Delta {
  readonly text: string;
  readonly attempt: number;
}

/** The fields of each event, other than those that all have. */
interface EventFields {
  session_started: { resumed: boolean };
  session_ended: { reason: string };
  turn_started: { origin: TurnOrigin };
  turn_ended: TurnEnd;

  llm_started: { purpose: 'turn' | 'compaction' } & ModelCall;
  text_delta: Delta;
  thinking_delta: Delta;
  /** `responseId` is the provider's id of the answer, if it has one. */
  llm_settled: { usage: Usage; finishReason: string; responseId: string | undefined; elapsedMs: number } & ModelCall;
  llm_failed: { error: string; next: 'retry' | 'fallback' | 'fail'; afterMs: number } & ModelCall;
  llm_rejected: { hook: string; reason: string; next: 'retry' | 'fail' };

  compacted: { removed: number; tokensBefore: number; tokensAfter: number };
  compaction_skipped: { reason: string };
  budget_exceeded: { limit: string; used: number; of: number };
  interaction_asked: { questions: readonly Question[] };
  interaction_settled: { outcome: Interaction['type'] };
  subagent_started: { name: string };
  subagent_ended: { name: string; stopReason: string };
  trigger_fired: { trigger: string };
  trigger_failed: { trigger: string; message: string };
  server_status: { server: string; status: 'connected' | 'lost' | 'changed' | 'failed'; message: string };
  policy_changed: { version: string; trusted: boolean; files: readonly string[] };
  policy_failed: { message: string };
  memory_failed: { message: string };
  session_unsaved: { message: string };

  tool_requested: { args: JsonValue } & CallInfo;
  tool_asked: { approvalId: string; questions: readonly string[] } & CallInfo;
  tool_approved: { by: string; remembered: boolean } & CallInfo;
  tool_denied: { reason: string; rule: RuleRef | undefined; hook: string | undefined } & CallInfo;
  /** `args` are those it runs with, after changes by hooks and people. */
  tool_started: { rule: RuleRef | undefined; args: JsonValue } & CallInfo;
  tool_output: { text: string } & CallInfo;
  tool_settled: { outcome: OutcomeType; error: string | undefined; elapsedMs: number } & CallInfo;
  tool_late: { text: string } & CallInfo;
  /** `would` is the effect it would have had; undefined if it would not have applied. */
  rule_shadowed: {
    rule: RuleRef;
    matched: boolean;
    would: Effect | undefined;
    problem: string | undefined;
  } & CallInfo;

  hook_failed: { hook: string; point: string; kind: FailureKind; message: string };
  journal_failed: { message: string };
  events_dropped: { count: number };
  custom: { name: string; data: JsonValue };
}
export type EventBody = {
  [Type in keyof EventFields]: { readonly type: Type } & Readonly<EventFields[Type]>;
}[keyof EventFields];

export type BridleEvent = EventHead & EventBody;
