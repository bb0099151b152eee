/** Tools whose work is done by the host: a person who answers questions, and providers of the user. */

import { BridleError } from '../../kernel/errors.ts';
import type { Media, Question } from '../../kernel/hooks/points/payloads.ts';
import type { JsonObject, JsonValue } from '../../kernel/json.ts';
import type { ToolContext } from '../definition/runnable-tool.ts';

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

/** Generates an image with a service of your choice. */
export type ImageGenerator = (prompt: string, options: { readonly signal: AbortSignal }) => Promise<Media> | Media;

/** Searches the web with a service of your choice. Returns text or data. */
export type WebSearch = (query: string, options: { readonly signal: AbortSignal }) => Promise<JsonValue> | JsonValue;

export interface ToolProviders {
  /** Enables the tool `generate_image`. */
  readonly generateImage?: ImageGenerator | undefined;
  /** Enables the tool `search_web`. */
  readonly searchWeb?: WebSearch | undefined;
}

export function generateImage({ generateImage: generate }: ToolProviders) {
  if (generate === undefined) return undefined;
  return async ({ prompt }: { readonly prompt: string }, context: ToolContext): Promise<JsonValue> => {
    const media = await generate(prompt, { signal: context.signal });
    if (typeof media?.mediaType !== 'string' || !media.mediaType.startsWith('image/'))
      throw new BridleError('TOOL_FAILED', 'The provider did not return an image.');
    return { media_type: media.mediaType, media: context.attach(media) };
  };
}

export function searchWeb({ searchWeb: search }: ToolProviders) {
  if (search === undefined) return undefined;
  return ({ query }: { readonly query: string }, { signal }: ToolContext): unknown => search(query, { signal });
}
