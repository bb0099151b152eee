/** Media that are text: documents, tables, data. */

import type { Media, Prompt } from '../../kernel/hooks/points/payloads.ts';

const textual = /^(?:text(?:\/|$)|application\/(?:json|xml|yaml|x-yaml|javascript)|[\w.-]+\/[\w.-]+\+(?:json|xml))/i;
const base64 = /^[\w+/=\s-]*$/;

export function isTextual(mediaType: unknown): boolean {
  return typeof mediaType === 'string' && textual.test(mediaType);
}

/** The text in bytes, or in base64. */
export function decodeText(data: string | Uint8Array): string {
  return typeof data === 'string' ? Buffer.from(data, 'base64').toString() : new TextDecoder().decode(data);
}

/** Text in the form that other data has. */
export function encodeAs(form: string | Uint8Array, text: string): string | Uint8Array {
  return typeof form === 'string' ? Buffer.from(text).toString('base64') : new TextEncoder().encode(text);
}

/** Everything in a prompt that is text: what was typed, the names of what came along, and documents that are text. */
export function promptTexts({ text, media }: Prompt): readonly string[] {
  return [text, ...media.flatMap(mediaTexts)];
}

function mediaTexts({ mediaType, data, name = '' }: Media): readonly string[] {
  if (!isTextual(mediaType)) return [name];
  // Whether a string is the text itself or an encoding of it, nobody says.
  const isPlain = typeof data === 'string' && !base64.test(data);
  return isPlain ? [name, data] : [name, decodeText(data), ...(typeof data === 'string' ? [data] : [])];
}
