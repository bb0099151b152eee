/** Work inside a framework's generator: the events that it emits are passed on while it is still running. */

/** Emits an event to the reader of the generator. */
export type Emit<Event> = (event: Event) => void;

/** Runs `work` and yields what it emits. `closed` is aborted if the reader stops early. */
export async function* streamWork<Event, Result>(
  work: (emit: Emit<Event>, closed: AbortSignal) => Promise<Result>,
): AsyncGenerator<Event, Result, undefined> {
  const closing = new AbortController();
  const events: Event[] = [];
  let wake: (() => void) | undefined;
  let isDone = false;
  const emit = (event: Event): void => {
    events.push(event);
    wake?.();
  };
  const result = work(emit, closing.signal).finally(() => {
    isDone = true;
    wake?.();
  });
  // The result is awaited below, unless the reader stops before.
  result.catch(() => undefined);
  try {
    for (;;) {
      while (events.length > 0) yield events.shift() as Event;
      if (isDone) return await result;
      await new Promise<void>((resolve) => (wake = resolve));
    }
  } finally {
    if (!isDone) closing.abort();
  }
}

/** Reads a generator to its end and returns what it returns. */
export async function drain<Event, Result>(
  source: AsyncGenerator<Event, Result, undefined>,
  emit: Emit<Event>,
  closed: AbortSignal,
): Promise<Result> {
  const close = (): void => void source.return(undefined as never).catch(() => undefined);
  closed.addEventListener('abort', close, { once: true });
  try {
    for (;;) {
      const next = await source.next();
      if (next.done === true) return next.value;
      emit(next.value);
    }
  } finally {
    closed.removeEventListener('abort', close);
  }
}
