/** Code that stays synchronous until something is a promise. */

export type MaybePromise<T> = T | Promise<T>;

export function isPromise<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function';
}
