/** Structured questions: whether they can be asked, and whether responses belong to them. */

import { BridleError } from '../errors.ts';
import type { Question, QuestionResponse } from '../hooks/payloads.ts';
import { flag, list, optional, Problem, record, words } from '../hooks/reading.ts';
import { defaultLimits } from '../limits.ts';

const readQuestions = list(
  record<Question>({
    question: words,
    options: optional(list(record({ text: words, description: optional(words) }))),
    multiSelect: optional(flag),
  }),
);

export function checkQuestions(questions: unknown): readonly Question[] {
  const read = readQuestions(questions, defaultLimits);
  const problem = read instanceof Problem ? read.text : read.length === 0 ? 'is empty' : undefined;
  if (problem !== undefined) throw new BridleError('OPTION_INVALID', `the list of questions ${problem}`);
  return read as readonly Question[];
}

export function responsesProblem(
  questions: readonly Question[],
  responses: readonly QuestionResponse[],
): string | undefined {
  if (responses.length !== questions.length) {
    return `answered ${responses.length} of ${questions.length} questions`;
  }
  for (const [index, response] of responses.entries()) {
    const { options = [], multiSelect } = questions[index] as Question;
    const selected = response.selected ?? [];
    const wrong = selected.find((each) => !Number.isInteger(each) || each >= options.length);
    if (wrong !== undefined) return `chose option ${wrong} of question ${index}, which has ${options.length}`;
    if (selected.length > 1 && multiSelect !== true)
      return `chose ${selected.length} options of question ${index}; one may be chosen`;
  }
  return undefined;
}
