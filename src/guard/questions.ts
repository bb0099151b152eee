/** Structured questions: whether they can be asked. */

import { BridleError } from '../errors.ts';
import type { Question } from '../hooks/payloads.ts';
import { flag, list, optional, Problem, record, words } from '../hooks/reading.ts';
import type { Limits } from '../limits.ts';

const readQuestions = list(
  record<Question>({
    question: words,
    options: optional(list(record({ text: words, description: optional(words) }))),
    multiSelect: optional(flag),
  }),
);

export function checkQuestions(questions: unknown, limits: Limits): readonly Question[] {
  const read = readQuestions(questions, limits);
  const problem = read instanceof Problem ? read.text : read.length === 0 ? 'is empty' : undefined;
  if (problem !== undefined) throw new BridleError('OPTION_INVALID', `the list of questions ${problem}`);
  return read as readonly Question[];
}
