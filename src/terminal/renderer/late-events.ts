/**
 * Events of calls and hooks that finish after their timeout. They are shown at the end of a turn, never while somebody is
 * typing; those of a cancelled turn are not shown at all.
 */

import type { BridleEvent } from '../../kernel/hooks/points/events.ts';

export class LateEvents {
  private readonly cancelled = new Set<string>();
  private held: BridleEvent[] = [];

  /** Returns true if the event is held until {@link release}. */
  holdIfLate(event: BridleEvent): boolean {
    if (event.type === 'turn_ended' && event.stopReason === 'cancelled') this.cancelled.add(turnOf(event));
    const isLate = event.type === 'tool_late' || (event.type === 'hook_failed' && event.kind === 'late');
    if (isLate) this.held.push(event);
    return isLate;
  }

  /** The held events, without those of cancelled turns. */
  release(): readonly BridleEvent[] {
    const shown = this.held.filter((event) => !this.cancelled.has(turnOf(event)));
    this.held = [];
    return shown;
  }
}

function turnOf({ session, agent, turn }: BridleEvent): string {
  return JSON.stringify([session, agent, turn]);
}
