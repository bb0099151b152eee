import { type JsonValue, mustCopyJson } from '../json.ts';
import { defaultLimits } from '../limits.ts';

/** A named place in a scope whose values have one type. */
export interface Key<T> {
  readonly name: string;
  readonly initial: T;
}

/**
 * A typed key: `get`, `set` and `update` with it need no casts.
 * @example
 * const tokens = key<number>('tokens', 0);
 */
export function key<T extends JsonValue>(name: string, initial: T): Key<T> {
  const bounds = { bytes: defaultLimits.stateBytes, depth: defaultLimits.depth };
  return Object.freeze({ name, initial: mustCopyJson(initial, bounds, `the initial value of "${name}"`) as T });
}
