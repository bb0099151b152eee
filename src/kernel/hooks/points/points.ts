/**
 * The lifecycle as one table: which points exist, which of them are gates, in which order their hooks run, and what a
 * hook may answer. Dispatch reads this table and has no special cases; the types of hooks derive from it.
 */

import { renameArgsLike } from '../../catalog/argument-aliases.ts';
import type { JsonObject, JsonValue } from '../../json.ts';
import {
  type AnswerKind,
  cancelAnswer,
  changeAnswers,
  confirmAnswer,
  giveUpAnswer,
  fallbackAnswer,
  hintAnswer,
  recoverAnswer,
  rejectAnswer,
  replaceAnswer,
  responsesAnswer,
  retryAfterAnswer,
  retryWithFeedbackAnswer,
  summaryAnswer,
  errorMessageAnswer,
} from './action-kinds.ts';
import type { BridleEvent } from './events.ts';
import { copyPrompt } from './copy-prompt.ts';
import type { LlmRequest, LlmResponse, Payloads, Prompt, TurnOutput } from './payloads.ts';
import {
  jsonReader,
  jsonObjectReader,
  llmRequestReader,
  llmResponseReader,
  promptReader,
  turnOutputReader,
} from './value-readers.ts';

export interface PointPayloads extends Payloads {
  onEvent: BridleEvent;
}
export type PointName = keyof PointPayloads;

interface PointDefinition<Payload, Answers> {
  /** True: a failing hook refuses the operation. */
  readonly gate: boolean;
  /** Hooks run last to first. */
  readonly reversed: boolean;
  /** For a point without `reject`: if a hook refuses the value anyway, this returns the payload without the value. */
  readonly withhold: ((payload: Payload, message: string) => Payload) | undefined;
  readonly answers: Answers;
  readonly write: (payload: Payload, value: never) => Payload;
  /** The copy of the payload that one hook gets. */
  readonly copyForHook: (payload: Payload) => Payload;
}

/** One shared function, so that engines can optimise the call. */
function unchanged<T>(payload: T): T {
  return payload;
}

/** Copies the bytes of the prompt in a payload, so that each hook gets its own. */
function copyPromptIn<Field extends string>(field: Field) {
  return <P extends { readonly [_ in Field]: Prompt }>(payload: P): P => {
    const copy = copyPrompt(payload[field]);
    return copy === payload[field] ? payload : Object.freeze({ ...payload, [field]: copy });
  };
}

function definePoint<Name extends PointName>() {
  return <Answers extends Record<string, AnswerKind<unknown>>>(spec: {
    gate?: boolean;
    reversed?: boolean;
    withhold?: (payload: PointPayloads[Name], message: string) => PointPayloads[Name];
    answers: Answers;
    write?: (payload: PointPayloads[Name], value: never) => PointPayloads[Name];
    copyForHook?: (payload: PointPayloads[Name]) => PointPayloads[Name];
  }): PointDefinition<PointPayloads[Name], Answers> =>
    Object.freeze({
      gate: false,
      reversed: false,
      withhold: undefined,
      write: unchanged<PointPayloads[Name]>,
      copyForHook: unchanged<PointPayloads[Name]>,
      ...spec,
    });
}

export const points = Object.freeze({
  onSessionStart: definePoint<'onSessionStart'>()({ gate: true, answers: { reject: rejectAnswer } }),
  onSessionEnd: definePoint<'onSessionEnd'>()({ reversed: true, answers: {} }),
  preTurn: definePoint<'preTurn'>()({
    gate: true,
    answers: { ...changeAnswers(promptReader), reject: rejectAnswer },
    write: (payload, value: Prompt) => ({ ...payload, prompt: value }),
    copyForHook: copyPromptIn('prompt'),
  }),
  postTurn: definePoint<'postTurn'>()({
    reversed: true,
    answers: changeAnswers(turnOutputReader),
    write: ({ input, output: { toolCalls } }, output: TurnOutput) => ({
      input,
      output: Object.freeze({ ...output, toolCalls }),
    }),
    copyForHook: copyPromptIn('input'),
  }),
  onTurnError: definePoint<'onTurnError'>()({
    answers: { replace: replaceAnswer(turnOutputReader, 'first') },
    copyForHook: copyPromptIn('input'),
  }),
  preLlmCall: definePoint<'preLlmCall'>()({
    gate: true,
    answers: { ...changeAnswers(llmRequestReader), reject: rejectAnswer },
    write: (_payload, request: LlmRequest) => request,
  }),
  postLlmCall: definePoint<'postLlmCall'>()({
    gate: true,
    reversed: true,
    answers: { ...changeAnswers(llmResponseReader), reject: rejectAnswer, retry: retryWithFeedbackAnswer },
    write: (_payload, response: LlmResponse) => ({ response }),
  }),
  onLlmError: definePoint<'onLlmError'>()({
    answers: { retry: retryAfterAnswer, fallback: fallbackAnswer, fail: giveUpAnswer },
  }),
  preToolCall: definePoint<'preToolCall'>()({
    gate: true,
    answers: { ...changeAnswers(jsonObjectReader), reject: rejectAnswer, confirm: confirmAnswer },
    write: (payload, args: JsonObject) => ({
      ...payload,
      call: Object.freeze({ ...payload.call, args: renameArgsLike(payload.call.args, args) }),
    }),
  }),
  postToolCall: definePoint<'postToolCall'>()({
    reversed: true,
    answers: changeAnswers(jsonReader),
    write: (payload, result: JsonValue) => ({ ...payload, result }),
    withhold: (payload, message) => {
      const { tool, server, id: callId, step } = payload.call;
      const error = Object.freeze({ message, tool, server, callId, step, cause: undefined });
      return Object.freeze({ ...payload, result: message, outcome: Object.freeze({ type: 'error', error }) });
    },
  }),
  onToolError: definePoint<'onToolError'>()({ answers: { recover: recoverAnswer, message: errorMessageAnswer } }),
  onInteraction: definePoint<'onInteraction'>()({ answers: { answer: responsesAnswer, cancel: cancelAnswer } }),
  preCompaction: definePoint<'preCompaction'>()({
    answers: { hint: hintAnswer, summary: summaryAnswer, reject: rejectAnswer },
  }),
  postCompaction: definePoint<'postCompaction'>()({ reversed: true, answers: {} }),
  onEvent: definePoint<'onEvent'>()({ answers: {} }),
});

export const pointNames = Object.freeze(Object.keys(points)) as readonly PointName[];

type ActionOf<A> = A extends AnswerKind<infer Action> ? Action : never;

/** Every action that a hook may answer at a point. */
export type ActionAt<P extends PointName> = {
  [K in keyof (typeof points)[P]['answers']]: ActionOf<(typeof points)[P]['answers'][K]>;
}[keyof (typeof points)[P]['answers']];
