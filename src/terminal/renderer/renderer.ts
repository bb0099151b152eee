/** Shows a chat: events as they happen, then the outcome of each turn. */

import type { TurnResult } from '../../agent/turn/turn-result.ts';
import type { BridleEvent } from '../../kernel/hooks/points/events.ts';

/** How a turn ended. */
export type TurnOutcome =
  | { readonly type: 'result'; readonly result: TurnResult }
  | { readonly type: 'failed'; readonly error: unknown };

export interface Renderer {
  showEvent(event: BridleEvent): void;
  showOutcome(outcome: TurnOutcome): void;
  /** Shows the reply to a slash command. */
  showReply(text: string): void;
  /** Shows a note that is not part of the answer. */
  showNote(text: string): void;
  /** Whether every decision is shown with its rule, and every argument. Undefined if there is no choice. */
  details?: boolean;
  /** Shows the block that was folded last in full; false if there is none. */
  openFolded?(): boolean;
  /** Called when the session has ended. */
  finish(): void;
}
