/** Streamable HTTP with a limit on message size, which the SDK does not have. */

import type { FetchLike, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { BridleError } from '../../kernel/errors.ts';
import type { HttpServerConfig } from '../protocol/server-config.ts';

const newline = 0x0a;
const carriageReturn = 0x0d;
/** Ending a session is optional, so it is not worth a long wait. */
const endSessionTimeoutMs = 1000;

/** For interrupted streams. If the server itself is gone, `ServerConnection` reconnects. */
const reconnectionOptions = {
  maxRetries: 2,
  initialReconnectionDelay: 500,
  maxReconnectionDelay: 5000,
  reconnectionDelayGrowFactor: 2,
};

/** Marks the error of a request whose answer was cut off. */
export const answerCutOff = Object.freeze({ brokenOff: true });

export function openHttp(
  Transport: typeof StreamableHTTPClientTransport,
  { url, headers = {} }: HttpServerConfig,
  messageBytes: number,
): StreamableHTTPClientTransport {
  const requestInit = { headers: { ...headers } };
  const transport = new Transport(new URL(url), {
    requestInit,
    fetch: boundedFetch(messageBytes),
    reconnectionOptions,
  });
  const send = transport.send.bind(transport);
  // If the answer's stream ends early, the SDK lets the request wait for its timeout.
  transport.send = (message, options) => {
    if (Array.isArray(message) || !('method' in message) || !('id' in message)) return send(message, options);
    const { id } = message;
    const onRequestStreamEnd = (): void => {
      options?.onRequestStreamEnd?.();
      const error = { code: -32_000, message: 'the answer was cut off', data: answerCutOff };
      transport.onmessage?.({ jsonrpc: '2.0', id, error });
    };
    return send(message, { ...options, onRequestStreamEnd });
  };
  return transport;
}

/** True if the SDK gave up reconnecting: the server is gone. */
export function isServerGone(error: Error): boolean {
  return error.message.startsWith('Maximum reconnection attempts');
}

export async function endHttpSession(transport: StreamableHTTPClientTransport): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, endSessionTimeoutMs);
  });
  // A server that is gone has no session to end.
  const ended = transport.terminateSession().catch(() => undefined);
  await Promise.race([ended, late]);
  clearTimeout(timer);
}

function boundedFetch(messageBytes: number): FetchLike {
  return async (url, init) => {
    const response = await fetch(url, init);
    if (response.body === null) return response;
    const isStream = response.headers.get('content-type')?.includes('text/event-stream') ?? false;
    const bounded = response.body.pipeThrough(new TransformStream(new MessageSizeLimit(messageBytes, isStream)));
    const { status, statusText, headers } = response;
    const copy = new Response(bounded, { status, statusText, headers });
    // The SDK checks which URL the answer came from.
    Object.defineProperty(copy, 'url', { value: response.url });
    Object.defineProperty(copy, 'redirected', { value: response.redirected });
    return copy;
  };
}

/** Limits the size of a message: of a whole body, or of one event, which ends at an empty line. */
class MessageSizeLimit {
  private count = 0;
  private atLineStart = false;

  constructor(
    private readonly maxBytes: number,
    private readonly isStream: boolean,
  ) {}

  transform(chunk: Uint8Array, controller: TransformStreamDefaultController<Uint8Array>): void {
    if (this.isStream) this.countEvents(chunk);
    else this.count += chunk.length;
    if (this.count > this.maxBytes) {
      controller.error(new BridleError('MCP_SERVER_FAILED', `it sent a message larger than ${this.maxBytes} bytes`));
    } else controller.enqueue(chunk);
  }

  private countEvents(chunk: Uint8Array): void {
    let from = 0;
    if (this.atLineStart && (chunk[0] === newline || chunk[0] === carriageReturn)) this.count = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, end + 1)) {
      const empty = chunk[end + 1] === newline || (chunk[end + 1] === carriageReturn && chunk[end + 2] === newline);
      if (!empty) continue;
      this.count = 0;
      from = end + 1;
    }
    this.count += chunk.length - from;
    this.atLineStart = chunk.at(-1) === newline;
  }
}
