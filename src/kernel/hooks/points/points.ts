/**
 * The lifecycle as one table: which points exist, which of them are gates, in which order their hooks run, and what a
 * hook may answer. Dispatch reads this table and has no special cases; the types of hooks derive from it.
 */

import { renameArgsLike } from '../../catalog/read-call.ts';
import type { JsonObject, JsonValue } from '../../json.ts';
import type { ActionKind } from './action-kinds.ts';
import * as kinds from './action-kinds.ts';
import type { BridleEvent } from './events.ts';
import type { LlmRequest, LlmResponse, Payloads, Prompt, TurnOutput } from './payloads.ts';
import * as is from '../../shapes.ts';
import { copyPrompt, llmRequest, llmResponse, prompt, turnOutput } from './payload-shapes.ts';

export interface PointPayloads extends Payloads {
  onEvent: BridleEvent;
}
export type PointName = keyof PointPayloads;

interface PointDefinition<Payload, Actions> {
  /** True: a failing hook refuses the operation. */
  readonly gate: boolean;
  /** Hooks run last to first. */
  readonly reversed: boolean;
  /** For a point without `reject`: if a hook refuses the value anyway, this returns the payload without the value. */
  readonly withhold: ((payload: Payload, message: string) => Payload) | undefined;
  readonly actions: Actions;
  readonly write: (payload: Payload, value: never) => Payload;
  /** Copies the payload for each hook. Undefined: all hooks get the same payload. */
  readonly copyForHook: ((payload: Payload) => Payload) | undefined;
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
  return <Actions extends Record<string, ActionKind<unknown>>>(spec: {
    gate?: boolean;
    reversed?: boolean;
    withhold?: (payload: PointPayloads[Name], message: string) => PointPayloads[Name];
    actions: Actions;
    write?: (payload: PointPayloads[Name], value: never) => PointPayloads[Name];
    copyForHook?: (payload: PointPayloads[Name]) => PointPayloads[Name];
  }): PointDefinition<PointPayloads[Name], Actions> =>
    Object.freeze({
      gate: false,
      reversed: false,
      withhold: undefined,
      write: unchanged<PointPayloads[Name]>,
      copyForHook: undefined,
      ...spec,
    });
}

export const points = Object.freeze({
  onSessionStart: definePoint<'onSessionStart'>()({ gate: true, actions: { reject: kinds.reject } }),
  onSessionEnd: definePoint<'onSessionEnd'>()({ reversed: true, actions: {} }),
  preTurn: definePoint<'preTurn'>()({
    gate: true,
    actions: { ...kinds.change(prompt), reject: kinds.reject },
    write: (payload, value: Prompt) => ({ ...payload, prompt: value }),
    copyForHook: copyPromptIn('prompt'),
  }),
  postTurn: definePoint<'postTurn'>()({
    reversed: true,
    actions: kinds.change(turnOutput),
    write: ({ input, output: { toolCalls } }, output: TurnOutput) => ({
      input,
      output: Object.freeze({ ...output, toolCalls }),
    }),
    copyForHook: copyPromptIn('input'),
  }),
  onTurnError: definePoint<'onTurnError'>()({
    actions: { replace: kinds.replace(turnOutput, 'first') },
    copyForHook: copyPromptIn('input'),
  }),
  preLlmCall: definePoint<'preLlmCall'>()({
    gate: true,
    actions: { ...kinds.change(llmRequest), reject: kinds.reject },
    write: (_payload, request: LlmRequest) => request,
  }),
  postLlmCall: definePoint<'postLlmCall'>()({
    gate: true,
    reversed: true,
    actions: { ...kinds.change(llmResponse), reject: kinds.reject, retry: kinds.retryWithFeedback },
    write: (_payload, response: LlmResponse) => ({ response }),
  }),
  onLlmError: definePoint<'onLlmError'>()({
    actions: { retry: kinds.retryAfter, fallback: kinds.fallback, fail: kinds.giveUp },
  }),
  preToolCall: definePoint<'preToolCall'>()({
    gate: true,
    actions: { ...kinds.change(is.jsonObject), reject: kinds.reject, confirm: kinds.confirm },
    write: (payload, args: JsonObject) => ({
      ...payload,
      call: Object.freeze({ ...payload.call, args: renameArgsLike(payload.call.args, args) }),
    }),
  }),
  postToolCall: definePoint<'postToolCall'>()({
    reversed: true,
    actions: kinds.change(is.json),
    write: (payload, result: JsonValue) => ({ ...payload, result }),
    withhold: (payload, message) => {
      const { tool, server, id: callId, step } = payload.call;
      const error = Object.freeze({ message, tool, server, callId, step, cause: undefined });
      return Object.freeze({ ...payload, result: message, outcome: Object.freeze({ type: 'error', error }) });
    },
  }),
  onToolError: definePoint<'onToolError'>()({ actions: { recover: kinds.recover, message: kinds.errorMessage } }),
  onInteraction: definePoint<'onInteraction'>()({ actions: { answer: kinds.answer, cancel: kinds.cancel } }),
  preCompaction: definePoint<'preCompaction'>()({
    actions: { hint: kinds.hint, summary: kinds.summary, reject: kinds.reject },
  }),
  postCompaction: definePoint<'postCompaction'>()({ reversed: true, actions: {} }),
  onEvent: definePoint<'onEvent'>()({ actions: {} }),
});

export const pointNames = Object.freeze(Object.keys(points)) as readonly PointName[];

type ActionOf<A> = A extends ActionKind<infer Action> ? Action : never;

/** Every action that a hook may answer at a point. */
export type ActionAt<P extends PointName> = {
  [K in keyof (typeof points)[P]['actions']]: ActionOf<(typeof points)[P]['actions'][K]>;
}[keyof (typeof points)[P]['actions']];
