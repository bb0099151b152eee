/** A turn as it is kept between two steps, and a turn that goes on from there. */

import type { Media, Prompt } from '../hooks/payloads.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts';
import type { Scope } from '../scope/scope.ts';
import type { LoggedTurn, TurnCheckpoint } from './turn-log.ts';
import type { TurnWork } from './turn-work.ts';

/** The prompt as JSON data: bytes become text. */
export function plainPrompt({ text, media }: Prompt): Prompt {
  return { text, media: media.map(plainMedia) };
}

function plainMedia({ mediaType, data, name }: Media): Media {
  const encoded = typeof data === 'string' ? data : Buffer.from(data).toString('base64');
  return name === undefined ? { mediaType, data: encoded } : { mediaType, data: encoded, name };
}

export function scopeContents(scope: Scope): JsonObject {
  return Object.fromEntries(scope.keys().map((key) => [key, scope.get(key) as JsonValue]));
}

/** A turn as its log sees it. */
export function logged(work: TurnWork): LoggedTurn {
  return {
    place: placeOf(work),
    checkpoint: () => checkpointOf(work),
    takeChanges: () => ({ ...work.actor.facts.history.takeChanges(), settled: work.takeSettled() }),
    stop: (why) => work.stop('waiting', why),
  };
}

export function placeOf({ turn: { number, step } }: TurnWork): LoggedTurn['place'] {
  return { number, step };
}

function checkpointOf(work: TurnWork): TurnCheckpoint {
  const { turn, text, thinking, steps, usage, finishReason, misfits, mark, compactedLength, calls } = work;
  return {
    place: placeOf(work),
    scope: scopeContents(turn.scope),
    prompt: plainPrompt(work.prompt),
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
    begun: [...work.begun],
    retaken: [...work.taken].filter((id) => !work.begun.has(id)).length,
    // A turn that waits has not ended: whoever goes on with it finds out for itself.
    stopped: work.stopped === undefined || work.stopped.stopReason === 'waiting' ? null : work.stopped,
  };
}

/** Puts a turn where it was when it was kept. Its conversation is restored with its agent. */
export function restoreTurn(work: TurnWork, kept: TurnCheckpoint): void {
  for (const [key, value] of Object.entries(kept.scope)) work.turn.scope.set(key, value);
  work.prompt = kept.prompt;
  work.context = kept.context ?? undefined;
  work.text = kept.text;
  work.thinking = kept.thinking;
  work.steps = kept.steps;
  work.usage = kept.usage;
  work.cost = kept.cost ?? undefined;
  work.finishReason = kept.finishReason;
  work.data = kept.data ?? undefined;
  work.problem = kept.problem ?? undefined;
  work.misfits = kept.misfits;
  work.mark = kept.mark;
  work.compactedLength = kept.compactedLength;
  work.calls = kept.calls;
  work.stopped = kept.stopped ?? undefined;
  for (const [id, name] of kept.pending) work.pending.set(id, name);
  for (const [id, part] of kept.results) work.results.set(id, part);
  for (const id of kept.begun) work.begun.add(id);
}

/** Why something is no checkpoint of this version. */
export function checkpointProblem(value: JsonValue | undefined): string | undefined {
  if (value === undefined || !isJsonObject(value)) return 'is no object';
  const { place, scope, prompt, calls, pending, results, begun } = value;
  const isWhole =
    [place, scope, prompt].every((each) => each !== undefined && isJsonObject(each)) &&
    [calls, pending, results, begun].every((each) => Array.isArray(each));
  return isWhole ? undefined : 'is not whole';
}
