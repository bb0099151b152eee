/**
 * The language-model interface of the AI SDK, as far as Bridle calls or implements it. These types are Bridle's own, so
 * that a user of Bridle installs no package for them. A type test compares them with those of `@ai-sdk/provider`.
 *
 * What Bridle sends and answers has exactly the form of version 4, so that its models work with the AI SDK. What it
 * accepts is open: a newer release of a provider may stream parts that Bridle does not know.
 */

/** Any model of the AI SDK that implements version 4 or 3 of its language-model interface. */
export type LanguageModel = ModelV4 | ModelV3;

interface ModelV4 extends ModelIdentity {
  readonly specificationVersion: 'v4';
  doStream(options: ModelCallOptions): PromiseLike<OpenedStream>;
}

/** Differs from version 4 in how prompts contain files. */
interface ModelV3 extends ModelIdentity {
  readonly specificationVersion: 'v3';
  doStream(options: ModelCallOptionsV3): PromiseLike<OpenedStream>;
}

interface ModelIdentity {
  readonly provider: string;
  readonly modelId: string;
}

interface OpenedStream {
  readonly stream: ReadableStream<{ readonly type: string }>;
}

export interface ModelCallOptionsV3 extends Omit<ModelCallOptions, 'prompt'> {
  readonly prompt: readonly { readonly role: ModelMessage['role']; readonly content: unknown }[];
}

/** A model that Bridle provides. The AI SDK can use it, too. */
export interface LanguageModelV4 extends ModelIdentity {
  readonly specificationVersion: 'v4';
  readonly supportedUrls: Record<string, RegExp[]>;
  doGenerate(options: ModelCallOptions): PromiseLike<GeneratedAnswer>;
  doStream(options: ModelCallOptions): PromiseLike<StreamedAnswer>;
}

/** One call of a model. */
export interface ModelCallOptions {
  prompt: ModelPrompt;
  tools?: (FunctionTool | ProviderTool)[];
  toolChoice?: { type: 'auto' } | { type: 'none' } | { type: 'required' } | { type: 'tool'; toolName: string };
  responseFormat?: { type: 'text' } | { type: 'json'; schema?: DraftSchema; name?: string; description?: string };
  maxOutputTokens?: number;
  temperature?: number;
  topP?: number;
  topK?: number;
  presencePenalty?: number;
  frequencyPenalty?: number;
  stopSequences?: string[];
  seed?: number;
  reasoning?: 'provider-default' | 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max';
  includeRawChunks?: boolean;
  abortSignal?: AbortSignal;
  headers?: Record<string, string | undefined>;
  providerOptions?: ProviderData;
}

/** Data of one provider or more, by provider. */
type ProviderData = Record<string, { [key: string]: ProviderValue | undefined }>;
type ProviderValue =
  | null
  | boolean
  | number
  | string
  | readonly ProviderValue[]
  | { readonly [key: string]: ProviderValue | undefined };

/** A tool that the caller runs. */
export interface FunctionTool {
  type: 'function';
  name: string;
  description?: string;
  inputSchema: DraftSchema;
  inputExamples?: { input: { [key: string]: ProviderValue | undefined } }[];
  strict?: boolean;
  providerOptions?: ProviderData;
}

/** A tool that the provider runs. */
interface ProviderTool {
  type: 'provider';
  id: `${string}.${string}`;
  name: string;
  args: Record<string, unknown>;
}

/** A JSON Schema of draft 7. Only its common keywords have a type here. */
interface DraftSchema {
  type?: SchemaType | SchemaType[] | undefined;
  title?: string | undefined;
  description?: string | undefined;
  properties?: Record<string, DraftSchema | boolean> | undefined;
  required?: string[] | undefined;
  additionalProperties?: DraftSchema | boolean | undefined;
  items?: DraftSchema | boolean | (DraftSchema | boolean)[] | undefined;
  enum?: SchemaValue[] | undefined;
  anyOf?: (DraftSchema | boolean)[] | undefined;
}
type SchemaType = 'string' | 'number' | 'integer' | 'boolean' | 'object' | 'array' | 'null';
type SchemaValue = null | boolean | number | string | SchemaValue[] | { [key: string]: SchemaValue };

export type ModelPrompt = ModelMessage[];

/** One message of the history, as it is sent to the model. */
export type ModelMessage = (
  | { role: 'system'; content: string }
  | { role: 'user'; content: (TextPart | FilePart)[] }
  | { role: 'assistant'; content: AssistantPart[] }
  | { role: 'tool'; content: (ResultPart | ApprovalPart)[] }
) & { providerOptions?: ProviderData };

export type AssistantPart =
  | TextPart
  | FilePart
  | ToolCallPart
  | ResultPart
  | (PromptPart & { type: 'reasoning'; text: string })
  | (PromptPart & { type: 'reasoning-file'; data: SentData; mediaType: string })
  | (PromptPart & { type: 'custom'; kind: `${string}.${string}` });

interface PromptPart {
  providerOptions?: ProviderData;
}

interface TextPart extends PromptPart {
  type: 'text';
  text: string;
}

export interface FilePart extends PromptPart {
  type: 'file';
  data: SentData | { type: 'reference'; reference: FileReference } | { type: 'text'; text: string };
  mediaType: string;
  filename?: string;
}

