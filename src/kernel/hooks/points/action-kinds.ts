/** The kinds of action that points accept: how each is read, and how it affects the rest of the chain. */

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
 * How an action affects the chain. `thread`: the next hook gets the new value. `settle`: the value is final, and only
 * gates still run. `stop`: the chain ends with a refusal. `note` and `merge`: collected, and the chain continues.
 * `first`: the first action wins and ends the chain.
 */
type ActionFlow = 'thread' | 'settle' | 'stop' | 'note' | 'merge' | 'first';

export interface ActionKind<Action> {
  readonly flow: ActionFlow;
  readonly read: (action: object, limits: Limits) => Action | ReadProblem;
  /** Why a well-formed action does not fit this payload. */
  payloadProblem?(action: Action, payload: unknown): string | undefined;
}

export interface AcceptedActions {
  readonly actions: Readonly<Record<string, ActionKind<unknown>>>;
  /** True for a chain of observing hooks, which accepts no actions. */
  readonly observing: boolean;
}

/** The accepted kind that an answer belongs to, or a problem. */
export function actionKindOf(
  answer: unknown,
  accepting: AcceptedActions,
  replaced: boolean,
): ActionKind<unknown> | ReadProblem {
  const { actions } = accepting;
  const type: unknown = isRecord(answer) ? (answer as { type?: unknown }).type : undefined;
  if (typeof type !== 'string') {
    return new ReadProblem(`answered ${describeAnswer(answer)}, which is not an action; ${advice(accepting)}`);
  }
  const found = Object.hasOwn(actions, type) ? actions[type] : undefined;
  if (found === undefined) return new ReadProblem(`answered "${cutText(type, 40)}"; ${advice(accepting, type)}`);
  if (replaced && found.flow !== 'stop' && found.flow !== 'note') {
    return new ReadProblem(`answered "${type}"; after a replace a gate may only reject or confirm`);
  }
  return found;
}

function advice({ actions, observing }: AcceptedActions, type?: string): string {
  if (observing) return 'a hook with `observes: true` must not answer';
  const names = Object.keys(actions);
  if (type !== undefined && (!isDecisionWord(type) || type === 'reject')) {
    return `this point accepts ${names.join(', ') || 'nothing'}`;
  }
  if (names.length === 0) return 'answer nothing';
  const others = names.filter((name) => name !== 'reject').join(', ');
  if (!names.includes('reject')) return `answer nothing, or one of ${others}`;
  return `answer nothing, or \`reject(reason)\`${others === '' ? '' : `; this point also accepts ${others}`}`;
}

/** Defines an action by the readers of its fields other than `type`. */
function defineAction<Action extends { readonly type: string }>(
  type: Action['type'],
  flow: ActionFlow,
  fields: { readonly [K in Exclude<keyof Action, 'type'>]-?: ValueReader<Action[K]> },
): ActionKind<Action> {
  const shape = { type: () => type, ...fields } as unknown as Parameters<typeof recordReader<Action>>[0];
  return { flow, read: recordReader<Action>(shape) };
}

export const replaceAction = <V>(value: ValueReader<V>, flow: ActionFlow = 'settle'): ActionKind<Replace<V>> =>
  defineAction<Replace<V>>('replace', flow, { value });
export const changeActions = <V>(
  value: ValueReader<V>,
): { transform: ActionKind<Transform<V>>; replace: ActionKind<Replace<V>> } => ({
  transform: defineAction<Transform<V>>('transform', 'thread', { value }),
  replace: replaceAction(value),
});
export const rejectAction = defineAction<Reject>('reject', 'stop', { reason: nonEmptyTextReader });
export const confirmAction = defineAction<Confirm>('confirm', 'note', { question: nonEmptyTextReader });
export const retryWithFeedbackAction = defineAction<RetryWithFeedback>('retry', 'first', {
  feedback: nonEmptyTextReader,
  afterMs: absentReader,
});
export const retryAfterAction = defineAction<RetryAfter>('retry', 'first', {
  afterMs: optionalReader(countReader),
  feedback: absentReader,
});
export const fallbackAction = defineAction<Fallback>('fallback', 'first', { model: anyReader });
export const giveUpAction = defineAction<GiveUp>('fail', 'first', {});
export const recoverAction = defineAction<Recover>('recover', 'first', { value: jsonReader });
export const errorMessageAction = defineAction<ErrorMessage>('message', 'first', { text: nonEmptyTextReader });
export const responsesAction: ActionKind<AnswerQuestions> = {
  ...defineAction<AnswerQuestions>('answer', 'first', { responses: responsesReader }),
  payloadProblem: ({ responses: given }: AnswerQuestions, { questions }: Payloads['onInteraction']) =>
    responsesProblem(questions, given),
};
export const cancelAction = defineAction<CancelQuestions>('cancel', 'first', {});
export const hintAction = defineAction<Hint>('hint', 'merge', { hint: jsonObjectReader });
export const summaryAction = defineAction<Summary>('summary', 'first', { text: textReader });

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
