/**
 * News of calls and hooks that came after nobody waited for them any more. They are told at the end of a turn, never into
 * a line that somebody types on; and what a cancelled turn left behind is not told at all.
 */

import type { BridleEvent } from '../../kernel/hooks/points/events.ts';

export class LateEvents {
  private readonly cancelled = new Set<string>();
  private held: BridleEvent[] = [];

  /** True if the event is kept until {@link release}. */
  holdIfLate(event: BridleEvent): boolean {
    if (event.type === 'turn_ended' && event.stopReason === 'cancelled') this.cancelled.add(turnOf(event));
    const isLate = event.type === 'tool_late' || (event.type === 'hook_failed' && event.kind === 'late');
    if (isLate) this.held.push(event);
    return isLate;
  }

  /** What is to be told now. */
  release(): readonly BridleEvent[] {
    const told = this.held.filter((event) => !this.cancelled.has(turnOf(event)));
    this.held = [];
    return told;
  }
}

function turnOf({ session, agent, turn }: BridleEvent): string {
  return JSON.stringify([session, agent, turn]);
}
