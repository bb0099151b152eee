/** Detects the kind of a file from its first bytes, and decodes text. */

import { lazy } from '../../kernel/lazy.ts';

/** Media that a model can view, with their signature bytes and offsets. */
const signatures: readonly (readonly [mediaType: string, ...marks: readonly (readonly [number, string])[]])[] = [
  ['image/png', [0, '\x89PNG\r\n\x1a\n']],
  ['image/jpeg', [0, '\xff\xd8\xff']],
  ['image/gif', [0, 'GIF87a']],
  ['image/gif', [0, 'GIF89a']],
  ['image/webp', [0, 'RIFF'], [8, 'WEBP']],
  ['application/pdf', [0, '%PDF-']],
  ['audio/wav', [0, 'RIFF'], [8, 'WAVE']],
  ['audio/mpeg', [0, 'ID3\x03']],
  ['audio/mpeg', [0, 'ID3\x04']],
  ['audio/ogg', [0, 'OggS\0']],
  ['video/mp4', [0, '\0'], [4, 'ftyp']],
  ['video/webm', [0, '\x1aE\xdf\xa3']],
];

export type FileKind =
  | { readonly type: 'text'; readonly encoding: 'utf-8' | 'utf-16le' | 'utf-16be' }
  | { readonly type: 'media'; readonly mediaType: string }
  | { readonly type: 'binary' };

/** How many bytes {@link kindOfFile} needs. */
export const sniffBytes = 8192;

export function kindOfFile(start: Uint8Array): FileKind {
  const head = Buffer.from(start.subarray(0, 64)).toString('latin1');
  const media = signatures.find(([, ...marks]) => marks.every(([at, mark]) => head.startsWith(mark, at)));
  if (media !== undefined) return { type: 'media', mediaType: media[0] };
  if (head.startsWith('\xff\xfe')) return { type: 'text', encoding: 'utf-16le' };
  if (head.startsWith('\xfe\xff')) return { type: 'text', encoding: 'utf-16be' };
  return start.subarray(0, sniffBytes).includes(0) ? { type: 'binary' } : { type: 'text', encoding: 'utf-8' };
}

const strict = lazy(() => new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }));
const western = lazy(() => new TextDecoder('windows-1252'));

/** Decodes UTF-8; undefined if the bytes are not UTF-8. */
export function readUtf8(bytes: Uint8Array): string | undefined {
  try {
    return strict().decode(bytes);
  } catch {
    // The only possible error: the bytes are not UTF-8.
    return undefined;
  }
}

/** Falls back to windows-1252 for bytes that are not UTF-8. */
export function readAnyText(bytes: Uint8Array): { readonly text: string; readonly isUtf8: boolean } {
  const text = readUtf8(bytes);
  return text === undefined ? { text: western().decode(bytes), isUtf8: false } : { text, isUtf8: true };
}

/** Drops incomplete characters at both ends. */
export function trimPartialCharacters(bytes: Buffer): Buffer {
  let start = 0;
  while (start < 3 && start < bytes.length && isContinuation(bytes[start])) start++;
  let last = bytes.length - 1;
  while (last >= start && last > bytes.length - 4 && isContinuation(bytes[last])) last--;
  const lead = bytes[last] ?? 0;
  const length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
  const end = lead >= 0xc0 && last + length > bytes.length ? last : bytes.length;
  return bytes.subarray(start, end);
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
