/** What is sent to a model, and what it answers. */

import type { Message, Usage } from '../../kernel/hooks/points/payloads.ts';
import type {
  AssistantPart,
  FilePart,
  LanguageModel,
  ModelCallOptions,
  ModelCallOptionsV3,
  ModelMessage,
  ModelPrompt,
  ModelUsage,
  ResultPart,
  StreamPart,
} from './model-interface.ts';

/**
 * The provider and the model id, such as `anthropic/claude-opus-5`. The API name is cut off: `openai.chat` becomes
 * `openai`.
 */
export function modelKeyOf(model: Pick<LanguageModel, 'provider' | 'modelId'>): string {
  return `${model.provider.split('.', 1)[0]}/${model.modelId}`;
}

/** True for an object that can be called as a model. */
export function isLanguageModel(value: unknown): value is LanguageModel {
  if (typeof value !== 'object' || value === null) return false;
  const { specificationVersion, doStream } = value as { specificationVersion?: unknown; doStream?: unknown };
  return (specificationVersion === 'v4' || specificationVersion === 'v3') && typeof doStream === 'function';
}

/** A tool call as the model wrote it. If the arguments are not JSON, `args` is their text. */
export interface WireCall {
  readonly id: string;
  readonly name: string;
  readonly args: unknown;
}

export interface ModelAnswer {
  readonly text: string;
  readonly thinking: string;
  readonly calls: readonly WireCall[];
  /** The content of the message for the history. */
  readonly content: AssistantPart[];
  readonly usage: Usage;
  readonly finishReason: string;
  /** The provider's id of the answer, if there is one. */
  readonly responseId: string | undefined;
}

export type DeltaType = 'text_delta' | 'thinking_delta';

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
  const opened =
    model.specificationVersion === 'v4'
      ? model.doStream(options)
      : model.doStream({ ...options, prompt: options.prompt.map(toV3Message) });
  return opened.then(({ stream }) => stream as ReadableStream<StreamPart>);
}

function toV3Message(message: ModelMessage): ModelCallOptionsV3['prompt'][number] {
  if (typeof message.content === 'string') return message;
  const hasFiles = message.content.some(({ type }) => type === 'file' || type === 'tool-result');
  return hasFiles ? { ...message, content: message.content.map(toV3Part) } : message;
}

function toV3Part(part: Exclude<ModelMessage['content'], string>[number]): unknown {
  if (part.type === 'file') return { ...part, data: rawData(part) };
  if (part.type === 'tool-result' && part.output.type === 'content') return { ...part, output: toV3Output(part) };
  return part;
}

function toV3Output({ output }: ResultPart): unknown {
  if (output.type !== 'content') return output;
  const value = output.value.map((item) =>
    item.type === 'file'
      ? { type: 'file-data', data: asBase64(rawData(item)), mediaType: item.mediaType, filename: item.filename }
      : item,
  );
  return { type: 'content', value };
}

function rawData({ data }: Pick<FilePart, 'data'>): unknown {
  return data.type === 'data' ? data.data : data.type === 'url' ? data.url : data;
}

function asBase64(data: unknown): unknown {
  return data instanceof Uint8Array ? Buffer.from(data).toString('base64') : data;
}

type ToolMessage = Extract<ModelMessage, { role: 'tool' }>;
type ResultItem = Extract<ResultPart['output'], { type: 'content' }>['value'][number];
type FileItem = Extract<ResultItem, { type: 'file' }>;

/** The providers known to accept media in tool results. Others send the bytes as text, which fills the context. */
const acceptsMediaInResults = /^bridle|^google|anthropic|bedrock|\.responses$/;

/** Moves the media of tool results into a separate message right after them, if the provider needs that. */
export function separateMedia(model: Pick<LanguageModel, 'provider'>, prompt: ModelPrompt): ModelPrompt {
  if (acceptsMediaInResults.test(model.provider) || !prompt.some((message) => filesOf(message).length > 0))
    return prompt;
  return prompt.flatMap((message) => {
    const files = filesOf(message);
    return files.length === 0 ? message : [withoutFiles(message as ToolMessage), mediaMessage(files)];
  });
}

function filesOf(message: ModelMessage): readonly FileItem[] {
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
    const output: ResultPart['output'] =
      texts.length === rest.length ? { type: 'text', value: texts.join('\n') } : { type: 'content', value: rest };
    return { ...part, output };
  });
  return { ...message, content };
}

function mediaMessage(files: readonly FileItem[]): ModelMessage {
  const text = 'The media from the tool results above, in the same order:';
  return { role: 'user', content: [{ type: 'text', text }, ...files.map((file) => ({ ...file }))] };
}

type FileData = FilePart['data'];

/** Encodes bytes as text so that the session can be saved. v3 models send data without a type tag. */
export function toBase64Data(data: FileData | string | Uint8Array): FileData {
  if (typeof data === 'string') return { type: 'data', data };
  if (data instanceof Uint8Array) return { type: 'data', data: Buffer.from(data).toString('base64') };
  return data.type === 'data' ? toBase64Data(data.data) : data;
}

/** Reads the usage that a model reports. Missing numbers count as 0. */
export function readUsage(usage: ModelUsage | undefined): Usage {
  const { inputTokens, outputTokens } = usage ?? {};
  return Object.freeze({
    inputTokens: tokenCount(inputTokens?.total),
    outputTokens: tokenCount(outputTokens?.total),
    cachedInputTokens: tokenCount(inputTokens?.cacheRead),
    cacheCreationTokens: tokenCount(inputTokens?.cacheWrite),
  });
}

function tokenCount(tokens: number | undefined): number {
  return typeof tokens === 'number' && Number.isFinite(tokens) && tokens > 0 ? tokens : 0;
}
