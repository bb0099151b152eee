/** Bytes cannot be frozen, so each hook gets its own copy and cannot change what other hooks and the model see. */

import type { Media, Prompt } from './payloads.ts';

/** A prompt with copied bytes; the same prompt if it contains none. */
export function copyPrompt(prompt: Prompt): Prompt {
  if (!prompt.media.some(({ data }) => typeof data !== 'string')) return prompt;
  return Object.freeze({ ...prompt, media: Object.freeze(prompt.media.map(copyMedia)) });
}

function copyMedia(media: Media): Media {
  const { data } = media;
  return typeof data === 'string' ? media : Object.freeze({ ...media, data: new Uint8Array(data) });
}
