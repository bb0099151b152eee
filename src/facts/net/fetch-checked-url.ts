/**
 * Fetches a URL and never connects to an unchecked host: names are resolved once, every address is checked, the
 * connection goes to a checked address, and each redirect goes through the same checks (X09).
 */

import type { IncomingMessage } from 'node:http';
import { BridleError, messageOf } from '../../kernel/errors.ts';
import { checkUrl, hostnameOf, type HostRules } from './check-url.ts';
import { parseUrl } from './parse-url.ts';
import { requestCheckedUrl } from './request-checked-url.ts';
import { resolveHost, systemResolver, type HostResolver } from './resolve-host.ts';
import type { Readable } from 'node:stream';
import { createBrotliDecompress, createUnzip } from 'node:zlib';

export interface FetchRules extends HostRules {
  /** Resolves host names; the system resolver by default. */
  readonly resolve?: HostResolver | undefined;
  /** `same-host` (the default) reports a redirect to another host instead of following it. */
  readonly redirects?: 'same-host' | 'any' | undefined;
}

export interface FetchOptions extends FetchRules {
  readonly signal: AbortSignal;
  /** Maximum size of the body in bytes, after decompression. */
  readonly bytes: number;
}

export interface FetchResult {
  /** The URL of the response, after redirects. */
  readonly url: string;
  readonly status: number;
  readonly contentType: string;
  readonly bytes: Buffer;
  /** True if the body was longer than `bytes`. */
  readonly isCut: boolean;
  /** The target of a redirect that was not followed. */
  readonly redirect?: string | undefined;
}

const maxRedirects = 5;
const redirectStatuses = new Set([301, 302, 303, 307, 308]);

/** Fetches a URL; throws `URL_REFUSED` if the URL or one of its redirects leads to a forbidden host. */
export async function fetchCheckedUrl(given: string, options: FetchOptions): Promise<FetchResult> {
  let next = given;
  for (let step = 0; step <= maxRedirects; step++) {
    const check = checkUrl(next, options);
    if (check.type === 'refused')
      throw new BridleError('URL_REFUSED', step === 0 ? check.reason : redirectRefusal(check.reason));
    const { url, host } = check;
    const { signal } = options;
    const resolving = resolveHost(host, options, options.resolve ?? systemResolver);
    const addresses = await rejectOnAbort(resolving, signal);
    const response = await requestCheckedUrl({ url, host, addresses, signal });
    const target = redirectOf(response, url);
    if (target === undefined) return await readResponse(response, url, options);
    response.destroy();
    if (!mayFollow(url, target, options)) return unfollowedRedirect(response, url, target);
    next = target.href;
  }
  throw new BridleError('TOOL_FAILED', `${given} redirects more than ${maxRedirects} times.`);
}

function redirectOf({ statusCode = 0, headers }: IncomingMessage, from: URL): URL | undefined {
  const { location } = headers;
  if (!redirectStatuses.has(statusCode) || location === undefined) return undefined;
  const target = parseUrl(location, from.href);
  if (target === undefined) throw new BridleError('URL_REFUSED', redirectRefusal('The URL is malformed.'));
  return target;
}

/** The call was allowed for one host. Another host, or a downgrade to http, needs a call of its own. */
function mayFollow(from: URL, to: URL, { redirects = 'same-host' }: FetchOptions): boolean {
  const isDowngrade = from.protocol === 'https:' && to.protocol !== 'https:';
  return !isDowngrade && (redirects === 'any' || hostnameOf(from) === hostnameOf(to));
}

function unfollowedRedirect({ statusCode = 0 }: IncomingMessage, from: URL, to: URL): FetchResult {
  return {
    url: from.href,
    status: statusCode,
    contentType: '',
    bytes: Buffer.alloc(0),
    isCut: false,
    redirect: to.href,
  };
}

async function readResponse(response: IncomingMessage, url: URL, options: FetchOptions): Promise<FetchResult> {
  const { bytes, isCut } = await readBody(response, options.bytes);
  const contentType = response.headers['content-type'] ?? '';
  return { url: url.href, status: response.statusCode ?? 0, contentType, bytes, isCut };
}

function redirectRefusal(reason: string): string {
  return `A redirect was refused: ${reason}`;
}

/** A DNS lookup cannot be cancelled, so on abort its result is abandoned. */
function rejectOnAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (): void =>
      reject(new BridleError('TOOL_FAILED', 'The request was aborted.', { cause: signal.reason }));
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

interface ResponseBody {
  readonly bytes: Buffer;
  /** True if the body was longer than the limit. */
  readonly isCut: boolean;
}

/** Counts decompressed bytes, so that a decompression bomb also stops at the limit. */
async function readBody(response: IncomingMessage, limit: number): Promise<ResponseBody> {
  const body = decompress(response);
  const chunks: Buffer[] = [];
  let remaining = limit;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      if (chunk.length > remaining)
        return { bytes: Buffer.concat([...chunks, chunk.subarray(0, remaining)]), isCut: true };
      chunks.push(chunk);
      remaining -= chunk.length;
    }
    return { bytes: Buffer.concat(chunks), isCut: false };
  } catch (error) {
    throw new BridleError('TOOL_FAILED', `The response ended early: ${messageOf(error)}`, { cause: error });
  } finally {
    body.destroy();
    response.destroy();
  }
}

function decompress(response: IncomingMessage): Readable {
  const encoding = (response.headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  switch (encoding) {
    case '':
    case 'identity':
      return response;
    case 'gzip':
    case 'x-gzip':
    case 'deflate':
      return pipeThrough(response, createUnzip());
    case 'br':
      return pipeThrough(response, createBrotliDecompress());
    default:
      response.destroy();
      throw new BridleError('TOOL_FAILED', `The response has the encoding "${encoding}", which was not requested.`);
  }
}

function pipeThrough(response: IncomingMessage, through: ReturnType<typeof createUnzip>): Readable {
  response.on('error', (error) => through.destroy(error));
  response.on('aborted', () => through.destroy(new BridleError('TOOL_FAILED', 'the connection was closed')));
  return response.pipe(through);
}
