/** Streams of parts that end, break or go silent as they are told, and honour an abort as a connection does. */

/** What comes after the last part. */
export type StreamEnding = { type: 'close' } | { type: 'hang' } | { type: 'break'; error: unknown };

export interface PartStreamOptions {
  readonly ending: StreamEnding;
  readonly delayMs: number;
  /** Whether all parts may lie ready before the first is read. */
  readonly preloaded: boolean;
  readonly signal: AbortSignal | undefined;
}

/** Nothing is buffered ahead of a read, since breaking a stream drops what it buffers. */
const unbuffered = { highWaterMark: 0 };

export function createPartStream<Part>(parts: readonly Part[], options: PartStreamOptions): ReadableStream<Part> {
  if (options.preloaded && options.delayMs === 0 && options.ending.type === 'close') return createReadyStream(parts);
  const { ending, delayMs, signal } = options;
  let at = 0;
  return new ReadableStream<Part>(
    {
      async pull(controller) {
        throwIfAborted(signal);
        // The wait before the first part is the wait for the stream itself.
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

/** Never fulfilled; rejected by an abort. */
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

/** What a connection that was aborted fails with, whatever the reason of the abort. */
function abortError(signal: AbortSignal): Error {
  const reason: unknown = signal.reason;
  if (reason instanceof Error && reason.name === 'AbortError') return reason;
  return AbortSignal.abort().reason as Error;
}
