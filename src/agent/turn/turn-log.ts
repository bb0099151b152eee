/**
 * The log of a durable turn, which saves checkpoints so that another process can resume it. Other turns have no log.
 */

import type { Media, Prompt, RequestedCall, TurnCall, Usage } from '../../kernel/hooks/points/payloads.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../kernel/json.ts';
import type { Scope } from '../../kernel/scope/scope.ts';
import type { TurnPosition } from '../../kernel/guard/turn.ts';
import type { ModelMessage, ResultPart } from '../model/model-interface.ts';
import type { TurnStop } from './turn-result.ts';

/** The state of a turn between two steps, as JSON data. */
export interface TurnCheckpoint {
  readonly place: TurnPosition;
  readonly scope: JsonObject;
  readonly prompt: Prompt;
  readonly context: ModelMessage | null;
  readonly text: string;
  readonly thinking: string;
  readonly steps: number;
  readonly usage: Usage;
  /** Null if a price is unknown. */
  readonly cost: number | null;
  readonly finishReason: string;
  readonly data: JsonValue | null;
  readonly problem: string | null;
  readonly misfits: number;
  readonly mark: number;
  readonly compactedLength: number;
  /** The calls of the last answer, in order; empty after the final answer. */
  readonly calls: readonly RequestedCall[];
  readonly pending: readonly (readonly [string, string])[];
  readonly results: readonly (readonly [string, ResultPart])[];
  /** Calls with side effects that have started and have no result. */
  readonly begun: readonly string[];
  /** How many counted calls will be repeated, and counted again, after a resume. */
  readonly retaken: number;
  readonly stopped: TurnStop | null;
}

/** A turn in the form that its log needs. */
export interface LoggedTurn {
  readonly position: TurnPosition;
  checkpoint(): TurnCheckpoint;
  /** The changes of the conversation since the last call: `messages` replaces everything from index `from`. */
  takeChanges(): {
    readonly from: number;
    readonly messages: readonly ModelMessage[];
    /** Tool calls that have ended since the last call. */
    readonly settled: readonly TurnCall[];
  };
  /** Stops the turn so that it can be resumed. */
  stop(reason: string): never;
}

/** `asked`: a call waits for approval. It is counted again when it is resumed. */
export type CheckpointKind = 'entered' | 'answered' | 'asked' | 'begun' | 'settled';

export interface TurnLog {
  /** The last checkpoint of this turn, if another process started it. */
  readonly resumed: TurnCheckpoint | undefined;
  /** The conversation that another process left. */
  readonly messages: readonly ModelMessage[];
  /** The tool calls that had ended in another process. */
  readonly settled: readonly TurnCall[];
  /** Saves the state of the turn. Stops the turn if it cannot be saved, or if the run was released. */
  saveCheckpoint(turn: LoggedTurn, kind: CheckpointKind, name?: string): Promise<void>;
  /** The log of a subagent's turn, which is part of this log. */
  child(position: TurnPosition, callId: string): TurnLog;
  /** Marks calls that continue where another process left them. */
  continueCalls(position: TurnPosition, callIds: readonly string[]): void;
}

/** The prompt as JSON data. Bytes become base64 text. */
export function toJsonPrompt({ text, media }: Prompt): Prompt {
  return { text, media: media.map(toJsonMedia) };
}

function toJsonMedia({ mediaType, data, name }: Media): Media {
  const encoded = typeof data === 'string' ? data : Buffer.from(data).toString('base64');
  return name === undefined ? { mediaType, data: encoded } : { mediaType, data: encoded, name };
}

export function scopeContentsOf(scope: Scope): JsonObject {
  return Object.fromEntries(scope.keys().map((key) => [key, scope.get(key) as JsonValue]));
}

/** Why a value is not a checkpoint of this version. */
export function checkpointProblem(value: JsonValue | undefined): string | undefined {
  if (value === undefined || !isJsonObject(value)) return 'is not an object';
  const { place, scope, prompt, calls, pending, results, begun } = value;
  const isComplete =
    [place, scope, prompt].every((each) => each !== undefined && isJsonObject(each)) &&
    [calls, pending, results, begun].every((each) => Array.isArray(each));
  return isComplete ? undefined : 'is incomplete';
}
