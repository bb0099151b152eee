/** Prompts: text, optionally with images, documents, audio and video from bytes or files. */

import { readFile as readBytes, stat } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import { BridleError } from '../../kernel/errors.ts';
import type { Media, Prompt } from '../../kernel/hooks/points/payloads.ts';
import type { Limits } from '../../kernel/limits.ts';

/** Media from a file, as bytes, or as base64 text. */
export type MediaInput =
  | { readonly type: 'file'; readonly path: string; readonly mediaType?: string | undefined }
  | {
      readonly type: 'media';
      readonly mediaType: string;
      readonly data: string | Uint8Array;
      readonly name?: string | undefined;
    };

export type PromptPart = string | MediaInput;

/** A text, or a list of texts and media. */
export type PromptInput = string | readonly PromptPart[];

/** Supported media types by file extension. */
const mediaTypes: ReadonlyMap<string, string> = new Map([
  ['.png', 'image/png'],
  ['.jpg', 'image/jpeg'],
  ['.jpeg', 'image/jpeg'],
  ['.gif', 'image/gif'],
  ['.webp', 'image/webp'],
  ['.pdf', 'application/pdf'],
  ['.txt', 'text/plain'],
  ['.md', 'text/markdown'],
  ['.csv', 'text/csv'],
  ['.html', 'text/html'],
  ['.json', 'application/json'],
  ['.mp3', 'audio/mpeg'],
  ['.wav', 'audio/wav'],
  ['.ogg', 'audio/ogg'],
  ['.flac', 'audio/flac'],
  ['.m4a', 'audio/mp4'],
  ['.mp4', 'video/mp4'],
  ['.webm', 'video/webm'],
  ['.mov', 'video/quicktime'],
]);
/** The media types that may be sent to models. */
export const allowedMedia: ReadonlySet<string> = new Set(mediaTypes.values());

/** Reads a prompt and its files, before any hook runs. Throws if the prompt is empty. */
export async function readPrompt(input: PromptInput, limits: Limits): Promise<Prompt> {
  if (typeof input === 'string') {
    if (input.trim() === '') throw new BridleError('PROMPT_INVALID', 'the prompt is empty');
    return Object.freeze({ text: input, media: Object.freeze([]) });
  }
  if (!Array.isArray(input) || input.length === 0) {
    throw new BridleError('PROMPT_INVALID', 'the prompt must be a string, or a non-empty list of strings and media');
  }
  const texts: string[] = [];
  const media: Media[] = [];
  for (const part of input as readonly PromptPart[]) {
    if (typeof part === 'string') texts.push(part);
    else media.push(await readMedia(part, limits));
  }
  const text = texts.join('\n');
  if (text.trim() === '' && media.length === 0) throw new BridleError('PROMPT_INVALID', 'the prompt is empty');
  return Object.freeze({ text, media: Object.freeze(media) });
}

async function readMedia(part: MediaInput, limits: Limits): Promise<Media> {
  switch (part?.type) {
    case 'media':
      return checkMedia({ mediaType: part.mediaType, data: part.data, name: part.name });
    case 'file': {
      if (typeof part.path !== 'string') throw new BridleError('PROMPT_INVALID', 'the path of a file must be a string');
      const mediaType = part.mediaType ?? mediaTypes.get(extname(part.path).toLowerCase());
      const name = basename(part.path);
      if (mediaType === undefined) {
        throw new BridleError('PROMPT_INVALID', `the media type of "${name}" is unknown: set mediaType`);
      }
      return checkMedia({ mediaType, data: await readFile(part.path, limits), name });
    }
    default:
      throw new BridleError('PROMPT_INVALID', 'a part of the prompt must be a string, a file or media');
  }
}

async function readFile(path: string, { mediaBytes }: Limits): Promise<Uint8Array> {
  try {
    const found = await stat(path);
    // Reading anything else, such as a pipe or a device, could block forever.
    if (!found.isFile()) throw new BridleError('PROMPT_INVALID', `"${path}" is not a file`);
    if (found.size > mediaBytes)
      throw new BridleError('PROMPT_INVALID', `"${path}" is larger than ${mediaBytes} bytes`);
    return await readBytes(path);
  } catch (error) {
    if (error instanceof BridleError) throw error;
    throw new BridleError('PROMPT_INVALID', `"${path}" cannot be read: ${(error as Error).message}`, { cause: error });
  }
}

function checkMedia({ mediaType, data, name }: Media): Media {
  if (!allowedMedia.has(mediaType)) {
    throw new BridleError('PROMPT_INVALID', `the media type "${String(mediaType)}" is not supported`);
  }
  if (typeof data !== 'string' && !(data instanceof Uint8Array)) {
    throw new BridleError('PROMPT_INVALID', 'the data of media must be bytes or base64 text');
  }
  return Object.freeze(name === undefined ? { mediaType, data } : { mediaType, data, name });
}
