import { BridleError } from '../../errors.ts';
import type { Question } from '../../hooks/points/payloads.ts';
import {
  booleanReader,
  listReader,
  optionalReader,
  ReadProblem,
  recordReader,
  nonEmptyTextReader,
} from '../../hooks/points/value-readers.ts';
import type { Limits } from '../../limits.ts';

const readQuestions = listReader(
  recordReader<Question>({
    question: nonEmptyTextReader,
    options: optionalReader(
      listReader(recordReader({ text: nonEmptyTextReader, description: optionalReader(nonEmptyTextReader) })),
    ),
    multiSelect: optionalReader(booleanReader),
  }),
);

export function checkQuestions(questions: unknown, limits: Limits): readonly Question[] {
  const read = readQuestions(questions, limits);
  const problem = read instanceof ReadProblem ? read.text : read.length === 0 ? 'is empty' : undefined;
  if (problem !== undefined) throw new BridleError('OPTION_INVALID', `the list of questions ${problem}`);
  return read as readonly Question[];
}
