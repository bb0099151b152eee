/** Textual media: documents, tables, data. */

import type { Media, Prompt } from '../../kernel/hooks/points/payloads.ts';

const textual = /^(?:text(?:\/|$)|application\/(?:json|xml|yaml|x-yaml|javascript)|[\w.-]+\/[\w.-]+\+(?:json|xml))/i;
const base64 = /^[\w+/=\s-]*$/;

export function isTextual(mediaType: unknown): boolean {
  return typeof mediaType === 'string' && textual.test(mediaType);
}

/** Decodes text from bytes or base64. */
export function decodeText(data: string | Uint8Array): string {
  return typeof data === 'string' ? Buffer.from(data, 'base64').toString() : new TextDecoder().decode(data);
}

/** Encodes text in the same form as other data: bytes or base64. */
export function encodeAs(form: string | Uint8Array, text: string): string | Uint8Array {
  return typeof form === 'string' ? Buffer.from(text).toString('base64') : new TextEncoder().encode(text);
}

/** All text in a prompt: the prompt itself, the names of its media, and textual media. */
export function promptTexts({ text, media }: Prompt): readonly string[] {
  return [text, ...media.flatMap(mediaTexts)];
}

function mediaTexts({ mediaType, data, name = '' }: Media): readonly string[] {
  if (!isTextual(mediaType)) return [name];
  // A string may be the text itself or base64, and nothing says which.
  const isPlain = typeof data === 'string' && !base64.test(data);
  return isPlain ? [name, data] : [name, decodeText(data), ...(typeof data === 'string' ? [data] : [])];
}