type SentData = { type: 'data'; data: Uint8Array | string } | { type: 'url'; url: URL; originalUrl?: string };
/** The id of an uploaded file, by provider. */
type FileReference = Record<string, string> & { type?: never };

interface ToolCallPart extends PromptPart {
  type: 'tool-call';
  toolCallId: string;
  toolName: string;
  input: unknown;
  providerExecuted?: boolean;
}

/** The result of one tool call, as it is sent to the model. */
export interface ResultPart extends PromptPart {
  type: 'tool-result';
  toolCallId: string;
  toolName: string;
  output: ResultOutput;
}

interface ApprovalPart extends PromptPart {
  type: 'tool-approval-response';
  approvalId: string;
  approved: boolean;
  reason?: string;
}

export type ResultOutput = PromptPart &
  (
    | { type: 'text'; value: string }
    | { type: 'error-text'; value: string }
    | { type: 'json'; value: ProviderValue }
    | { type: 'error-json'; value: ProviderValue }
    | { type: 'execution-denied'; reason?: string }
    | { type: 'content'; value: (TextPart | FilePart | (PromptPart & { type: 'custom' }))[] }
  );

/** A complete answer. */
export interface GeneratedAnswer {
  content: AnswerContent[];
  structuredOutputText?: string;
  finishReason: FinishReason;
  usage: ModelUsage;
  warnings: ModelWarning[];
  providerMetadata?: ProviderData;
  request?: { url?: string; body?: unknown };
  response?: ResponseMetadata & { headers?: Record<string, string>; body?: unknown };
}

/** An answer that is being streamed. */
export interface StreamedAnswer {
  stream: ReadableStream<StreamPart>;
  request?: { url?: string; body?: unknown };
  response?: { headers?: Record<string, string> };
}

export interface FinishReason {
  unified: 'stop' | 'length' | 'content-filter' | 'tool-calls' | 'error' | 'interrupted' | 'other';
  /** What the provider calls it. */
  raw: string | undefined;
}

export interface ModelUsage {
  inputTokens: TokenCounts<'total' | 'noCache' | 'cacheRead' | 'cacheWrite'>;
  outputTokens: TokenCounts<'total' | 'text' | 'reasoning'>;
  raw?: { [key: string]: ProviderValue | undefined };
}
type TokenCounts<Kind extends string> = Record<Kind, number | undefined>;

type ModelWarning =
  | { type: 'unsupported' | 'compatibility'; feature: string; details?: string }
  | { type: 'deprecated'; setting: string; message: string }
  | { type: 'other'; message: string };

interface ResponseMetadata {
  id?: string;
  timestamp?: Date;
  modelId?: string;
}

interface AnswerPart {
  providerMetadata?: ProviderData;
}

/** A part of a complete answer. */
export type AnswerContent =
  | (AnswerPart & { type: 'text'; text: string; citations?: Citation[] })
  | (AnswerPart & { type: 'reasoning'; text: string })
  | WholePart;

/** The parts that are the same in a stream and in a complete answer. */
type WholePart = AnswerPart &
  (
    | { type: 'custom'; kind: `${string}.${string}` }
    | { type: 'file'; mediaType: string; data: SentData }
    | { type: 'reasoning-file'; mediaType: string; data: SentData }
    | Source
    | {
        type: 'tool-call';
        toolCallId: string;
        toolName: string;
        input: string;
        providerExecuted?: boolean;
        dynamic?: boolean;
      }
    | {
        type: 'tool-result';
        toolCallId: string;
        toolName: string;
        result: NonNullable<ProviderValue>;
        isError?: boolean;
        preliminary?: boolean;
        dynamic?: boolean;
      }
    | { type: 'tool-approval-request'; approvalId: string; toolCallId: string }
  );

type Source = AnswerPart &
  (
    | { type: 'source'; sourceType: 'url'; id: string; url: string; title?: string }
    | { type: 'source'; sourceType: 'document'; id: string; mediaType: string; title: string; filename?: string }
  );

interface Citation {
  source: Source;
  startIndex?: number;
  endIndex?: number;
  citedText?: string;
}

/** A part of a streamed answer. */
export type StreamPart =
  | WholePart
  | (AnswerPart & { id: string } & (
        | { type: 'text-start' }
        | { type: 'text-delta'; delta: string }
        | { type: 'text-end'; citations?: Citation[] }
        | { type: 'reasoning-start' }
        | { type: 'reasoning-delta'; delta: string }
        | { type: 'reasoning-end' }
        | { type: 'tool-input-delta'; delta: string }
        | { type: 'tool-input-end' }
        | {
            type: 'tool-input-start';
            toolName: string;
            inputEncoding?: 'json' | 'text';
            providerExecuted?: boolean;
            dynamic?: boolean;
            title?: string;
          }
      ))
  | { type: 'stream-start'; warnings: ModelWarning[] }
  | ({ type: 'response-metadata' } & ResponseMetadata)
  | (AnswerPart & { type: 'finish'; usage: ModelUsage; finishReason: FinishReason })
  | { type: 'ping' }
  | { type: 'raw'; rawValue: unknown }
  | { type: 'error'; error: unknown };
