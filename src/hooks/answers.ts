/** The kinds of answer a point can accept: how each is read, and what it does to the chain. */

import { cutText } from '../json.ts';
import type { Limits } from '../limits.ts';
import { isRecord } from '../kind-of.ts';
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
import { isDecision, showAnswer } from './foreign-answers.ts';
import type { Payloads, Question, QuestionResponse } from './payloads.ts';
import {
  absent,
  anything,
  count,
  json,
  jsonObject,
  optional,
  Problem,
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
type Flow = 'thread' | 'settle' | 'stop' | 'note' | 'merge' | 'first';

export interface Answer<Action> {
  readonly flow: Flow;
  readonly read: (action: object, limits: Limits) => Action | Problem;
  /** Why an action, though well-formed, is no answer to this payload. */
  misfit?(action: Action, payload: unknown): string | undefined;
}

/** The answers that a point accepts. */
export interface Accepting {
  readonly answers: Readonly<Record<string, Answer<unknown>>>;
  /** True for a chain of observing hooks, which accepts none. */
  readonly observing: boolean;
}

/** Which of the accepted kinds an answer is. */
export function kindOf(answer: unknown, accepting: Accepting, replaced: boolean): Answer<unknown> | Problem {
  const { answers } = accepting;
  const type: unknown = isRecord(answer) ? (answer as { type?: unknown }).type : undefined;
  if (typeof type !== 'string') {
    return new Problem(`answered ${showAnswer(answer)}, which is not an action; ${advice(accepting)}`);
  }
  const found = Object.hasOwn(answers, type) ? answers[type] : undefined;
  if (found === undefined) return new Problem(`answered "${cutText(type, 40)}"; ${advice(accepting, type)}`);
  if (replaced && found.flow !== 'stop' && found.flow !== 'note') {
    return new Problem(`answered "${type}"; after a replace a gate may only reject or confirm`);
  }
  return found;
}

/** Says what to answer instead. */
function advice({ answers, observing }: Accepting, type?: string): string {
  if (observing) return 'a hook with `observes: true` must not answer';
  const names = Object.keys(answers);
  if (type !== undefined && (!isDecision(type) || type === 'reject')) {
    return `this point accepts ${names.join(', ') || 'nothing'}`;
  }
  if (names.length === 0) return 'answer nothing';
  const others = names.filter((name) => name !== 'reject').join(', ');
  if (!names.includes('reject')) return `answer nothing, or one of ${others}`;
  return `answer nothing, or \`reject(reason)\`${others === '' ? '' : `; this point also accepts ${others}`}`;
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

export const replaceBy = <V>(value: Reader<V>, flow: Flow = 'settle'): Answer<Replace<V>> =>
  kind<Replace<V>>('replace', flow, { value });
/** The two ways to change a value. */
export const changes = <V>(value: Reader<V>): { transform: Answer<Transform<V>>; replace: Answer<Replace<V>> } => ({
  transform: kind<Transform<V>>('transform', 'thread', { value }),
  replace: replaceBy(value),
});
export const rejects = kind<Reject>('reject', 'stop', { reason: words });
export const confirms = kind<Confirm>('confirm', 'note', { question: words });
export const retriesWithFeedback = kind<RetryWithFeedback>('retry', 'first', { feedback: words, afterMs: absent });
export const retriesAfter = kind<RetryAfter>('retry', 'first', { afterMs: optional(count), feedback: absent });
export const fallsBack = kind<Fallback>('fallback', 'first', { model: anything });
export const fails = kind<Fail>('fail', 'first', {});
export const recovers = kind<Recover>('recover', 'first', { value: json });
export const tells = kind<ErrorMessage>('message', 'first', { text: words });
export const responds: Answer<Respond> = {
  ...kind<Respond>('answer', 'first', { responses }),
  misfit: ({ responses: given }: Respond, { questions }: Payloads['onInteraction']) =>
    responsesProblem(questions, given),
};
export const cancels = kind<Cancel>('cancel', 'first', {});
export const hints = kind<Hint>('hint', 'merge', { hint: jsonObject });
export const summarises = kind<Summary>('summary', 'first', { text });

function responsesProblem(questions: readonly Question[], given: readonly QuestionResponse[]): string | undefined {
  if (given.length !== questions.length) return `answered ${given.length} of ${questions.length} questions`;
  for (const [index, response] of given.entries()) {
    const { options = [], multiSelect } = questions[index] as Question;
    const selected = response.selected ?? [];
    const wrong = selected.find((each) => !Number.isInteger(each) || each >= options.length);
    if (wrong !== undefined) return `chose option ${wrong} of question ${index}, which has ${options.length}`;
    if (selected.length > 1 && multiSelect !== true)
      return `chose ${selected.length} options of question ${index}; one may be chosen`;
  }
  return undefined;
}
