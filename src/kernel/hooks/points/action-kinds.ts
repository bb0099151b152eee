/** The kinds of answer that points accept: how each is read, and how it affects the rest of the chain. */

import { cutText } from '../../json.ts';
import type { Limits } from '../../limits.ts';
import { isRecord } from '../../kind-of.ts';
import type {
  CancelQuestions,
  Confirm,
  ErrorMessage,
  GiveUp,
  Fallback,
  Hint,
  Recover,
  Reject,
  Replace,
  AnswerQuestions,
  RetryAfter,
  RetryWithFeedback,
  Summary,
  Transform,
} from './actions.ts';
import { isDecisionWord, describeAnswer } from './foreign-answers.ts';
import type { Payloads, Question, QuestionResponse } from './payloads.ts';
import {
  absentReader,
  anyReader,
  countReader,
  jsonReader,
  jsonObjectReader,
  optionalReader,
  ReadProblem,
  type ValueReader,
  recordReader,
  responsesReader,
  textReader,
  nonEmptyTextReader,
} from './value-readers.ts';

/**
 * How an answer affects the chain. `thread`: the next hook gets the new value. `settle`: the value is final, and only
 * gates still run. `stop`: the chain ends with a refusal. `note` and `merge`: collected, and the chain continues.
 * `first`: the first answer wins and ends the chain.
 */
type AnswerFlow = 'thread' | 'settle' | 'stop' | 'note' | 'merge' | 'first';

export interface AnswerKind<Action> {
  readonly flow: AnswerFlow;
  readonly read: (action: object, limits: Limits) => Action | ReadProblem;
  /** Why a well-formed action does not fit this payload. */
  payloadProblem?(action: Action, payload: unknown): string | undefined;
}

export interface AcceptedAnswers {
  readonly answers: Readonly<Record<string, AnswerKind<unknown>>>;
  /** True for a chain of observing hooks, which accepts no answers. */
  readonly observing: boolean;
}

/** The accepted kind that an answer belongs to, or a problem. */
export function answerKindOf(
  answer: unknown,
  accepting: AcceptedAnswers,
  replaced: boolean,
): AnswerKind<unknown> | ReadProblem {
  const { answers } = accepting;
  const type: unknown = isRecord(answer) ? (answer as { type?: unknown }).type : undefined;
  if (typeof type !== 'string') {
    return new ReadProblem(`answered ${describeAnswer(answer)}, which is not an action; ${advice(accepting)}`);
  }
  const found = Object.hasOwn(answers, type) ? answers[type] : undefined;
  if (found === undefined) return new ReadProblem(`answered "${cutText(type, 40)}"; ${advice(accepting, type)}`);
  if (replaced && found.flow !== 'stop' && found.flow !== 'note') {
    return new ReadProblem(`answered "${type}"; after a replace a gate may only reject or confirm`);
  }
  return found;
}

function advice({ answers, observing }: AcceptedAnswers, type?: string): string {
  if (observing) return 'a hook with `observes: true` must not answer';
  const names = Object.keys(answers);
  if (type !== undefined && (!isDecisionWord(type) || type === 'reject')) {
    return `this point accepts ${names.join(', ') || 'nothing'}`;
  }
  if (names.length === 0) return 'answer nothing';
  const others = names.filter((name) => name !== 'reject').join(', ');
  if (!names.includes('reject')) return `answer nothing, or one of ${others}`;
  return `answer nothing, or \`reject(reason)\`${others === '' ? '' : `; this point also accepts ${others}`}`;
}

/** Defines an answer by the readers of its fields other than `type`. */
function defineAnswer<Action extends { readonly type: string }>(
  type: Action['type'],
  flow: AnswerFlow,
  fields: { readonly [K in Exclude<keyof Action, 'type'>]-?: ValueReader<Action[K]> },
): AnswerKind<Action> {
  const shape = { type: () => type, ...fields } as unknown as Parameters<typeof recordReader<Action>>[0];
  return { flow, read: recordReader<Action>(shape) };
}

export const replaceAnswer = <V>(value: ValueReader<V>, flow: AnswerFlow = 'settle'): AnswerKind<Replace<V>> =>
  defineAnswer<Replace<V>>('replace', flow, { value });
export const changeAnswers = <V>(
  value: ValueReader<V>,
): { transform: AnswerKind<Transform<V>>; replace: AnswerKind<Replace<V>> } => ({
  transform: defineAnswer<Transform<V>>('transform', 'thread', { value }),
  replace: replaceAnswer(value),
});
export const rejectAnswer = defineAnswer<Reject>('reject', 'stop', { reason: nonEmptyTextReader });
export const confirmAnswer = defineAnswer<Confirm>('confirm', 'note', { question: nonEmptyTextReader });
export const retryWithFeedbackAnswer = defineAnswer<RetryWithFeedback>('retry', 'first', {
  feedback: nonEmptyTextReader,
  afterMs: absentReader,
});
export const retryAfterAnswer = defineAnswer<RetryAfter>('retry', 'first', {
  afterMs: optionalReader(countReader),
  feedback: absentReader,
});
export const fallbackAnswer = defineAnswer<Fallback>('fallback', 'first', { model: anyReader });
export const giveUpAnswer = defineAnswer<GiveUp>('fail', 'first', {});
export const recoverAnswer = defineAnswer<Recover>('recover', 'first', { value: jsonReader });
export const errorMessageAnswer = defineAnswer<ErrorMessage>('message', 'first', { text: nonEmptyTextReader });
export const responsesAnswer: AnswerKind<AnswerQuestions> = {
  ...defineAnswer<AnswerQuestions>('answer', 'first', { responses: responsesReader }),
  payloadProblem: ({ responses: given }: AnswerQuestions, { questions }: Payloads['onInteraction']) =>
    responsesProblem(questions, given),
};
export const cancelAnswer = defineAnswer<CancelQuestions>('cancel', 'first', {});
export const hintAnswer = defineAnswer<Hint>('hint', 'merge', { hint: jsonObjectReader });
export const summaryAnswer = defineAnswer<Summary>('summary', 'first', { text: textReader });

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
