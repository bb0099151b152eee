/** Converts a server's answer to a JSON result: text is joined, media are handed over, and anything left out is noted. */

import { quoteName } from '../../kernel/names.ts';
import { BridleError } from '../../kernel/errors.ts';
import type { Media } from '../../kernel/hooks/points/payloads.ts';
import { copyJson, cutText, cutToBytes, type JsonValue, sameJson } from '../../kernel/json.ts';
import { kindOf } from '../../kernel/kind-of.ts';
import type { McpLimits } from './mcp-limits.ts';

export interface ResultOptions {
  readonly limits: McpLimits;
  /** Stores media; returns the note that replaces them in the result. */
  readonly attach: ((media: Media) => JsonValue) | undefined;
}

interface RawResult {
  readonly content?: unknown;
  readonly structuredContent?: unknown;
  readonly isError?: unknown;
}

type Part = Readonly<Record<string, unknown>>;

/** Returns text if there is only text, a list if there are notes, and structured content if there is any. */
export function readToolResult(raw: unknown, reading: ResultOptions): JsonValue {
  const { content, structuredContent, isError } = Object(raw) as RawResult;
  if (isError === true) throw new BridleError('MCP_CALL_FAILED', errorText(content, reading.limits));
  const parts = joinTexts(readParts(content, reading), reading.limits);
  const shown = parts.length === 1 ? (parts[0] as JsonValue) : parts;
  if (structuredContent === undefined) return parts.length === 0 ? '' : shown;
  const structured = readStructured(structuredContent, reading.limits);
  if (parts.length === 0 || isSame(shown, structured)) return structured;
  if (isWrapped(shown, structured)) return shown;
  return { content: shown, structuredContent: structured };
}

/** True if the structured content is only the text in an object with one field. */
function isWrapped(shown: JsonValue, structured: JsonValue): boolean {
  const values = typeof structured === 'object' && structured !== null ? Object.values(structured) : [];
  return values.length === 1 && values[0] === shown;
}

/** The server's error text, cut to the limit; media in an error are only named. */
function errorText(content: unknown, limits: McpLimits): string {
  const parts = joinTexts(readParts(content, { limits, attach: undefined }), limits);
  const text = parts.map((part) => (typeof part === 'string' ? part : JSON.stringify(part))).join('\n');
  return text.trim() === '' ? 'the tool failed and gave no reason' : cutText(text, limits.reasonLength);
}

function readParts(content: unknown, reading: ResultOptions): JsonValue[] {
  if (content === undefined) return [];
  if (!Array.isArray(content)) return [`[content that is ${kindOf(content)}, left out]`];
  const { parts: most } = reading.limits;
  const notes = content.slice(0, most).map((part: unknown) => readPart(Object(part) as Part, reading));
  if (content.length > most) notes.push(`[cut: ${content.length - most} more parts]`);
  return notes;
}

function readPart(part: Part, reading: ResultOptions): JsonValue {
  switch (part['type']) {
    case 'text':
      return typeof part['text'] === 'string' ? part['text'].toWellFormed() : unreadable(part);
    case 'image':
    case 'audio':
      return readMedia({ data: part['data'], mediaType: part['mimeType'], name: undefined }, reading);
    case 'resource':
      return readResource(Object(part['resource']) as Part, reading);
    case 'resource_link':
      return `[link to ${quoteText(part['name'])}: ${quoteText(part['uri'])}]`;
    default:
      return unreadable(part);
  }
}

function readResource(resource: Part, reading: ResultOptions): JsonValue {
  const { uri, text, blob, mimeType } = resource;
  if (typeof text === 'string') return `[resource ${quoteText(uri)}]\n${text.toWellFormed()}`;
  if (blob === undefined) return unreadable({ type: 'resource', ...resource });
  const name = typeof uri === 'string' ? cutText(uri.toWellFormed(), 200) : undefined;
  return readMedia({ data: blob, mediaType: mimeType ?? 'application/octet-stream', name }, reading);
}

interface RawMedia {
  readonly data: unknown;
  readonly mediaType: unknown;
  readonly name: string | undefined;
}

function readMedia({ data, mediaType, name }: RawMedia, { limits, attach }: ResultOptions): JsonValue {
  const what = name === undefined ? 'media' : quoteText(name);
  if (typeof mediaType !== 'string' || !/^[\w.+-]{1,100}\/[\w.+-]{1,100}(;.{0,200})?$/.test(mediaType)) {
    return `[${what} of the type ${quoteText(mediaType)}, left out]`;
  }
  if (typeof data !== 'string' || !isBase64(data)) return `[${what} (${mediaType}) that is not base64, left out]`;
  if (data.length * 0.75 > limits.mediaBytes) {
    return `[${what} (${mediaType}) larger than ${limits.mediaBytes} bytes, left out]`;
  }
  if (attach === undefined) return `[${what} (${mediaType}), left out]`;
  return attach({ mediaType, data: Uint8Array.from(Buffer.from(data, 'base64')), ...(name !== undefined && { name }) });
}

/** Line breaks are allowed, as encoders write them. A single character class keeps the check linear. */
function isBase64(text: string): boolean {
  return !/[^\w+/=\r\n-]/.test(text);
}

function unreadable(part: Part): string {
  const type = typeof part['type'] === 'string' ? quoteName(part['type']) : kindOf(part['type']);
  const copy = copyJson(part, { bytes: 4096, depth: 16 });
  const shown = copy.problem === undefined ? cutText(JSON.stringify(copy.value), 500) : copy.problem;
  return `[unreadable content of type ${type}: ${shown}]`;
}

function quoteText(text: unknown): string {
  return typeof text === 'string' ? JSON.stringify(cutText(text.toWellFormed(), 500)) : kindOf(text);
}

/** Joins adjacent texts and cuts them to the total limit, with a note. */
function joinTexts(parts: readonly JsonValue[], { resultBytes }: McpLimits): JsonValue[] {
  const joined: JsonValue[] = [];
  let run: string[] = [];
  let left = resultBytes;
  const flush = (): void => {
    if (run.length === 0) return;
    const text = cutToBytes(run.join('\n'), left);
    left = Math.max(0, left - text.length);
    joined.push(text);
    run = [];
  };
  for (const part of parts) {
    if (typeof part === 'string') run.push(part);
    else {
      flush();
      joined.push(part);
    }
  }
  flush();
  return joined;
}

function readStructured(value: unknown, { resultBytes, depth }: McpLimits): JsonValue {
  const copy = copyJson(value, { bytes: resultBytes, depth });
  return copy.problem === undefined ? copy.value : `[structured content that ${copy.problem}, left out]`;
}

/** Servers repeat structured content as text for older clients. */
function isSame(shown: JsonValue, structured: JsonValue): boolean {
  if (typeof shown !== 'string' || typeof structured === 'string') return false;
  try {
    const copy = copyJson(JSON.parse(shown), { bytes: shown.length * 6 + 16, depth: 128 });
    return copy.problem === undefined && sameJson(copy.value, structured);
  } catch {
    return false;
  }
}
