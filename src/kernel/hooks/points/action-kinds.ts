/** The kinds of action that points accept: how each is read, and how it affects the rest of the chain. */

import { isRecord } from '../../shapes.ts';
import { cutText } from '../../json.ts';
import type { Limits } from '../../limits.ts';
import type * as actions from './actions.ts';
import { isDecisionWord, describeAnswer } from './foreign-answers.ts';
import type { Payloads, Question, QuestionResponse } from './payloads.ts';
import * as is from '../../shapes.ts';
import type { Invalid, Shape } from '../../shapes.ts';
import { responses } from './payload-shapes.ts';

/**
 * How an action affects the chain. `thread`: the next hook gets the new value. `settle`: the value is final, and only
 * gates still run. `stop`: the chain ends with a refusal. `note` and `merge`: collected, and the chain continues.
 * `first`: the first action wins and ends the chain.
 */
type ActionFlow = 'thread' | 'settle' | 'stop' | 'note' | 'merge' | 'first';

export interface ActionKind<Action> {
  readonly flow: ActionFlow;
  readonly read: (action: object, limits: Limits) => Action | Invalid;
  /** Why a well-formed action does not fit this payload. */
  payloadProblem?(action: Action, payload: unknown): string | undefined;
}

export interface AcceptedActions {
  readonly actions: Readonly<Record<string, ActionKind<unknown>>>;
  /** True for a chain of observing hooks, which accepts no actions. */
  readonly observing: boolean;
}

/** The accepted kind that an answer belongs to, or why there is none. */
export function actionKindOf(
  answer: unknown,
  accepting: AcceptedActions,
  replaced: boolean,
): ActionKind<unknown> | string {
  const { actions } = accepting;
  const type: unknown = isRecord(answer) ? (answer as { type?: unknown }).type : undefined;
  if (typeof type !== 'string') {
    return `answered ${describeAnswer(answer)}, which is not an action; ${advice(accepting)}`;
  }
  const found = Object.hasOwn(actions, type) ? actions[type] : undefined;
  if (found === undefined) return `answered "${cutText(type, 40)}"; ${advice(accepting, type)}`;
  if (replaced && found.flow !== 'stop' && found.flow !== 'note') {
    return `answered "${type}"; after a replace a gate may only reject or confirm`;
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
  fields: { readonly [K in Exclude<keyof Action, 'type'>]-?: Shape<Action[K]> },
): ActionKind<Action> {
  const shape = { type: () => type, ...fields } as unknown as Parameters<typeof is.record<Action>>[0];
  return { flow, read: is.record<Action>(shape) };
}

export const replace = <V>(value: Shape<V>, flow: ActionFlow = 'settle'): ActionKind<actions.Replace<V>> =>
  defineAction<actions.Replace<V>>('replace', flow, { value });
export const change = <V>(
  value: Shape<V>,
): { transform: ActionKind<actions.Transform<V>>; replace: ActionKind<actions.Replace<V>> } => ({
  transform: defineAction<actions.Transform<V>>('transform', 'thread', { value }),
  replace: replace(value),
});
export const reject = defineAction<actions.Reject>('reject', 'stop', { reason: is.nonEmptyText });
export const confirm = defineAction<actions.Confirm>('confirm', 'note', { question: is.nonEmptyText });
export const retryWithFeedback = defineAction<actions.RetryWithFeedback>('retry', 'first', {
  feedback: is.nonEmptyText,
  afterMs: is.absent,
});
export const retryAfter = defineAction<actions.RetryAfter>('retry', 'first', {
  afterMs: is.optional(is.count),
  feedback: is.absent,
});
export const fallback = defineAction<actions.Fallback>('fallback', 'first', { model: is.any });
export const giveUp = defineAction<actions.GiveUp>('fail', 'first', {});
export const recover = defineAction<actions.Recover>('recover', 'first', { value: is.json });
export const errorMessage = defineAction<actions.ErrorMessage>('message', 'first', { text: is.nonEmptyText });
export const answer: ActionKind<actions.AnswerQuestions> = {
  ...defineAction<actions.AnswerQuestions>('answer', 'first', { responses }),
  payloadProblem: ({ responses: given }: actions.AnswerQuestions, { questions }: Payloads['onInteraction']) =>
    responsesProblem(questions, given),
};
export const cancel = defineAction<actions.CancelQuestions>('cancel', 'first', {});
export const hint = defineAction<actions.Hint>('hint', 'merge', { hint: is.jsonObject });
export const summary = defineAction<actions.Summary>('summary', 'first', { text: is.text });

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
