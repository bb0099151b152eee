/** What shows a conversation: events while they happen, then what came of the turn. */

import type { TurnResult } from '../../agent/turn/state/turn-result.ts';
import type { BridleEvent } from '../../kernel/hooks/points/events.ts';

/** How a turn ended. */
export type TurnOutcome =
  | { readonly type: 'result'; readonly result: TurnResult }
  | { readonly type: 'failed'; readonly error: unknown };

export interface Renderer {
  showEvent(event: BridleEvent): void;
  showOutcome(outcome: TurnOutcome): void;
  /** What a command of the user answers. */
  showReply(text: string): void;
  /** What is worth knowing and no part of the answer. */
  showNote(text: string): void;
  /** The session has ended. */
  finish(): void;
}
