/** The shapes of payload values that hooks may answer with, and prompts. */

import { utf8Length } from '../../json.ts';
import * as is from '../../shapes.ts';
import { Invalid, invalid, type Shape } from '../../shapes.ts';
import type {
  LlmRequest,
  LlmResponse,
  Media,
  Message,
  Prompt,
  QuestionResponse,
  TurnOutput,
  Usage,
} from './payloads.ts';

/** Bytes cannot be frozen, so they are copied: later changes by the hook have no effect. */
const textOrBytes: Shape<string | Uint8Array> = (value) => {
  if (typeof value === 'string') return value;
  return ArrayBuffer.isView(value) && value instanceof Uint8Array
    ? new Uint8Array(value)
    : invalid('is not text or bytes');
};

/** Limits the total size of a prompt while reading, so that reading stops as soon as it is too large. */
export const prompt: Shape<Prompt> = (value, limits) => {
  let left = limits.mediaBytes;
  const charged =
    <T extends string | Uint8Array | undefined>(shape: Shape<T>): Shape<T> =>
    (part) => {
      if (left < 0) return tooLarge;
      const read = shape(part, limits);
      if (read instanceof Invalid || read === undefined) return read;
      left -= sizeOf(read, left);
      return left < 0 ? tooLarge : read;
    };
  const tooLarge = invalid(`makes the prompt larger than ${limits.mediaBytes} bytes`);
  const media = is.list(
    is.record<Media>({
      mediaType: charged(is.nonEmptyText),
      data: charged(textOrBytes),
      name: charged(is.optional(is.nonEmptyText)),
    }),
  );
  const shape = is.record<Prompt>({
    text: charged(is.text),
    media: (given) => (given === undefined ? [] : media(given, limits)),
  });
  return shape(value, limits);
};

/** Size in bytes. For text that is too long in any case, the number of characters is enough. */
function sizeOf(data: string | Uint8Array, left: number): number {
  if (typeof data !== 'string') return data.byteLength;
  return data.length > left ? data.length : utf8Length(data.toWellFormed());
}

/** Each hook gets its own copy of the bytes, so it cannot change what other hooks and the model see. */
export function copyPrompt(given: Prompt): Prompt {
  if (!given.media.some(({ data }) => typeof data !== 'string')) return given;
  return Object.freeze({ ...given, media: Object.freeze(given.media.map(copyMedia)) });
}

function copyMedia(media: Media): Media {
  const { data } = media;
  return typeof data === 'string' ? media : Object.freeze({ ...media, data: new Uint8Array(data) });
}

const usage = is.record<Usage>({
  inputTokens: is.count,
  outputTokens: is.count,
  cachedInputTokens: is.count,
  cacheCreationTokens: is.count,
});

export const turnOutput = is.record<TurnOutput>({
  text: is.text,
  thinking: is.text,
  steps: is.count,
  usage,
  stopReason: is.nonEmptyText,
  // Hooks cannot set it.
  toolCalls: is.ignored,
});

const parts = is.list(
  is.that<{ readonly type: string }>(
    'a part with a type',
    (value) => typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string',
  ),
);

export const llmRequest = is.record<LlmRequest>({
  model: is.optional(is.text),
  messages: is.list(
    is.record<Message>({
      role: is.oneOf('system', 'user', 'assistant', 'tool'),
      content: (value, limits) => (typeof value === 'string' ? is.text(value, limits) : parts(value, limits)),
    }),
  ),
  tools: is.list(
    is.record({
      name: is.nonEmptyText,
      server: is.optional(is.nonEmptyText),
      description: is.optional(is.text),
      inputSchema: is.optional(is.any),
    }),
  ),
  settings: is.jsonObject,
});

export const llmResponse = is.record<LlmResponse>({
  text: is.text,
  thinking: is.text,
  toolCalls: is.list(
    is.record({ id: is.nonEmptyText, tool: is.nonEmptyText, server: is.optional(is.nonEmptyText), args: is.json }),
  ),
  usage,
  model: is.text,
  responseId: is.optional(is.text),
  finishReason: is.nonEmptyText,
});

export const responses = is.list(
  is.record<QuestionResponse>({
    selected: is.optional(is.list(is.count)),
    text: is.optional(is.text),
    skipped: is.optional(is.flag),
  }),
);
