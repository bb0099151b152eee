/** A server that sends exactly the given bytes, including broken answers. */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface RawServer {
  readonly url: string;
  /** The number of requests received. */
  requests(): number;
  close(): Promise<void>;
}

export type Answer = (response: ServerResponse, request: IncomingMessage) => void | Promise<void>;

/** Answers each request with the next answer, and repeats the last one. */
export async function rawServer(...answers: readonly Answer[]): Promise<RawServer> {
  let count = 0;
  const server = createServer((request, response) => {
    const answer = answers[Math.min(count++, answers.length - 1)];
    request.resume();
    request.on('end', () => void answer?.(response, request));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: () => count,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

function begin(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
}

/** Sends the frames and ends. */
export function whole(...frames: readonly string[]): Answer {
  return (response) => {
    begin(response);
    response.end(frames.join(''));
  };
}

/** Sends the frames, waits until they have arrived, then breaks the connection. */
export function cut(...frames: readonly string[]): Answer {
  return async (response) => {
    begin(response);
    await new Promise<void>((resolve) => {
      response.write(frames.join(''), () => resolve());
    });
    await new Promise((resolve) => {
      setTimeout(resolve, 20);
    });
    response.destroy();
  };
}

/** Sends the frames and then hangs. */
export function hang(...frames: readonly string[]): Answer {
  return (response) => {
    begin(response);
    response.flushHeaders();
    if (frames.length > 0) response.write(frames.join(''));
  };
}

export function fail(
  status: number,
  options: { readonly message?: string; readonly headers?: Record<string, string> } = {},
): Answer {
  const { message = 'no', headers = {} } = options;
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(
      JSON.stringify({ type: 'error', error: { message, type: 'test_error', code: status, status: 'TEST' } }),
    );
  };
}
