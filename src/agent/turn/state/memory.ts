/**
 * The interface of a memory: it adds context before a turn and observes the result. A failing memory never stops the
 * turn.
 */

import type { Prompt, TurnOutput } from '../../../kernel/hooks/points/payloads.ts';

export interface MemoryFacts {
  readonly session: string;
  readonly turn: number;
  readonly signal: AbortSignal;
}

export interface Memory {
  /** Returns context for the model in this turn. Called after `preTurn`. */
  preTurnContext?(prompt: Prompt, facts: MemoryFacts): string | undefined | Promise<string | undefined>;
  /** Observes the result of the turn. Called before `postTurn`. */
  postTurnObserve?(turn: { readonly input: Prompt; readonly output: TurnOutput }, facts: MemoryFacts): unknown;
}
