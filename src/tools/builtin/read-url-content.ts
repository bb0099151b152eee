import { cutToBytes, type JsonValue } from '../../kernel/json.ts';
import { fetchCheckedUrl, type FetchResult, type FetchRules } from '../../facts/net/fetch-checked-url.ts';
import { htmlText, htmlTitle } from '../text/html-text.ts';
import { kib, outputLimit, seconds, type ToolContext } from '../definition/runnable-tool.ts';
import { kindOfFile } from '../text/text-file.ts';

const bodyBytes = 8 * kib * kib;
/** Pages are parsed synchronously, so their size is limited. */
const pageLetters = 2 * kib * kib;
const requestMs = 45 * seconds;

export function readUrlContent(
  rules: FetchRules,
): (args: { readonly url: string }, context: ToolContext) => Promise<JsonValue> {
  return async ({ url }, context) => {
    const signal = AbortSignal.any([context.signal, AbortSignal.timeout(requestMs)]);
    const fetched = await fetchCheckedUrl(url, { ...rules, signal, bytes: bodyBytes });
    return describeResponse(fetched, context);
  };
}

function describeResponse(fetched: FetchResult, context: ToolContext): JsonValue {
  const { url, status, contentType, bytes, isCut, redirect } = fetched;
  if (redirect !== undefined)
    return `${url} redirects (status ${status}) to another URL, which was not fetched: ${redirect}`;
  const head = `${url}\nstatus ${status}${contentType === '' ? '' : `, ${contentType}`}`;
  const kind = kindOfFile(bytes);
  if (kind.type === 'media') {
    if (isCut) return `${head}\n[larger than the ${bodyBytes} bytes that can be attached]`;
    const name = new URL(url).pathname.split('/').at(-1) || undefined;
    const media = context.attach({ mediaType: kind.mediaType, data: bytes, name });
    return { url, status, media_type: kind.mediaType, media };
  }
  if (kind.type === 'binary') return `${head}\n[binary data of ${bytes.length} bytes or more, not shown]`;
  const text = decode(bytes, kind.encoding === 'utf-8' ? charsetOf(contentType, bytes) : kind.encoding);
  const isHtml = /\bhtml\b/i.test(contentType) || (contentType === '' && /^\s*<(!doctype html|html)/i.test(text));
  const title = isHtml ? htmlTitle(text) : undefined;
  const body = (isHtml ? htmlText(text.slice(0, pageLetters)) : text).toWellFormed();
  const parts = [head, ...(title === undefined || title === '' ? [] : [title]), '', body];
  const isLong = isCut || (isHtml && text.length > pageLetters);
  const note = isLong ? `\n[only the first ${isHtml ? pageLetters : bodyBytes} bytes were read]` : '';
  return cutToBytes(parts.join('\n'), outputLimit(context, 256 * kib)) + note;
}

function charsetOf(contentType: string, bytes: Buffer): string {
  const charsetPattern = /charset\s*=\s*["']?([\w:.-]{1,40})/i;
  const inPage = bytes.subarray(0, 2048).toString('latin1');
  return (
    (charsetPattern.exec(contentType) ?? (/<meta\b/i.test(inPage) ? charsetPattern.exec(inPage) : null))?.[1] ?? 'utf-8'
  );
}

function decode(bytes: Buffer, charset: string): string {
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    // An unknown charset.
    return new TextDecoder().decode(bytes);
  }
}
