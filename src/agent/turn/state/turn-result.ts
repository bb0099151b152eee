/** The result of a turn. */

import type { TurnCall, TurnOutput } from '../../../kernel/hooks/points/payloads.ts';
import type { JsonValue } from '../../../kernel/json.ts';

/**
 * Why a turn ended. `budget:…` names the limit that was reached. If the model fails, there is no result: the turn
 * throws, unless an `onTurnError` hook replaces the error.
 */
export type StopReason =
  | 'end'
  | 'finished'
  | 'cancelled'
  | 'rejected'
  | 'max_steps'
  | 'length'
  | 'content_filter'
  | 'schema_mismatch'
  /** Only in runs: the turn waits for an approval, or the run was released. It can be resumed. */
  | 'waiting'
  | `budget:${string}`;

export interface TurnResult<Data = JsonValue> extends TurnOutput {
  /** The tool calls of the turn, in the order in which they ended, each with its outcome. Secrets are masked. */
  readonly toolCalls: readonly TurnCall[];
  /** The number of the turn in its session. */
  readonly turn: number;
  /** The parsed answer, if a schema was requested and the answer matches it. */
  readonly data: Data | undefined;
  /** Why the answer does not match the schema, if it does not. */
  readonly problem: string | undefined;
  /** In US dollars; undefined if a price is unknown. */
  readonly cost: number | undefined;
}

/** Why and with which text a turn was stopped before its loop ended. */
export interface TurnStop {
  readonly stopReason: StopReason;
  readonly text: string;
}
