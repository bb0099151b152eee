import { isPromise } from '../../kernel/maybe-promise.ts';

/** Waits for the user's `write` and drops its result, because an observing hook must not answer. */
export function awaitWrite(written: unknown): void | Promise<void> {
  return isPromise(written) ? Promise.resolve(written).then(() => undefined) : undefined;
}
