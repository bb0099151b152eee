/** Saves the state of a turn between two steps, and restores it. */

import type { Media, Prompt } from '../../../kernel/hooks/points/payloads.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../kernel/json.ts';
import type { Scope } from '../../../kernel/scope/scope.ts';
import type { LoggedTurn, TurnCheckpoint } from './turn-log.ts';
import type { TurnWork } from './turn-work.ts';

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

/** A turn in the form that its log needs. */
export function loggedTurnOf(work: TurnWork): LoggedTurn {
  return {
    position: turnPositionOf(work),
    checkpoint: () => checkpointOf(work),
    takeChanges: () => ({ ...work.agent.own.history.takeChanges(), settled: work.takeSettled() }),
    stop: (reason) => work.stop('waiting', reason),
  };
}

export function turnPositionOf({ turn: { number, step } }: TurnWork): LoggedTurn['position'] {
  return { number, step };
}

function checkpointOf(work: TurnWork): TurnCheckpoint {
  const { turn, text, thinking, steps, usage, finishReason, misfits, mark, compactedLength, calls } = work;
  return {
    place: turnPositionOf(work),
    scope: scopeContentsOf(turn.scope),
    prompt: toJsonPrompt(work.prompt),
    context: work.context ?? null,
    text,
    thinking,
    steps,
    usage,
    cost: work.cost ?? null,
    finishReason,
    data: work.data ?? null,
    problem: work.problem ?? null,
    misfits,
    mark,
    compactedLength,
    calls,
    pending: [...work.pending],
    results: [...work.results],
    begun: [...work.startedCalls],
    retaken: [...work.countedCalls].filter((id) => !work.startedCalls.has(id)).length,
    // A waiting turn has not ended, so it is not restored as stopped.
    stopped: work.stopped === undefined || work.stopped.stopReason === 'waiting' ? null : work.stopped,
  };
}

/** Restores a turn from a checkpoint. Its conversation is restored with its agent. */
export function restoreTurn(work: TurnWork, saved: TurnCheckpoint): void {
  for (const [key, value] of Object.entries(saved.scope)) work.turn.scope.set(key, value);
  work.prompt = saved.prompt;
  work.context = saved.context ?? undefined;
  work.text = saved.text;
  work.thinking = saved.thinking;
  work.steps = saved.steps;
  work.usage = saved.usage;
  work.cost = saved.cost ?? undefined;
  work.finishReason = saved.finishReason;
  work.data = saved.data ?? undefined;
  work.problem = saved.problem ?? undefined;
  work.misfits = saved.misfits;
  work.mark = saved.mark;
  work.compactedLength = saved.compactedLength;
  work.calls = saved.calls;
  work.stopped = saved.stopped ?? undefined;
  for (const [id, name] of saved.pending) work.pending.set(id, name);
  for (const [id, part] of saved.results) work.results.set(id, part);
  for (const id of saved.begun) work.startedCalls.add(id);
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
