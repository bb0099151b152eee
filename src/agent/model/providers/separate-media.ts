/** Media in the results of tools, for models whose clients cannot take them there. */

import type { LanguageModelV4Message, LanguageModelV4Prompt, LanguageModelV4ToolResultPart } from '@ai-sdk/provider';
import type { LanguageModel } from './language-model.ts';

type ToolMessage = Extract<LanguageModelV4Message, { role: 'tool' }>;
type ResultItem = Extract<LanguageModelV4ToolResultPart['output'], { type: 'content' }>['value'][number];
type FileItem = Extract<ResultItem, { type: 'file' }>;

/** The clients known to send media inside a result. Others write the bytes out as text, and fill the context with them. */
const acceptsMediaInResults = /^bridle|^google|anthropic|bedrock|\.responses$/;

/** The prompt with media of tool results in a message of their own right after, where the model needs it so. */
export function separateMedia(
  model: Pick<LanguageModel, 'provider'>,
  prompt: LanguageModelV4Prompt,
): LanguageModelV4Prompt {
  if (acceptsMediaInResults.test(model.provider) || !prompt.some((message) => filesOf(message).length > 0))
    return prompt;
  return prompt.flatMap((message) => {
    const files = filesOf(message);
    return files.length === 0 ? message : [withoutFiles(message as ToolMessage), mediaMessage(files)];
  });
}

function filesOf(message: LanguageModelV4Message): readonly FileItem[] {
  if (message.role !== 'tool') return [];
  return message.content.flatMap((part) =>
    part.type === 'tool-result' && part.output.type === 'content' ? part.output.value.filter(isFile) : [],
  );
}

function isFile(item: ResultItem): item is FileItem {
  return item.type === 'file';
}

function withoutFiles(message: ToolMessage): ToolMessage {
  const content = message.content.map((part) => {
    if (part.type !== 'tool-result' || part.output.type !== 'content' || !part.output.value.some(isFile)) return part;
    const rest = part.output.value.filter((item) => !isFile(item));
    const texts = rest.flatMap((item) => (item.type === 'text' ? [item.text] : []));
    const output: LanguageModelV4ToolResultPart['output'] =
      texts.length === rest.length ? { type: 'text', value: texts.join('\n') } : { type: 'content', value: rest };
    return { ...part, output };
  });
  return { ...message, content };
}

function mediaMessage(files: readonly FileItem[]): LanguageModelV4Message {
  const text = 'The media that the results above speak of, in their order:';
  return { role: 'user', content: [{ type: 'text', text }, ...files.map((file) => ({ ...file }))] };
}
