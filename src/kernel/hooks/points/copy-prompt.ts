/** Bytes cannot be frozen: each hook gets its own, so that it cannot change in place what the others and the model see. */

import type { Media, Prompt } from './payloads.ts';

/** The same prompt if it holds no bytes. */
export function copyPrompt(prompt: Prompt): Prompt {
  if (!prompt.media.some(({ data }) => typeof data !== 'string')) return prompt;
  return Object.freeze({ ...prompt, media: Object.freeze(prompt.media.map(copyMedia)) });
}

function copyMedia(media: Media): Media {
  const { data } = media;
  return typeof data === 'string' ? media : Object.freeze({ ...media, data: new Uint8Array(data) });
}
