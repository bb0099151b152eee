/** Reads and decompresses the body of a response, up to a limit. */

import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { createBrotliDecompress, createUnzip } from 'node:zlib';
import { BridleError, messageOf } from '../../kernel/errors.ts';

export interface ResponseBody {
  readonly bytes: Buffer;
  /** True if the body was longer than the limit. */
  readonly isCut: boolean;
}

/** Counts decompressed bytes, so that a decompression bomb also stops at the limit. */
export async function readBody(response: IncomingMessage, limit: number): Promise<ResponseBody> {
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
