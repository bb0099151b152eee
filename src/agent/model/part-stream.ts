/**
 * Streams for built-in and scripted models. They can end, break or hang, and an abort stops them as it would a
 * connection.
 */

/** What happens after the last part. */
export type StreamEnding = { type: 'close' } | { type: 'hang' } | { type: 'break'; error: unknown };

export interface PartStreamOptions {
  readonly ending: StreamEnding;
  readonly delayMs: number;
  /** True if all parts may be enqueued before the first read. */
  readonly preloaded: boolean;
  readonly signal: AbortSignal | undefined;
}

/** No read-ahead, because breaking a stream drops buffered parts. */
const unbuffered = { highWaterMark: 0 };

export function createPartStream<Part>(parts: readonly Part[], options: PartStreamOptions): ReadableStream<Part> {
  if (options.preloaded && options.delayMs === 0 && options.ending.type === 'close') return createReadyStream(parts);
  const { ending, delayMs, signal } = options;
  let at = 0;
  return new ReadableStream<Part>(
    {
      async pull(controller) {
        throwIfAborted(signal);
        // No delay before the first part: it belongs to opening the stream.
        if (delayMs > 0 && at > 0) await abortableDelay(delayMs, signal);
        if (at < parts.length) controller.enqueue(parts[at++] as Part);
        else if (ending.type === 'close') controller.close();
        else if (ending.type === 'break') controller.error(ending.error);
        else await rejectOnAbort(signal);
      },
    },
    unbuffered,
  );
}

function createReadyStream<Part>(parts: readonly Part[]): ReadableStream<Part> {
  return new ReadableStream<Part>(
    {
      start(controller) {
        for (const part of parts) controller.enqueue(part);
        controller.close();
      },
    },
    unbuffered,
  );
}

export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw abortError(signal);
}

/** Never resolves. Rejects when the signal is aborted. */
export function rejectOnAbort(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    if (signal?.aborted === true) reject(abortError(signal));
    signal?.addEventListener('abort', () => reject(abortError(signal)), { once: true });
  });
}

export function abortableDelay(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal === undefined ? undefined : abortError(signal));
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal?.addEventListener('abort', stop, { once: true });
    if (signal?.aborted === true) stop();
  });
}

/** Always an `AbortError`, as from an aborted connection, whatever the abort reason is. */
function abortError(signal: AbortSignal): Error {
  const reason: unknown = signal.reason;
  if (reason instanceof Error && reason.name === 'AbortError') return reason;
  return AbortSignal.abort().reason as Error;
}
