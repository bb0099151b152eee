/** How a turn that must outlive its process notes how far it got; turns that need not have none. */

import type { Prompt, RequestedCall, Usage } from '../hooks/payloads.ts';
import type { TurnPlace } from '../guard/turn.ts';
import type { JsonObject, JsonValue } from '../json.ts';
import type { ModelMessage, ResultPart } from './model-messages.ts';
import type { TurnStop } from './turn-result.ts';
import type { TurnWork } from './turn-work.ts';

/** A turn between two steps: JSON data, all of it. */
export interface TurnCheckpoint {
  readonly place: TurnPlace;
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
  readonly stopped: TurnStop | null;
}

export type CheckpointKind = 'entered' | 'answered' | 'begun' | 'settled';

export interface TurnLog {
  /** How far another process got with this turn. */
  readonly resumed: TurnCheckpoint | undefined;
  /** The conversation of the turn's agent, as another process left it. */
  readonly messages: readonly ModelMessage[];
  /** Keeps the turn as it is. Settles when it is kept; a turn that cannot be kept, or was let go, stops here. */
  keep(work: TurnWork, kind: CheckpointKind, name?: string): Promise<void>;
  /** The log of a subagent's turn, which is part of this one's. */
  child(callId: string): TurnLog;
  /** These calls go on where another process had left them. */
  goOn(work: TurnWork, callIds: readonly string[]): void;
}
