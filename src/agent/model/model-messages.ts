/** The messages sent to a model, and opening the stream of its answer. */

import type {
  LanguageModelV3Prompt,
  LanguageModelV4CallOptions,
  LanguageModelV4FilePart,
  LanguageModelV4Message,
  LanguageModelV4StreamPart,
  LanguageModelV4ToolResultPart,
} from '@ai-sdk/provider';
import type { Message } from '../../kernel/hooks/points/payloads.ts';
import type { LanguageModel } from './providers/language-model.ts';

/** One message of the history, as it is sent to the model. */
export type ModelMessage = LanguageModelV4Message;

/** The result of one tool call, as it is sent to the model. */
export type ResultPart = Extract<Extract<ModelMessage, { role: 'tool' }>['content'][number], { type: 'tool-result' }>;

export type ModelCallOptions = LanguageModelV4CallOptions;
export type StreamPart = LanguageModelV4StreamPart;

/**
 * Converts messages to the form that models accept. Hooks and loops may write text where models need a list of parts.
 */
export function toPrompt(messages: readonly Message[]): ModelMessage[] {
  const given = messages as readonly unknown[] as readonly ModelMessage[];
  return given.map((message) => {
    const content: unknown = message.content;
    if ((typeof content === 'string') === (message.role === 'system')) return message;
    const converted = typeof content === 'string' ? [{ type: 'text', text: content }] : textOfParts(content);
    return { ...message, content: converted } as ModelMessage;
  });
}

function textOfParts(content: unknown): string {
  const parts = content as readonly { readonly text?: unknown }[];
  return parts.map(({ text }) => (typeof text === 'string' ? text : '')).join('\n');
}

/** Opens the stream of an answer. Interface versions v3 and v4 differ in how they represent files. */
export function openStream(model: LanguageModel, options: ModelCallOptions): PromiseLike<ReadableStream<StreamPart>> {
  if (model.specificationVersion === 'v4') return model.doStream(options).then(({ stream }) => stream);
  const v3Options = { ...options, prompt: options.prompt.map(toV3Message) as LanguageModelV3Prompt };
  const opened = model.doStream(v3Options);
  return opened.then(({ stream }) => stream as ReadableStream<StreamPart>);
}

function toV3Message(message: ModelMessage): unknown {
  if (typeof message.content === 'string') return message;
  const hasFiles = message.content.some(({ type }) => type === 'file' || type === 'tool-result');
  return hasFiles ? { ...message, content: message.content.map(toV3Part) } : message;
}

function toV3Part(part: Exclude<ModelMessage['content'], string>[number]): unknown {
  if (part.type === 'file') return { ...part, data: rawData(part) };
  if (part.type === 'tool-result' && part.output.type === 'content') return { ...part, output: toV3Output(part) };
  return part;
}

function toV3Output({ output }: LanguageModelV4ToolResultPart): unknown {
  if (output.type !== 'content') return output;
  const value = output.value.map((item) =>
    item.type === 'file'
      ? { type: 'file-data', data: asBase64(rawData(item)), mediaType: item.mediaType, filename: item.filename }
      : item,
  );
  return { type: 'content', value };
}

function rawData({ data }: Pick<LanguageModelV4FilePart, 'data'>): unknown {
  return data.type === 'data' ? data.data : data.type === 'url' ? data.url : data;
}

function asBase64(data: unknown): unknown {
  return data instanceof Uint8Array ? Buffer.from(data).toString('base64') : data;
}
