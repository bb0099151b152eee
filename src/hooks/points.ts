/**
 * The life of an agent as one table: which points exist, which of them are gates, in which order their hooks run,
 * and what a hook may answer. Dispatch reads it and never asks which point it serves; the types of hooks derive from it.
 */

import { renamedLike } from '../catalog/arguments.ts';
import type { JsonObject, JsonValue } from '../json.ts';
import {
  type Answer,
  cancels,
  changes,
  confirms,
  fails,
  fallsBack,
  hints,
  recovers,
  rejects,
  replaceBy,
  responds,
  retriesAfter,
  retriesWithFeedback,
  summarises,
  tells,
} from './answers.ts';
import type { BridleEvent } from './events.ts';
import { lendPrompt } from './lend-prompt.ts';
import type { LlmRequest, LlmResponse, Payloads, Prompt, TurnOutput } from './payloads.ts';
import { json, jsonObject, llmRequest, llmResponse, prompt, turnOutput } from './reading.ts';

export interface AllPayloads extends Payloads {
  onEvent: BridleEvent;
}
export type PointName = keyof AllPayloads;

interface Point<Payload, Answers> {
  /** A failing hook closes a gate. */
  readonly gate: boolean;
  /** Hooks run last to first. */
  readonly reversed: boolean;
  /** The point accepts no reject, but a hook that refuses the value withholds it: the payload without the value. */
  readonly withheld: ((payload: Payload, message: string) => Payload) | undefined;
  readonly answers: Answers;
  /** The payload with the value an answer carries. */
  readonly write: (payload: Payload, value: never) => Payload;
  /** The payload as one hook gets it. */
  readonly lend: (payload: Payload) => Payload;
}

/** One function for all, so that calling it costs next to nothing. */
function asItIs<T>(payload: T): T {
  return payload;
}

/** Lends a payload with a prompt: each hook gets bytes of its own. */
function lendWith<Field extends string>(field: Field) {
  return <P extends { readonly [_ in Field]: Prompt }>(payload: P): P => {
    const lent = lendPrompt(payload[field]);
    return lent === payload[field] ? payload : Object.freeze({ ...payload, [field]: lent });
  };
}

function point<Name extends PointName>() {
  return <Answers extends Record<string, Answer<unknown>>>(spec: {
    gate?: boolean;
    reversed?: boolean;
    withheld?: (payload: AllPayloads[Name], message: string) => AllPayloads[Name];
    answers: Answers;
    write?: (payload: AllPayloads[Name], value: never) => AllPayloads[Name];
    lend?: (payload: AllPayloads[Name]) => AllPayloads[Name];
  }): Point<AllPayloads[Name], Answers> =>
    Object.freeze({
      gate: false,
      reversed: false,
      withheld: undefined,
      write: asItIs<AllPayloads[Name]>,
      lend: asItIs<AllPayloads[Name]>,
      ...spec,
    });
}

export const points = Object.freeze({
  onSessionStart: point<'onSessionStart'>()({ gate: true, answers: { reject: rejects } }),
  onSessionEnd: point<'onSessionEnd'>()({ reversed: true, answers: {} }),
  preTurn: point<'preTurn'>()({
    gate: true,
    answers: { ...changes(prompt), reject: rejects },
    write: (payload, value: Prompt) => ({ ...payload, prompt: value }),
    lend: lendWith('prompt'),
  }),
  postTurn: point<'postTurn'>()({
    reversed: true,
    answers: changes(turnOutput),
    write: ({ input, output: { toolCalls } }, output: TurnOutput) => ({
      input,
      output: Object.freeze({ ...output, toolCalls }),
    }),
    lend: lendWith('input'),
  }),
  onTurnError: point<'onTurnError'>()({
    answers: { replace: replaceBy(turnOutput, 'first') },
    lend: lendWith('input'),
  }),
  preLlmCall: point<'preLlmCall'>()({
    gate: true,
    answers: { ...changes(llmRequest), reject: rejects },
    write: (_payload, request: LlmRequest) => request,
  }),
  postLlmCall: point<'postLlmCall'>()({
    gate: true,
    reversed: true,
    answers: { ...changes(llmResponse), reject: rejects, retry: retriesWithFeedback },
    write: (_payload, response: LlmResponse) => ({ response }),
  }),
  onLlmError: point<'onLlmError'>()({ answers: { retry: retriesAfter, fallback: fallsBack, fail: fails } }),
  preToolCall: point<'preToolCall'>()({
    gate: true,
    answers: { ...changes(jsonObject), reject: rejects, confirm: confirms },
    write: (payload, args: JsonObject) => ({
      ...payload,
      call: Object.freeze({ ...payload.call, args: renamedLike(payload.call.args, args) }),
    }),
  }),
  postToolCall: point<'postToolCall'>()({
    reversed: true,
    answers: changes(json),
    write: (payload, result: JsonValue) => ({ ...payload, result }),
    withheld: (payload, message) => {
      const { tool, server, id: callId, step } = payload.call;
      const error = Object.freeze({ message, tool, server, callId, step, cause: undefined });
      return Object.freeze({ ...payload, result: message, outcome: Object.freeze({ type: 'error', error }) });
    },
  }),
  onToolError: point<'onToolError'>()({ answers: { recover: recovers, message: tells } }),
  onInteraction: point<'onInteraction'>()({ answers: { answer: responds, cancel: cancels } }),
  preCompaction: point<'preCompaction'>()({ answers: { hint: hints, summary: summarises, reject: rejects } }),
  postCompaction: point<'postCompaction'>()({ reversed: true, answers: {} }),
  onEvent: point<'onEvent'>()({ answers: {} }),
});

export const pointNames = Object.freeze(Object.keys(points)) as readonly PointName[];

type ActionOf<A> = A extends Answer<infer Action> ? Action : never;

/** Every action a hook may answer at a point. */
export type ActionAt<P extends PointName> = {
  [K in keyof (typeof points)[P]['answers']]: ActionOf<(typeof points)[P]['answers'][K]>;
}[keyof (typeof points)[P]['answers']];
