/**
 * Maps the texts of messages: contents, text parts, tool results, arguments of tool calls, and textual files. Skips
 * identifiers, other media, provider metadata, and thinking, which providers sign.
 */

import { BridleError } from '../../kernel/errors.ts';
import type { Message, MessagePart, Media, Prompt } from '../../kernel/hooks/points/payloads.ts';

/** Receives consecutive texts and returns their replacements. */
export type TextsMap = (texts: readonly string[]) => readonly string[];

/** Fields that are identifiers or metadata. */
const identifiers = new Set(
  'type id callId toolCallId approvalId tool toolName server kind mediaType providerOptions providerMetadata signature'.split(
    ' ',
  ),
);
const signedPartTypes = new Set(['reasoning', 'thinking', 'redacted-reasoning', 'redacted_thinking', 'reasoning-file']);
const maxDepth = 64;

type Fields = Readonly<Record<string, unknown>>;

/** The message with mapped texts; the same object if nothing changed. */
export function mapMessageTexts(message: Message, map: TextsMap): Message {
  const { content } = message;
  const mapped = typeof content === 'string' ? mapOne(content, map) : mapParts(content, map);
  return mapped === content ? message : { ...message, content: mapped };
}

function mapParts(parts: readonly MessagePart[], map: TextsMap): readonly MessagePart[] {
  const joined = mapTextRuns(parts, map);
  return mapList(joined, (part) => (signedPartTypes.has(part.type) ? part : mapPart(part, map)));
}

/** Consecutive text parts are one text to the model. */
function mapTextRuns(parts: readonly MessagePart[], map: TextsMap): readonly MessagePart[] {
  const mapped = [...parts];
  for (let from = 0; from < parts.length; from++) {
    let to = from;
    while (isText(parts[to])) to++;
    if (to - from < 2) continue;
    const texts = parts.slice(from, to).map(({ text }) => text as string);
    for (const [index, text] of map(texts).entries()) {
      if (text !== texts[index]) mapped[from + index] = { ...(parts[from + index] as MessagePart), text };
    }
    from = to;
  }
  return mapped.some((part, index) => part !== parts[index]) ? mapped : parts;
}

function isText(part: MessagePart | undefined): boolean {
  return part?.type === 'text' && typeof part['text'] === 'string';
}

function mapPart(part: MessagePart, map: TextsMap): MessagePart {
  return mapFields(part, (key, value) => {
    if (identifiers.has(key)) return value;
    if (isFileData(part, key)) return mapBytes(part, value, map);
    const isData = part.type === 'tool-call' || key === 'args' || key === 'input' || key === 'result';
    return isData ? mapData(value, map, 0) : mapNested(value, map, 0);
  });
}

/** Maps the nested value of a part: `{ type: 'json', value }` contains data, `{ type: 'text', text }` text. */
function mapNested(value: unknown, map: TextsMap, depth: number): unknown {
  checkDepth(depth);
  if (typeof value === 'string') return mapOne(value, map);
  if (Array.isArray(value)) return mapList(value, (each) => mapNested(each, map, depth + 1));
  if (!isPlainObject(value)) return value;
  const isData = value['type'] === 'json' || value['type'] === 'error-json';
  return mapFields(value, (key, each) => {
    if (isData && key === 'value') return mapData(each, map, depth + 1);
    if (isFileData(value, key)) return mapBytes(value, each, map);
    return key === 'type' || key === 'mediaType' ? each : mapNested(each, map, depth + 1);
  });
}

function mapFields<T extends object>(holder: T, map: (key: string, value: unknown) => unknown): T {
  const mapped = Object.entries(holder).map(([key, value]) => [key, value, map(key, value)] as const);
  if (mapped.every(([, before, after]) => before === after)) return holder;
  return Object.fromEntries(mapped.map(([key, , after]) => [key, after])) as T;
}

/** Maps every text in tool data, including keys and numbers. */
function mapData(value: unknown, map: TextsMap, depth: number): unknown {
  checkDepth(depth);
  if (typeof value === 'string') return mapOne(value, map);
  if (typeof value === 'number') {
    const text = mapOne(String(value), map);
    return text === String(value) ? value : text;
  }
  if (Array.isArray(value)) return mapList(value, (each) => mapData(each, map, depth + 1));
  if (!isPlainObject(value)) return value;
  const mapped = new Map<string, unknown>();
  let changed = false;
  for (const [key, each] of Object.entries(value)) {
    const item = mapData(each, map, depth + 1);
    const name = mapOne(key, map);
    changed ||= item !== each || name !== key;
    mapped.set(name === key ? key : freeName(name, mapped, value), item);
  }
  return changed ? Object.fromEntries(mapped) : value;
}

/** Keeps keys distinct that map to the same text. */
function freeName(name: string, used: ReadonlyMap<string, unknown>, value: object): string {
  let free = name;
  for (let count = 2; used.has(free) || Object.hasOwn(value, free); count++) free = `${name} ${count}`;
  return free;
}

function mapList<T>(list: readonly T[], map: (each: T) => T): readonly T[] {
  const mapped = list.map(map);
  return mapped.some((each, index) => each !== list[index]) ? mapped : list;
}

function mapOne(text: string, map: TextsMap): string {
  return map([text])[0] as string;
}

/** Whether a field is the content of a file, directly or as `{ type: 'data', data }`. */
function isFileData(holder: Fields, key: string): boolean {
  if ((key !== 'data' && key !== 'image') || typeof holder['mediaType'] !== 'string') return false;
  const value = holder[key];
  return isEncoded(isPlainObject(value) && value['type'] === 'data' ? value['data'] : value);
}

function isEncoded(value: unknown): value is string | Uint8Array {
  return typeof value === 'string' || value instanceof Uint8Array;
}

/** Maps textual files; the bytes of other files stay unchanged. */
function mapBytes(holder: Fields, value: unknown, map: TextsMap): unknown {
  if (!isTextual(holder['mediaType'])) return value;
  if (!isEncoded(value))
    return mapFields(value as Fields, (key, each) =>
      isEncoded(each) && key === 'data' ? mapEncoded(each, map) : each,
    );
  return mapEncoded(value, map);
}

function mapEncoded(value: string | Uint8Array, map: TextsMap): string | Uint8Array {
  const text = decodeText(value);
  const mapped = mapOne(text, map);
  return mapped === text ? value : encodeAs(value, mapped);
}

function isPlainObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !ArrayBuffer.isView(value) && !(value instanceof URL);
}

function checkDepth(depth: number): void {
  if (depth > maxDepth) throw new BridleError('NOT_JSON', `a message is deeper than ${maxDepth} levels`);
}

const textual = /^(?:text(?:\/|$)|application\/(?:json|xml|yaml|x-yaml|javascript)|[\w.-]+\/[\w.-]+\+(?:json|xml))/i;
const base64 = /^[\w+/=\s-]*$/;

function isTextual(mediaType: unknown): boolean {
  return typeof mediaType === 'string' && textual.test(mediaType);
}

/** Decodes text from bytes or base64. */
function decodeText(data: string | Uint8Array): string {
  return typeof data === 'string' ? Buffer.from(data, 'base64').toString() : new TextDecoder().decode(data);
}

/** Encodes text in the same form as other data: bytes or base64. */
function encodeAs(form: string | Uint8Array, text: string): string | Uint8Array {
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
