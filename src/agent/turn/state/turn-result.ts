/** What comes of a turn. */

import type { TurnCall, TurnOutput } from '../../../kernel/hooks/points/payloads.ts';
import type { JsonValue } from '../../../kernel/json.ts';

/**
 * Why a turn ended. `budget:…` names the limit that was reached. A turn whose model failed does not end in a result
 * but in an error, unless an `onTurnError` hook replaced it.
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
  /** Only in runs: for an answer, or because the run was let go. It can be resumed. */
  | 'waiting'
  | `budget:${string}`;

export interface TurnResult<Data = JsonValue> extends TurnOutput {
  /** The tool calls of the turn, in the order in which they ended, each with its outcome. Secrets are masked. */
  readonly toolCalls: readonly TurnCall[];
  /** The number of the turn in its session. */
  readonly turn: number;
  /** What the answer says, where a schema was asked for and the answer fits it. */
  readonly data: Data | undefined;
  /** What is wrong with the answer, where it does not fit. */
  readonly problem: string | undefined;
  /** In US dollars; undefined where no price is known. */
  readonly cost: number | undefined;
}

/** The end of a turn before its core was done. */
export interface TurnStop {
  readonly stopReason: StopReason;
  readonly text: string;
}
