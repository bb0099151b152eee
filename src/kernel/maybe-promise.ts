/** Code that stays synchronous until something is a promise. */

export type MaybePromise<T> = T | Promise<T>;

/** True for anything with a `then`; a value that cannot even be asked is none. */
export function isPromise<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  if (typeof value !== 'object' || value === null) return false;
  try {
    // What most code gives is asked first, and cheaply.
    return value instanceof Promise || typeof (value as { then?: unknown }).then === 'function';
  } catch {
    return false;
  }
}

// oxlint-disable-next-line typescript/unbound-method
const { then } = Promise.prototype;

/** Tells later, once and only one of the two, whatever kind of thenable `promise` is. */
export function whenSettled<T>(
  promise: PromiseLike<T>,
  settled: (value: T) => void,
  failed: (error: unknown) => void,
): void {
  // A `then` of its own may answer twice, at once, or with a promise that hangs.
  const own = promise.then === then ? promise : Promise.resolve(promise);
  void then.call(own as Promise<T>, settled as (value: unknown) => void, failed);
}
