/** Memory: something that adds context before a turn and observes what came of it. Its failure never stops the turn. */

import type { Prompt, TurnOutput } from '../../../kernel/hooks/points/payloads.ts';

export interface MemoryFacts {
  readonly session: string;
  readonly turn: number;
  readonly signal: AbortSignal;
}

export interface Memory {
  /** What the model should know for this turn; called after `preTurn`. */
  preTurnContext?(prompt: Prompt, facts: MemoryFacts): string | undefined | Promise<string | undefined>;
  /** Sees what came of the turn; called before `postTurn`. */
  postTurnObserve?(turn: { readonly input: Prompt; readonly output: TurnOutput }, facts: MemoryFacts): unknown;
}
