import { BridleError } from '../errors.ts';
import { type JsonValue, requireJson } from '../json.ts';
import { kindOf } from '../kind-of.ts';
import { defaultLimits } from '../limits.ts';
import { isPromise } from '../maybe-promise.ts';
import type { StandardSchema } from '../tool.ts';

/** A named place in a scope whose values have one type. */
export interface StateKey<T> {
  readonly name: string;
  readonly initial: T;
  /** Values are checked against it. Without it, they are checked against the JSON type of `initial`. */
  readonly schema?: StandardSchema<T> | undefined;
}

/**
 * A typed key: `get`, `set` and `update` with it need no casts. A value of another JSON type than `initial` is an error,
 * because other hooks may store something else under the same name. Without `initial` and `schema` nothing can be
 * checked, so the values are `unknown`; the same holds for an `initial` that may be null.
 * @example
 * const tokens = key<number>('tokens', 0);
 */
export function stateKey(name: string): StateKey<unknown>;
export function stateKey<T extends JsonValue>(name: string, initial: T): StateKey<null extends T ? unknown : T>;
export function stateKey<T>(name: string, initial: NoInfer<T>, schema: StandardSchema<T>): StateKey<T>;
export function stateKey(name: string, initial?: unknown, schema?: StandardSchema): StateKey<unknown> {
  const bounds = { bytes: defaultLimits.stateBytes, depth: defaultLimits.depth };
  const first = initial === undefined ? undefined : requireJson(initial, bounds, `the initial value of "${name}"`);
  return Object.freeze({ name, initial: first, schema });
}

/** The value if it is what the key says; a key that cannot tell takes every value. */
export function checkStateValue<T>(wanted: StateKey<T>, value: unknown): T {
  const { name, initial, schema } = wanted;
  if (schema !== undefined) return checkSchema(name, value, schema);
  const [given, expected] = [kindOf(value), kindOf(initial)];
  // Null and undefined say nothing about the other values of a key.
  if (initial === null || initial === undefined || given === expected) return value as T;
  const text =
    `the value stored under "${name}" is ${given}, and this key holds ${expected}: another hook may use the same ` +
    'name. Choose a name of your own, or give the key a schema that accepts both';
  throw new BridleError('SCOPE_VALUE', text);
}

function checkSchema<T>(name: string, value: unknown, schema: StandardSchema<T>): T {
  const result = schema['~standard'].validate(value);
  if (isPromise(result)) throw new BridleError('SCOPE_VALUE', `the schema of key "${name}" is asynchronous`);
  if (result.issues === undefined) return result.value;
  const issues = result.issues.map(({ message }) => message).slice(0, 8);
  throw new BridleError('SCOPE_VALUE', `the value stored under "${name}" does not fit its key: ${issues.join('; ')}`);
}
