/** What shows a conversation: events while they happen, then what came of the turn. */

import type { TurnResult } from '../agent/turn-result.ts';
import type { BridleEvent } from '../hooks/events.ts';

/** How a turn ended. */
export type TurnOutcome =
  | { readonly type: 'result'; readonly result: TurnResult }
  | { readonly type: 'failed'; readonly error: unknown };

export interface Renderer {
  event(event: BridleEvent): void;
  outcome(outcome: TurnOutcome): void;
  /** What a command of the user answers. */
  say(text: string): void;
  /** What is worth knowing and no part of the answer. */
  note(text: string): void;
  /** The session has ended. */
  finish(): void;
}
