/** Code that stays synchronous until something is a promise. */

export type MaybePromise<T> = T | Promise<T>;

/** True for any value with a `then` method. A value whose `then` cannot be read is not a promise. */
export function isPromise<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  if (typeof value !== 'object' || value === null) return false;
  try {
    // The common case first, because it is cheap.
    return value instanceof Promise || typeof (value as { then?: unknown }).then === 'function';
  } catch {
    return false;
  }
}

// oxlint-disable-next-line typescript/unbound-method
const { then } = Promise.prototype;

/** Calls exactly one of the two callbacks, once and asynchronously, for any kind of thenable. */
export function whenSettled<T>(
  promise: PromiseLike<T>,
  settled: (value: T) => void,
  failed: (error: unknown) => void,
): void {
  // A foreign `then` may call back twice, synchronously, or with a promise that never settles.
  const own = promise.then === then ? promise : Promise.resolve(promise);
  void then.call(own as Promise<T>, settled as (value: unknown) => void, failed);
}
