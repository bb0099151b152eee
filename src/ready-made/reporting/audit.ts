import type { Mask } from '../../kernel/approval.ts';
import type { OutcomeType } from '../../kernel/call.ts';
import type { BridleEvent } from '../../kernel/hooks/points/events.ts';
import type { Hook } from '../../kernel/hooks/registration/hook.ts';
import type { TurnOrigin, Usage } from '../../kernel/hooks/points/payloads.ts';
import type { JsonValue } from '../../kernel/json.ts';
import { maskSecrets } from '../../redact/mask-secrets.ts';
import { awaitWrite } from '../options/await-write.ts';
import { checkHookOptions, hookSettings, type ReadyMadeOptions } from '../options/ready-made-options.ts';
import * as is from '../../kernel/shapes.ts';

interface AuditHead {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly session: string;
  readonly turn: number;
  readonly step: number;
  readonly agent: readonly string[];
}

interface AuditedCall extends AuditHead {
  readonly callId: string;
  readonly tool: string;
  readonly server: string | undefined;
}

/** Error events outside a tool call. */
type ErrorEvent = Extract<
  BridleEvent,
  {
    readonly type:
      | 'llm_failed'
      | 'hook_failed'
      | 'journal_failed'
      | 'policy_failed'
      | 'memory_failed'
      | 'session_unsaved'
      | 'trigger_failed'
      | 'server_status';
  }
>;

/** One record of an audit. Every turn starts and ends; every call is requested once, and then denied or settled. */
export type AuditRecord =
  | (AuditHead & { readonly type: 'turn_started'; readonly origin: TurnOrigin })
  | (AuditHead & {
      readonly type: 'turn_ended';
      readonly stopReason: string | undefined;
      readonly error: string | undefined;
      readonly usage: Usage | undefined;
    })
  /** An error outside a tool call: of a model, a hook, the journal, a server. */
  | (AuditHead & {
      readonly type: 'failed';
      readonly success: false;
      /** The event that reported it. */
      readonly event: ErrorEvent['type'];
      readonly error: string;
    })
  | (AuditedCall & { readonly type: 'requested'; readonly args?: JsonValue })
  | (AuditedCall & {
      readonly type: 'denied';
      readonly success: false;
      readonly reason: string;
      readonly rule: string | undefined;
      readonly hook: string | undefined;
    })
  | (AuditedCall & {
      readonly type: 'settled';
      /** True for `ok` and `recovered`. */
      readonly success: boolean;
      readonly outcome: OutcomeType;
      readonly error: string | undefined;
      readonly elapsedMs: number;
    })
  /** The number of events that were dropped while `write` was busy. */
  | (AuditHead & { readonly type: 'dropped'; readonly count: number });

export interface AuditOptions extends ReadyMadeOptions {
  /** Writes one record. The next one follows when its promise has settled. */
  readonly write: (record: AuditRecord) => void | Promise<void>;
  /** True: `requested` records include the arguments. */
  readonly args?: boolean | undefined;
  /** Masks secrets in all records. Default: `maskSecrets()`. */
  readonly mask?: Mask | undefined;
}

/**
 * Records every turn, every error, and every tool call: when it is requested, and when it is denied (with the reason)
 * or settled (with outcome and duration). It only observes. Use the journal to guarantee that nothing runs unrecorded.
 */
export function audit(options: AuditOptions): Hook {
  checkHookOptions('audit', options, {
    shapes: { write: is.func, args: is.flag, mask: is.func },
    needed: ['write'],
  });
  const { write, args = false, mask = maskSecrets() } = options;
  return {
    ...hookSettings(options, { name: 'audit', observes: true }),
    onEvent(event) {
      const record = toRecord(event, args);
      return record === undefined ? undefined : awaitWrite(write(mask(record)));
    },
  };
}

function toRecord(event: BridleEvent, withArgs: boolean): AuditRecord | undefined {
  const { at, session, turn, step, agent } = event;
  const head = { at, session, turn, step, agent };
  switch (event.type) {
    case 'events_dropped':
      return { type: 'dropped', ...head, count: event.count };
    case 'turn_started':
      return { type: 'turn_started', ...head, origin: event.origin };
    case 'turn_ended': {
      const { stopReason, error, usage } = event;
      return { type: 'turn_ended', ...head, stopReason, error, usage };
    }
    case 'tool_requested':
    case 'tool_denied':
    case 'tool_settled':
      return callRecord(event, head, withArgs);
    default:
      return errorRecord(event, head);
  }
}

type CallEvent = Extract<BridleEvent, { readonly type: 'tool_requested' | 'tool_denied' | 'tool_settled' }>;

function callRecord(event: CallEvent, head: AuditHead, withArgs: boolean): AuditRecord {
  const { callId, tool, server } = event;
  const call = { ...head, callId, tool, server };
  switch (event.type) {
    case 'tool_requested':
      return { type: 'requested', ...call, ...(withArgs && { args: event.args }) };
    case 'tool_denied': {
      const { reason, rule, hook } = event;
      return { type: 'denied', ...call, success: false, reason, rule: rule?.name, hook };
    }
    case 'tool_settled': {
      const { outcome, error, elapsedMs } = event;
      const success = outcome === 'ok' || outcome === 'recovered';
      return { type: 'settled', ...call, success, outcome, error, elapsedMs };
    }
    default:
      return event satisfies never;
  }
}

function errorRecord(event: BridleEvent, head: AuditHead): AuditRecord | undefined {
  const failed = (of: ErrorEvent, error: string): AuditRecord => ({
    type: 'failed',
    ...head,
    success: false,
    event: of.type,
    error,
  });
  switch (event.type) {
    case 'llm_failed':
      return failed(event, `${event.model}, attempt ${event.attempt}: ${event.error}`);
    case 'hook_failed':
      return failed(event, `hook "${event.hook}" at ${event.point}: ${event.message}`);
    case 'trigger_failed':
      return failed(event, `trigger "${event.trigger}": ${event.message}`);
    case 'server_status': {
      const { server, status, message } = event;
      return status === 'failed' || status === 'lost'
        ? failed(event, `server "${server}" ${status}: ${message}`)
        : undefined;
    }
    case 'journal_failed':
    case 'policy_failed':
    case 'memory_failed':
    case 'session_unsaved':
      return failed(event, event.message);
    default:
      return undefined;
  }
}
