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

type ModelEvent =
  | ({ readonly type: 'llm_started'; readonly purpose: 'turn' | 'compaction' } & ModelCall)
  | { readonly type: 'text_delta' | 'thinking_delta'; readonly text: string; readonly attempt: number }
  | ({
      readonly type: 'llm_settled';
      readonly usage: Usage;
      readonly finishReason: string;
      /** The provider's id of the answer, if it has one. */
      readonly responseId: string | undefined;
      readonly elapsedMs: number;
    } & ModelCall)
  | ({
      readonly type: 'llm_failed';
      readonly error: string;
      readonly next: 'retry' | 'fallback' | 'fail';
      readonly afterMs: number;
    } & ModelCall)
  | {
      readonly type: 'llm_rejected';
      readonly hook: string;
      readonly reason: string;
      readonly next: 'retry' | 'fail';
    };

type AgentEvent =
  | {
      readonly type: 'compacted';
      readonly removed: number;
      readonly tokensBefore: number;
      readonly tokensAfter: number;
    }
  | { readonly type: 'compaction_skipped'; readonly reason: string }
  | { readonly type: 'budget_exceeded'; readonly limit: string; readonly used: number; readonly of: number }
  | { readonly type: 'interaction_asked'; readonly questions: readonly Question[] }
  | { readonly type: 'interaction_settled'; readonly outcome: Interaction['type'] }
  | { readonly type: 'subagent_started'; readonly name: string }
  | { readonly type: 'subagent_ended'; readonly name: string; readonly stopReason: string }
  | { readonly type: 'trigger_fired'; readonly trigger: string }
  | { readonly type: 'trigger_failed'; readonly trigger: string; readonly message: string }
  | {
      readonly type: 'server_status';
      readonly server: string;
      readonly status: 'connected' | 'lost' | 'changed' | 'failed';
      readonly message: string;
    }
  | {
      readonly type: 'policy_changed';
      readonly version: string;
      readonly trusted: boolean;
      readonly files: readonly string[];
    }
  | { readonly type: 'memory_failed' | 'session_unsaved' | 'policy_failed'; readonly message: string };

export type EventBody =
  | { readonly type: 'session_started'; readonly resumed: boolean }
  | { readonly type: 'session_ended'; readonly reason: string }
  | { readonly type: 'turn_started'; readonly origin: TurnOrigin }
  | ({ readonly type: 'turn_ended' } & TurnEnd)
  | ModelEvent
  | AgentEvent
  | ({ readonly type: 'tool_requested'; readonly args: JsonValue } & CallInfo)
  | ({ readonly type: 'tool_asked'; readonly approvalId: string; readonly questions: readonly string[] } & CallInfo)
  | ({ readonly type: 'tool_approved'; readonly by: string; readonly remembered: boolean } & CallInfo)
  | ({
      readonly type: 'tool_denied';
      readonly reason: string;
      readonly rule: RuleRef | undefined;
      readonly hook: string | undefined;
    } & CallInfo)
  | ({
      readonly type: 'tool_started';
      readonly rule: RuleRef | undefined;
      /** The args it runs with, after changes by hooks and people. */
      readonly args: JsonValue;
    } & CallInfo)
  | ({
      readonly type: 'tool_settled';
      readonly outcome: OutcomeType;
      readonly error: string | undefined;
      readonly elapsedMs: number;
    } & CallInfo)
  | ({ readonly type: 'tool_late'; readonly text: string } & CallInfo)
  | ({
      readonly type: 'rule_shadowed';
      readonly rule: RuleRef;
      readonly matched: boolean;
      /** The effect it would have had; undefined if it would not have applied. */
      readonly would: Effect | undefined;
      readonly problem: string | undefined;
    } & CallInfo)
  | {
      readonly type: 'hook_failed';
      readonly hook: string;
      readonly point: string;
      readonly kind: FailureKind;
      readonly message: string;
    }
  | { readonly type: 'journal_failed'; readonly message: string }
  | { readonly type: 'events_dropped'; readonly count: number }
  | { readonly type: 'custom'; readonly name: string; readonly data: JsonValue };

export type BridleEvent = EventHead & EventBody;
