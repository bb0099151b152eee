/** The kinds of answer a point can accept: how each is read, and what it does to the chain. */

import type { Limits } from '../limits.ts';
import type {
  Cancel,
  Confirm,
  ErrorMessage,
  Fail,
  Fallback,
  Hint,
  Recover,
  Reject,
  Replace,
  Respond,
  RetryAfter,
  RetryWithFeedback,
  Summary,
  Transform,
} from './actions.ts';
import {
  anything,
  json,
  jsonObject,
  milliseconds,
  optional,
  type Problem,
  type Reader,
  record,
  responses,
  text,
  words,
} from './reading.ts';

/**
 * What an answer does: `thread` hands a value to the next hook, `settle` fixes the value and leaves only the gates,
 * `stop` ends it with a refusal, `note` and `merge` are collected while the chain goes on, `first` wins and ends it.
 */
export type Flow = 'thread' | 'settle' | 'stop' | 'note' | 'merge' | 'first';

export interface Answer<Action> {
  readonly flow: Flow;
  readonly read: (action: object, limits: Limits) => Action | Problem;
}

/** Reads the fields of an action beside its `type`. */
function kind<Action extends { readonly type: string }>(
  type: Action['type'],
  flow: Flow,
  fields: { readonly [K in Exclude<keyof Action, 'type'>]-?: Reader<Action[K]> },
): Answer<Action> {
  const shape = { type: () => type, ...fields } as unknown as Parameters<typeof record<Action>>[0];
  return { flow, read: record<Action>(shape) };
}

export const transformTo = <V>(value: Reader<V>): Answer<Transform<V>> =>
  kind<Transform<V>>('transform', 'thread', { value });
export const replaceBy = <V>(value: Reader<V>): Answer<Replace<V>> => kind<Replace<V>>('replace', 'settle', { value });
export const rejects = kind<Reject>('reject', 'stop', { reason: words });
export const confirms = kind<Confirm>('confirm', 'note', { question: words });
export const retriesWithFeedback = kind<RetryWithFeedback>('retry', 'first', { feedback: words });
export const retriesAfter = kind<RetryAfter>('retry', 'first', { afterMs: optional(milliseconds) });
export const fallsBack = kind<Fallback>('fallback', 'first', { model: anything });
export const fails = kind<Fail>('fail', 'first', {});
export const recovers = kind<Recover>('recover', 'first', { value: json });
export const tells = kind<ErrorMessage>('message', 'first', { text: words });
export const responds = kind<Respond>('answer', 'first', { responses });
export const cancels = kind<Cancel>('cancel', 'first', {});
export const hints = kind<Hint>('hint', 'merge', { hint: jsonObject });
export const summarises = kind<Summary>('summary', 'first', { text });
