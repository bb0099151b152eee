/** How a turn that must outlive its process notes how far it got; turns that need not have none. */

import type { Prompt, RequestedCall, TurnCall, Usage } from '../../../kernel/hooks/points/payloads.ts';
import type { TurnPosition } from '../../../kernel/guard/turn.ts';
import type { JsonObject, JsonValue } from '../../../kernel/json.ts';
import type { ModelMessage, ResultPart } from '../../model/model-messages.ts';
import type { TurnStop } from './turn-result.ts';

/** A turn between two steps: JSON data, all of it. */
export interface TurnCheckpoint {
  readonly place: TurnPosition;
  readonly scope: JsonObject;
  readonly prompt: Prompt;
  readonly context: ModelMessage | null;
  readonly text: string;
  readonly thinking: string;
  readonly steps: number;
  readonly usage: Usage;
  /** Null where no price is known. */
  readonly cost: number | null;
  readonly finishReason: string;
  readonly data: JsonValue | null;
  readonly problem: string | null;
  readonly misfits: number;
  readonly mark: number;
  readonly compactedLength: number;
  /** The calls of the last answer, in its order; none if it was the last one of the turn. */
  readonly calls: readonly RequestedCall[];
  readonly pending: readonly (readonly [string, string])[];
  readonly results: readonly (readonly [string, ResultPart])[];
  /** Calls with side effects that have begun and have no result. */
  readonly begun: readonly string[];
  /** How many of the calls that were counted are asked for, and counted, again when the turn goes on. */
  readonly retaken: number;
  readonly stopped: TurnStop | null;
}

/** A turn, as far as whoever keeps it needs it. */
export interface LoggedTurn {
  readonly place: TurnPosition;
  checkpoint(): TurnCheckpoint;
  /** What has changed in the conversation since this was last asked: from this message on, these. */
  takeChanges(): {
    readonly from: number;
    readonly messages: readonly ModelMessage[];
    /** Tool calls that have ended since. */
    readonly settled: readonly TurnCall[];
  };
  /** Ends the turn here, to be gone on with. */
  stop(why: string): never;
}

/** `asked`: a call waits for an answer, and is not counted until it is asked for again. */
export type CheckpointKind = 'entered' | 'answered' | 'asked' | 'begun' | 'settled';

export interface TurnLog {
  /** How far another process got with this turn. */
  readonly resumed: TurnCheckpoint | undefined;
  /** The conversation of the turn's agent, as another process left it. */
  readonly messages: readonly ModelMessage[];
  /** The tool calls that had ended. */
  readonly settled: readonly TurnCall[];
  /** Keeps the turn as it is. Settles when it is kept; a turn that cannot be kept, or was let go, stops here. */
  saveCheckpoint(turn: LoggedTurn, kind: CheckpointKind, name?: string): Promise<void>;
  /** The log of a subagent's turn, which is part of this one's. */
  child(place: TurnPosition, callId: string): TurnLog;
  /** These calls go on where another process had left them. */
  continueCalls(place: TurnPosition, callIds: readonly string[]): void;
}
