/** What an agent's life looks like from outside: one union, in order, readonly. */

import type { OutcomeType, RuleRef } from '../call.ts';
import type { SessionId } from '../ids.ts';
import type { JsonValue } from '../json.ts';

/** Where and when an event happened. */
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

interface CallFacts {
  readonly callId: string;
  readonly tool: string;
  readonly server: string | undefined;
}

export type FailureKind = 'threw' | 'timeout' | 'malformed' | 'late';

export type EventBody =
  | { readonly type: 'session_started'; readonly resumed: boolean }
  | { readonly type: 'session_ended'; readonly reason: string }
  | { readonly type: 'turn_started' }
  | { readonly type: 'turn_ended' }
  | ({ readonly type: 'tool_requested'; readonly args: JsonValue } & CallFacts)
  | ({ readonly type: 'tool_asked'; readonly approvalId: string; readonly questions: readonly string[] } & CallFacts)
  | ({ readonly type: 'tool_approved'; readonly by: string; readonly remembered: boolean } & CallFacts)
  | ({
      readonly type: 'tool_denied';
      readonly reason: string;
      readonly rule: RuleRef | undefined;
      readonly hook: string | undefined;
    } & CallFacts)
  | ({ readonly type: 'tool_started'; readonly rule: RuleRef | undefined } & CallFacts)
  | ({
      readonly type: 'tool_settled';
      readonly outcome: OutcomeType;
      readonly error: string | undefined;
      readonly elapsedMs: number;
    } & CallFacts)
  | ({ readonly type: 'tool_late'; readonly text: string } & CallFacts)
  | ({
      readonly type: 'rule_shadowed';
      readonly rule: RuleRef;
      readonly matched: boolean;
      readonly problem: string | undefined;
    } & CallFacts)
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
