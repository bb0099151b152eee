import type { Mask } from '../approval.ts';
import type { OutcomeType } from '../call.ts';
import type { BridleEvent } from '../hooks/events.ts';
import type { Hook } from '../hooks/hook.ts';
import type { JsonValue } from '../json.ts';
import { maskSecrets } from '../masking/mask-secrets.ts';
import { callable, checkOptions, flag, hookOptions, type StockOptions } from './stock-options.ts';

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

/** One line of an audit. Every call is requested once, and then denied or settled. */
export type AuditRecord =
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
  /** So many events came while `write` was busy and are missing here. */
  | (AuditHead & { readonly type: 'dropped'; readonly count: number });

export interface AuditOptions extends StockOptions {
  /** Takes one record; the next comes when its promise has settled. */
  readonly write: (record: AuditRecord) => void | Promise<void>;
  /** True: records of requests hold the arguments. */
  readonly args?: boolean | undefined;
  /** Masks secrets in all of it: `maskSecrets()` if not given. */
  readonly mask?: Mask | undefined;
}

/** Writes down every tool call: requested, and then denied and why, or settled, how and after how long. */
export function audit(options: AuditOptions): Hook {
  checkOptions('audit', options, { checks: { write: callable, args: flag, mask: callable }, needed: ['write'] });
  const { write, args = false, mask = maskSecrets() } = options;
  return {
    ...hookOptions(options, { name: 'audit' }),
    onEvent(event) {
      const record = toRecord(event, args);
      return record === undefined ? undefined : write(mask(record));
    },
  };
}

function toRecord(event: BridleEvent, withArgs: boolean): AuditRecord | undefined {
  const { at, session, turn, step, agent } = event;
  const head = { at, session, turn, step, agent };
  if (event.type === 'events_dropped') return { type: 'dropped', ...head, count: event.count };
  if (event.type !== 'tool_requested' && event.type !== 'tool_denied' && event.type !== 'tool_settled')
    return undefined;
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
