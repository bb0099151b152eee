/** The actions a hook may answer: plain data, with one function to create each. */

import type { JsonObject, JsonValue } from '../../json.ts';
import type { QuestionResponse } from './payloads.ts';

/** Continue with this value; the next hook sees it. */
export type Transform<V> = { readonly type: 'transform'; readonly value: V };
/** Use this value as the final one. The remaining hooks are skipped, except gates. */
export type Replace<V> = { readonly type: 'replace'; readonly value: V };
/** Refuse the operation, with a reason. */
export type Reject = { readonly type: 'reject'; readonly reason: string };
/** Ask a person first. */
export type Confirm = { readonly type: 'confirm'; readonly question: string };
/** Call the model again, with feedback on what was wrong. */
export type RetryWithFeedback = { readonly type: 'retry'; readonly feedback: string; readonly afterMs?: undefined };
/** Call the model again, immediately or after a pause. */
export type RetryAfter = {
  readonly type: 'retry';
  readonly afterMs?: number | undefined;
  readonly feedback?: undefined;
};
/** Continue with another model. */
export type Fallback = { readonly type: 'fallback'; readonly model: unknown };
/** Stop retrying: the model call fails. */
export type GiveUp = { readonly type: 'fail' };
/** The tool failed; the model sees this value instead. */
export type Recover = { readonly type: 'recover'; readonly value: JsonValue };
/** The tool failed; the model sees this text as the error. */
export type ErrorMessage = { readonly type: 'message'; readonly text: string };
/** The responses to the questions, in the same order. */
export type AnswerQuestions = { readonly type: 'answer'; readonly responses: readonly QuestionResponse[] };
/** Withdraw the questions. */
export type CancelQuestions = { readonly type: 'cancel' };
/** A hint for the compaction. The hints of all hooks are merged. */
export type Hint = { readonly type: 'hint'; readonly hint: JsonObject };
/** Use this text as the summary. */
export type Summary = { readonly type: 'summary'; readonly text: string };

export const transform = <const V>(value: V): Transform<V> => ({ type: 'transform', value });
export const replace = <const V>(value: V): Replace<V> => ({ type: 'replace', value });
export const reject = (reason: string): Reject => ({ type: 'reject', reason });
export const confirm = (question: string): Confirm => ({ type: 'confirm', question });
export const fallback = (model: unknown): Fallback => ({ type: 'fallback', model });
export const giveUp = (): GiveUp => ({ type: 'fail' });
export const recover = (value: JsonValue): Recover => ({ type: 'recover', value });
export const errorMessage = (text: string): ErrorMessage => ({ type: 'message', text });
export const answerQuestions = (responses: readonly QuestionResponse[]): AnswerQuestions => ({
  type: 'answer',
  responses,
});
export const cancelQuestions = (): CancelQuestions => ({ type: 'cancel' });
export const summaryHint = (value: JsonObject): Hint => ({ type: 'hint', hint: value });
export const useSummary = (text: string): Summary => ({ type: 'summary', text });

/** With a string: feedback for the model (`postLlmCall`). With a number or nothing: a pause in ms (`onLlmError`). */
export function retry(feedback: string): RetryWithFeedback;
export function retry(afterMs?: number): RetryAfter;
export function retry(how?: string | number): RetryWithFeedback | RetryAfter {
  if (typeof how === 'string') return { type: 'retry', feedback: how };
  return how === undefined ? { type: 'retry' } : { type: 'retry', afterMs: how };
}
