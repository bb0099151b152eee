/**
 * State with a lifetime: session > turn > operation. Reads fall back to outer scopes; writes stay in this scope.
 * Values are frozen JSON data, so no one can change a stored value in place.
 */

import { systemClock } from '../clock.ts';
import { type Deadlines, deadlinesOf, timedOut, withTimeout } from '../deadlines.ts';
import { BridleError } from '../errors.ts';
import { type JsonValue, requireJson } from '../json.ts';
import { kindOf } from '../kind-of.ts';
import { defaultLimits, type Limits } from '../limits.ts';
import { isPromise } from '../maybe-promise.ts';
import type { StandardSchema } from '../tool.ts';

export interface Scope {
  /** True unless this is the outermost scope. */
  readonly hasParent: boolean;
  /** The value in this scope or in the nearest outer scope that has one. */
  get<T>(key: StateKey<T>): T;
  get(key: string): JsonValue | undefined;
  get<T extends JsonValue>(key: string, fallback: T): JsonValue | T;
  /** True if `get` would find a value. */
  has(key: StateKey<unknown> | string): boolean;
  /** Stores in this scope only. An outer value of that name is shadowed, not changed. */
  set<T>(key: StateKey<T>, value: T): void;
  set(key: string, value: unknown): void;
  /** Changes this scope's own value atomically: updates of the same key run one after another. Throws if called inside its own `change`. */
  update<T>(key: StateKey<T>, change: (current: T) => T | Promise<T>): Promise<T>;
  update(key: string, change: (current: JsonValue | undefined) => unknown, initial?: JsonValue): Promise<JsonValue>;
  /** Removes this scope's own value; returns whether there was one. */
  delete(key: StateKey<unknown> | string): boolean;
  /** The names stored in this scope, without outer scopes. */
  keys(): string[];
}

export interface ScopeOptions {
  readonly deadlines?: Deadlines | undefined;
  /** How long one update function may take. */
  readonly updateTimeoutMs?: number | undefined;
  /** Limits for each stored value. */
  readonly limits?: Pick<Limits, 'stateBytes' | 'depth'> | undefined;
}

/** A new scope; with a parent, an inner one. */
export function createScope(parent?: Scope, options: ScopeOptions = {}): Scope {
  return new MapScope(parent, options);
}

const defaultUpdateTimeoutMs = 5000;

/** Most scopes stay empty, and every session and turn has several, so the maps are created on first use. */
class MapScope implements Scope {
  private values: Map<string, JsonValue> | undefined;
  private queues: Map<string, Promise<unknown>> | undefined;
  private changing: Set<string> | undefined;

  constructor(
    private readonly parent: Scope | undefined,
    private readonly options: ScopeOptions,
  ) {}

  get hasParent(): boolean {
    return this.parent !== undefined;
  }

  get<T>(key: StateKey<T> | string, fallback?: T): T {
    const wanted = asKey(key, fallback);
    const own = this.values?.get(wanted.name);
    if (own !== undefined) return checkStateValue(wanted, own) as T;
    if (this.parent === undefined) return wanted.initial as T;
    return typeof key === 'string' ? (this.parent.get(key, fallback as JsonValue) as T) : this.parent.get(key);
  }

  has(key: StateKey<unknown> | string): boolean {
    const { name } = asKey(key);
    return this.values?.has(name) || (this.parent?.has(key) ?? false);
  }

  set(key: StateKey<unknown> | string, value: unknown): void {
    this.store(asKey(key), value);
  }

  update(key: StateKey<unknown> | string, change: (current: never) => unknown, initial?: JsonValue): Promise<never> {
    const wanted = asKey(key, initial);
    if (this.changing?.has(wanted.name)) {
      const nested = `update of "${wanted.name}" was called inside its own update function`;
      // Throws instead of rejecting: the promise may be ignored, but the outer update has to fail.
      throw new BridleError('SCOPE_UPDATE_NESTED', nested);
    }
    const before = this.queues?.get(wanted.name);
    const result = before === undefined ? this.change(wanted, change) : before.then(() => this.change(wanted, change));
    this.enqueue(wanted.name, result);
    return result as Promise<never>;
  }

  delete(key: StateKey<unknown> | string): boolean {
    const { name } = asKey(key);
    return this.values?.delete(name) ?? false;
  }

  keys(): string[] {
    return [...(this.values?.keys() ?? [])];
  }

  /** The next update of this key starts when this one has settled, even if it failed. */
  private enqueue(name: string, result: Promise<unknown>): void {
    const ended: Promise<unknown> = result.then(
      () => this.dequeue(name, ended),
      () => this.dequeue(name, ended),
    );
    (this.queues ??= new Map()).set(name, ended);
  }

  private dequeue(name: string, ended: Promise<unknown>): void {
    if (this.queues?.get(name) === ended) this.queues.delete(name);
  }

  private async change(key: StateKey<unknown>, change: (current: never) => unknown): Promise<JsonValue> {
    const stored = this.values?.get(key.name);
    const current = stored === undefined ? key.initial : checkStateValue(key, stored);
    let next: unknown;
    const changing = (this.changing ??= new Set());
    changing.add(key.name);
    try {
      next = change(current as never);
    } finally {
      changing.delete(key.name);
    }
    if (isPromise(next)) next = await this.settle(key.name, next);
    return this.store(key, next);
  }

  private async settle(name: string, next: PromiseLike<unknown>): Promise<unknown> {
    const limitMs = this.options.updateTimeoutMs ?? defaultUpdateTimeoutMs;
    const settled = await withTimeout(next, limitMs, { deadlines: this.options.deadlines ?? deadlinesOf(systemClock) });
    if (settled !== timedOut) return settled;
    const text = `the update of "${name}" did not settle within ${limitMs} ms (does it wait for itself?)`;
    throw new BridleError('SCOPE_UPDATE_TIMEOUT', text);
  }

  private store(key: StateKey<unknown>, value: unknown): JsonValue {
    const { name } = key;
    const { stateBytes: bytes, depth } = this.options.limits ?? defaultLimits;
    const stored = requireJson(value, { bytes, depth }, `the value of "${name}"`);
    checkStateValue(key, stored);
    (this.values ??= new Map()).set(name, stored);
    return stored;
  }
}

/** A plain name does not determine the type of its values. */
const untyped: StandardSchema = {
  '~standard': { version: 1, vendor: 'bridle', validate: (value) => ({ value }) },
};

function asKey<T>(key: StateKey<T> | string, fallback?: T): StateKey<T | undefined> {
  if (typeof key === 'string') return { name: key, initial: fallback, schema: untyped as StandardSchema<T> };
  if (typeof (key as Partial<StateKey<T>> | undefined)?.name === 'string') return key;
  throw new BridleError('OPTION_INVALID', 'the key of a scope must be a string or come from stateKey()');
}

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
function checkStateValue<T>(wanted: StateKey<T>, value: unknown): T {
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
