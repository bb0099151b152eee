import { BridleError } from '../errors.ts';
import { type JsonValue, requireJson } from '../json.ts';
import { kindOf } from '../kind-of.ts';
import { defaultLimits } from '../limits.ts';
import { isPromise } from '../maybe-promise.ts';
import type { StandardSchema } from '../tool.ts';

/** A typed key for values in a scope. */
export interface StateKey<T> {
  readonly name: string;
  readonly initial: T;
  /** Validates values. Without a schema, values must have the JSON type of `initial`. */
  readonly schema?: StandardSchema<T> | undefined;
}

/**
 * A typed key: `get`, `set` and `update` need no casts with it. A value of another JSON type than `initial` is an error,
 * because another hook may use the same name. Without `initial` and `schema`, or with an `initial` that may be null,
 * nothing can be checked, so the values are `unknown`.
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

/** Returns the value if it fits the key, and throws otherwise. A key without a known type accepts every value. */
export function checkStateValue<T>(wanted: StateKey<T>, value: unknown): T {
  const { name, initial, schema } = wanted;
  if (schema !== undefined) return checkSchema(name, value, schema);
  const [given, expected] = [kindOf(value), kindOf(initial)];
  // An initial null or undefined does not determine the type.
  if (initial === null || initial === undefined || given === expected) return value as T;
  const text =
    `the value stored under "${name}" is ${given}, but this key expects ${expected}: another hook may use the same ` +
    'name. Choose another name, or give the key a schema that accepts both';
  throw new BridleError('SCOPE_VALUE', text);
}

function checkSchema<T>(name: string, value: unknown, schema: StandardSchema<T>): T {
  const result = schema['~standard'].validate(value);
  if (isPromise(result)) throw new BridleError('SCOPE_VALUE', `the schema of key "${name}" is asynchronous`);
  if (result.issues === undefined) return result.value;
  const issues = result.issues.map(({ message }) => message).slice(0, 8);
  throw new BridleError('SCOPE_VALUE', `the value stored under "${name}" does not fit its key: ${issues.join('; ')}`);
}
