/** Finds the first decision about each call in a journal, and the effect that the policy had at the time. */

import type { Effect } from '../../kernel/call.ts';
import type { DecidedEntry, JournalEntry } from '../../kernel/records/journal-entry.ts';

/** The maximum number of unfinished calls; the oldest are dropped first. */
const maxOpen = 10_000;
const closingStatuses: ReadonlySet<string> = new Set(['denied', 'refused', 'expired']);

export class FirstDecisions {
  private readonly open = new Set<string>();

  /** The entry, if it is the first decision about its call. */
  firstDecision(entry: JournalEntry): DecidedEntry | undefined {
    if (entry.kind === 'noted') return undefined;
    const key = JSON.stringify([entry.session, entry.call]);
    const isKnown = this.open.has(key);
    if (entry.kind === 'settled' || closingStatuses.has(entry.status)) this.open.delete(key);
    else this.open.add(key);
    const [oldest] = this.open;
    if (this.open.size > maxOpen && oldest !== undefined) this.open.delete(oldest);
    return entry.kind === 'decided' && !isKnown ? entry : undefined;
  }
}

/** Reasons that the engine gives for a deny by default. */
const defaultReasons =
  /^(?:Denied .{1,300}?: no rule (?:matches this call|certainly allows it)|No rule matches this call|It cannot be told whether a rule allows this call)/;
/** The reason for a deny because a rule asks and there is no approver. */
const noApproverReason = /^Denied .*, and there is nobody to ask\./s;

/** The recorded effect of the policy; `hook` or `otherwise` if something else refused the call. */
export function recordedEffect({ status, rule, hook, reason = '' }: DecidedEntry): Effect | 'hook' | 'otherwise' {
  if (hook !== undefined && rule === undefined) return 'hook';
  switch (status) {
    case 'allowed':
      return 'allow';
    case 'denied':
      if (rule !== undefined) return rule.effect === 'ask' || noApproverReason.test(reason) ? 'ask' : 'deny';
      return defaultReasons.test(reason) ? 'deny' : 'otherwise';
    case 'asked':
      return 'ask';
    case 'approved':
    case 'refused':
    case 'expired':
      // A remembered answer. If the rule allows, a hook asked.
      return rule?.effect === 'allow' ? 'allow' : 'ask';
    default:
      return status satisfies never;
  }
}
