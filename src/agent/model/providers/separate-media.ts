/** Moves media out of tool results, for providers that do not accept media there. */

import type { LanguageModelV4Message, LanguageModelV4Prompt, LanguageModelV4ToolResultPart } from '@ai-sdk/provider';
import type { LanguageModel } from './language-model.ts';

type ToolMessage = Extract<LanguageModelV4Message, { role: 'tool' }>;
type ResultItem = Extract<LanguageModelV4ToolResultPart['output'], { type: 'content' }>['value'][number];
type FileItem = Extract<ResultItem, { type: 'file' }>;

/** The providers known to accept media in tool results. Others send the bytes as text, which fills the context. */
const acceptsMediaInResults = /^bridle|^google|anthropic|bedrock|\.responses$/;

/** Moves the media of tool results into a separate message right after them, if the provider needs that. */
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
  const text = 'The media from the tool results above, in the same order:';
  return { role: 'user', content: [{ type: 'text', text }, ...files.map((file) => ({ ...file }))] };
}
