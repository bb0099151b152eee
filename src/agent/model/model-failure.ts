/**
 * Classifies failed model calls: whether to retry, how long to wait, and how to describe the failure.
 * Errors are recognised by their fields, not by class, because a process may contain several copies of the AI SDK.
 */

import { messageOf } from '../../kernel/errors.ts';

const maxRetryAfterMs = 60_000;
const firstBackoffMs = 500;
const maxBackoffMs = 30_000;
const maxDescription = 300;
/** More than any provider nests, and a bound for circular causes. */
const maxCauses = 8;

const networkCodes = new Set([
  'ECONNRESET',
  'ECONNREFUSED',
  'ECONNABORTED',
  'ETIMEDOUT',
  'EPIPE',
  'ENETUNREACH',
  'EHOSTUNREACH',
  'EAI_AGAIN',
  'ERR_STREAM_PREMATURE_CLOSE',
]);
const brokenStream = /^(terminated|fetch failed|socket hang up|other side closed|premature close|aborted by peer)$/i;
/** How providers name transient failures in an error part of a stream. */
const transientError = /overloaded|rate_limit|server_error|api_error|timeout|unavailable|internal|resource_exhausted/i;
/** Names of errors for an incomplete or late response. */
const brokenNames = new Set(['TimeoutError', 'AI_EmptyResponseBodyError', 'AI_JSONParseError']);

/** True if a retry may succeed. */
export function isRetryable(error: unknown): boolean {
  const chain = causesOf(error);
  if (chain.some(isAbort)) return false;
  const isBroken = chain.some(isNetworkFailure);
  for (const each of chain) {
    if (each['isRetryable'] === true) return true;
    const status = statusOf(each);
    if (status !== undefined) return each['isRetryable'] !== false && isRetryableStatus(status);
    if (each['isRetryable'] === false) return isBroken;
  }
  return isBroken || chain.some(isTransient);
}

/** How long the provider asks to wait before a retry, at most one minute. */
export function retryAfterMs(error: unknown, now: number = Date.now()): number | undefined {
  for (const each of causesOf(error)) {
    const ms = readNumber(headerOf(each, 'retry-after-ms'));
    if (ms !== undefined) return clampDelay(ms);
    const wait = headerOf(each, 'retry-after');
    const seconds = readNumber(wait);
    if (seconds !== undefined) return clampDelay(seconds * 1000);
    const date = wait === undefined ? Number.NaN : Date.parse(wait);
    if (!Number.isNaN(date)) return clampDelay(date - now);
  }
  return undefined;
}

/** Exponential backoff with jitter: the delay after the failed attempt number `attempt`, counted from 1. */
export function backoffMs(attempt: number, random: () => number = Math.random): number {
  const full = Math.min(maxBackoffMs, firstBackoffMs * 2 ** Math.max(0, attempt - 1));
  return Math.round(full / 2 + (full / 2) * random());
}

/** One line for people: status and message, without keys and without the request. */
export function describeFailure(error: unknown): string {
  const chain = causesOf(error);
  const status = chain.map(statusOf).find((each) => each !== undefined);
  const message = chain.map(messageIn).find((each) => each !== undefined) ?? messageOf(error);
  const code = chain.map(networkCodeOf).find((each) => each !== undefined && !message.includes(each));
  const parts = [status, message, code === undefined ? undefined : `(${code})`];
  const line = parts.filter((each) => each !== undefined).join(' ');
  return truncate(maskKeys(toOneLine(line)));
}

type Fields = Readonly<Record<string, unknown>>;

/** The error and its causes, outermost first, including aggregated errors. */
function causesOf(error: unknown): readonly Fields[] {
  const found: Fields[] = [];
  const open: unknown[] = [error];
  while (open.length > 0 && found.length < maxCauses) {
    const next = open.shift();
    if (typeof next !== 'object' || next === null || found.includes(next as Fields)) continue;
    const fields = next as Fields;
    found.push(fields);
    open.push(fields['cause'], fields['lastError'], isPlainObject(fields) ? fields['error'] : undefined);
    if (Array.isArray(fields['errors'])) open.push(...(fields['errors'] as unknown[]));
  }
  return found;
}

/** True for a provider's error object in a stream, `{ type: 'error', error: { … } }`. */
function isPlainObject(fields: Fields): boolean {
  return !(fields instanceof Error);
}

function isAbort(fields: Fields): boolean {
  return fields['name'] === 'AbortError' || fields['code'] === 'ABORT_ERR';
}

function isNetworkFailure(fields: Fields): boolean {
  const { message, name } = fields;
  if (typeof name === 'string' && brokenNames.has(name)) return true;
  if (networkCodeOf(fields) !== undefined) return true;
  return typeof message === 'string' && brokenStream.test(message.trim());
}

function networkCodeOf({ code }: Fields): string | undefined {
  return typeof code === 'string' && (networkCodes.has(code) || code.startsWith('UND_ERR_')) ? code : undefined;
}

function isTransient(fields: Fields): boolean {
  if (!isPlainObject(fields)) return false;
  return ['type', 'code', 'status'].some(
    (field) => typeof fields[field] === 'string' && transientError.test(fields[field]),
  );
}

function statusOf(fields: Fields): number | undefined {
  const status = [fields['statusCode'], fields['status'], fields['code']].find((each) => typeof each === 'number');
  return typeof status === 'number' && status >= 300 && status < 600 ? status : undefined;
}

function isRetryableStatus(status: number): boolean {
  return status === 408 || status === 409 || status === 429 || status >= 500;
}

function headerOf(fields: Fields, name: string): string | undefined {
  const headers = fields['responseHeaders'];
  if (typeof headers !== 'object' || headers === null) return undefined;
  const found = Object.entries(headers).find(([key]) => key.toLowerCase() === name);
  return typeof found?.[1] === 'string' ? found[1].trim() : undefined;
}

function readNumber(text: string | undefined): number | undefined {
  return text !== undefined && /^\d+(\.\d+)?$/.test(text) ? Number(text) : undefined;
}

function clampDelay(ms: number): number {
  return Math.min(maxRetryAfterMs, Math.max(0, Math.ceil(ms)));
}

function messageIn(fields: Fields): string | undefined {
  const { message } = fields;
  return typeof message === 'string' && message.trim() !== '' ? message : undefined;
}

function toOneLine(text: string): string {
  return text.replaceAll(/[\s\p{Cc}\p{Cf}]+/gu, ' ').trim();
}

/** Providers quote an invalid key in their error message. */
function maskKeys(text: string): string {
  return text
    .replaceAll(/\b(?:sk|pk|gsk|xai|key)-[\w*.-]{4,}|\bAIza[\w-]{10,}/g, '[key]')
    .replaceAll(/\b(bearer|basic)\s+[\w.~+/=-]{6,}/gi, '$1 [key]')
    .replaceAll(/([?&](?:api[_-]?key|key|token)=)[^&\s]+/gi, '$1[key]');
}

function truncate(text: string): string {
  return text.length <= maxDescription
    ? text
    : `${text.slice(0, maxDescription)}… (${text.length - maxDescription} more)`;
}
