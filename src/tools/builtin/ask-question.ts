import type { Question } from '../../kernel/hooks/points/payloads.ts';
import type { JsonObject, JsonValue } from '../../kernel/json.ts';
import type { ToolContext } from '../definition/runnable-tool.ts';
import { argsSchema, kib, seconds, type BuiltinToolSpec } from '../definition/builtin-tool-spec.ts';

const text = { type: 'string', minLength: 1, maxLength: 4000 };
const option = {
  type: 'object',
  properties: { text, description: { type: 'string', maxLength: 4000 } },
  required: ['text'],
  additionalProperties: false,
};
const question = {
  type: 'object',
  properties: {
    question: text,
    options: { type: 'array', items: option, maxItems: 20, description: 'The choices; none for free text.' },
    multi_select: { type: 'boolean', description: 'True if several options may be chosen.' },
  },
  required: ['question'],
  additionalProperties: false,
};

export const askQuestionTool: BuiltinToolSpec = {
  name: 'ask_question',
  description:
    'Asks the user one or more questions, with options to choose from or for free text, and waits for the answers. ' +
    'Use it when you cannot continue without a decision that only the user can make.',
  tier: 'observe',
  schema: argsSchema({ questions: { type: 'array', items: question, minItems: 1, maxItems: 10 } }, ['questions']),
  aliases: { names: ['ASK_QUESTION'] },
  grant: { timeoutMs: 86_400 * seconds, outputBytes: 64 * kib },
};

interface QuestionArgs extends Omit<Question, 'multiSelect'> {
  readonly multi_select?: boolean;
}

export async function askQuestion(
  { questions }: { readonly questions: readonly QuestionArgs[] },
  context: ToolContext,
): Promise<JsonValue> {
  const toAsk = questions.map(({ question, options, multi_select }) => ({
    question,
    options,
    multiSelect: multi_select,
  }));
  const interaction = await context.ask(toAsk);
  if (interaction.type !== 'answered') return { outcome: interaction.type };
  const answers = toAsk.map((question, index): JsonObject => {
    const { selected = [], text: answer, skipped } = interaction.responses[index] ?? { skipped: true };
    return {
      question: question.question,
      ...(selected.length > 0 && { selected: selected.map((at) => question.options?.[at]?.text ?? String(at)) }),
      ...(answer !== undefined && { text: answer }),
      ...(skipped === true && { skipped }),
    };
  });
  return { outcome: 'answered', answers };
}
