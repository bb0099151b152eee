import { isPromise } from '../../kernel/maybe-promise.ts';

/** Waits for a user's `write` and drops what it gave: a hook that observes must not answer. */
export function awaitWrite(written: unknown): void | Promise<void> {
  return isPromise(written) ? Promise.resolve(written).then(() => undefined) : undefined;
}
