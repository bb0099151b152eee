/** A hook: a named plain object with methods for some points. */

import { BridleError, messageOf } from '../../errors.ts';
import type { HookContext } from '../points/hook-context.ts';
import { kindOf } from '../../kind-of.ts';
import { defaultLimits } from '../../limits.ts';
import * as is from '../../shapes.ts';
import { Invalid, type ShapesOf, isRecord } from '../../shapes.ts';
import { refuseMisnamedMethods } from './method-names.ts';
import { type ActionAt, type PointPayloads, type PointName, pointNames, points } from '../points/points.ts';

export interface HookOptions {
  /** Lower runs first. Default: 100. */
  readonly priority?: number | undefined;
  /** Time limit for one asynchronous answer. */
  readonly timeoutMs?: number | undefined;
  /** True: a hook that throws or hangs is ignored. False: the operation fails. Default: false at gate points, true elsewhere. */
  readonly failOpen?: boolean | undefined;
  /** Runs even after another hook has replaced the value. It may then only reject or confirm. */
  readonly gate?: boolean | undefined;
  /** Only observes: must not answer, never closes a gate, and runs last, even after a replace or a reject. */
  readonly observes?: boolean | undefined;
  /** Runs in the background and cannot answer. Not allowed at gate points. */
  readonly detached?: boolean | undefined;
}

type Nothing = undefined | void;

/** What a method for a point may return: nothing, one of the point's actions, or a promise of either. */
type HookAnswer<P extends PointName> = Nothing | ActionAt<P> | Promise<Nothing | ActionAt<P>>;

export type HookMethod<P extends PointName> = (payload: PointPayloads[P], ctx: HookContext) => HookAnswer<P>;

type HookMethods = { readonly [P in PointName]?: HookMethod<P> | undefined };

export interface Hook extends HookOptions, HookMethods {
  readonly name: string;
  /** The tools it is about, written as rule targets. An agent does not start if one of them does not exist. */
  readonly tools?: readonly string[] | undefined;
}

/** A method of an observing hook. It cannot answer. */
type ObservingMethod<P extends PointName> = (payload: PointPayloads[P], ctx: HookContext) => Nothing | Promise<Nothing>;

type ObservingMethods = { readonly [P in PointName]?: ObservingMethod<P> | undefined };

/** A hook with `observes: true`. A method that answers does not compile. */
export interface ObservingHook extends Omit<Hook, PointName>, ObservingMethods {
  readonly observes: true;
  readonly gate?: false | undefined;
  readonly failOpen?: true | undefined;
}

/** A hook as it was when it was registered. Later changes to the object affect only its own state. */
export interface RegisteredHook {
  readonly self: object;
  readonly name: string;
  readonly options: HookOptions;
  readonly methods: ReadonlyMap<PointName, HookMethod<PointName>>;
}

const shapes: ShapesOf<HookOptions> = {
  priority: is.anyNumber,
  timeoutMs: is.finitePositive,
  failOpen: is.flag,
  gate: is.flag,
  observes: is.flag,
  detached: is.flag,
};
const shape = is.options<FunctionHookOptions>({ ...shapes, name: is.any }, { open: true });
const functionHookShape = is.options<FunctionHookOptions>({ ...shapes, name: is.any });

const hookFields: readonly string[] = [...Object.keys(shapes), 'name'];

/** Reads each member of a hook once. Throws if it is not a valid hook. */
export function readHook(hook: unknown, nameLength: number): RegisteredHook {
  try {
    return read(hook, nameLength);
  } catch (error) {
    if (error instanceof BridleError) throw error;
    throw new BridleError('HOOK_INVALID', `a hook cannot be read: ${messageOf(error)}`, { cause: error });
  }
}

function read(hook: unknown, nameLength: number): RegisteredHook {
  if (!isRecord(hook)) {
    throw new BridleError(
      'HOOK_INVALID',
      `a hook is ${kindOf(hook)}, not an object${typeof hook === 'function' ? hintFor(hook) : ''}`,
    );
  }
  const { name } = hook as Partial<Hook>;
  if (typeof name !== 'string' || name.trim() === '') {
    throw new BridleError('HOOK_UNNAMED', `a hook with ${methodList(hook)} has no name`);
  }
  if (name.length > nameLength) {
    throw new BridleError(
      'HOOK_UNNAMED',
      `the hook name "${name.slice(0, 40)}…" is longer than ${nameLength} characters`,
    );
  }
  refuseMisnamedMethods(hook, name, hookFields);
  const options = shape(hook, defaultLimits);
  const methods = readMethods(hook, name);
  const problem = options instanceof Invalid ? options.texts()[0] : optionProblem(options, methods);
  if (problem !== undefined) throw new BridleError('HOOK_OPTION_INVALID', `hook "${name}": ${problem}`);
  return { self: hook, name, options: options as HookOptions, methods };
}

function readMethods(hook: object, name: string): RegisteredHook['methods'] {
  const methods = new Map<PointName, HookMethod<PointName>>();
  for (const point of pointNames) {
    const member: unknown = Reflect.get(hook, point);
    if (member === undefined) continue;
    if (typeof member !== 'function') {
      throw new BridleError('HOOK_INVALID', `${point} of hook "${name}" is ${kindOf(member)}, not a function`);
    }
    methods.set(point, member as HookMethod<PointName>);
  }
  return methods;
}

function optionProblem(options: HookOptions, methods: RegisteredHook['methods']): string | undefined {
  const { failOpen, gate, observes, detached } = options;
  if (observes === true && gate === true) {
    return '"observes" and "gate" exclude each other: an observing hook cannot reject';
  }
  if (observes === true && failOpen === false) {
    return '"observes" and "failOpen: false" exclude each other: an observing hook cannot stop anything';
  }
  if (detached !== true) return undefined;
  if (gate === true || failOpen === false) return 'a detached hook cannot gate or be fatal';
  const gated = [...methods.keys()].find((name) => points[name].gate);
  if (gated === undefined) return undefined;
  return `a detached hook only observes and cannot have a method for the gate ${gated}`;
}

function hintFor(made: unknown): string {
  return Function.prototype.toString.call(made).startsWith('class')
    ? '; for a class, register an instance: new MyHook()'
    : '; a function becomes one with a helper such as preToolCall(fn)';
}

function methodList(hook: object): string {
  const found = pointNames.filter((name) => name in hook);
  return found.length === 0 ? 'no method' : found.join(', ');
}

/** Options of the helpers that turn a function into a hook. */
interface FunctionHookOptions extends HookOptions {
  /** The name of the hook; the function's name if not set. */
  readonly name?: string | undefined;
}

type FunctionHook<P extends PointName> = (method: HookMethod<P>, options?: FunctionHookOptions) => Hook;

function functionHook<P extends PointName>(point: P): FunctionHook<P> {
  return (method, options = {}) => {
    if (typeof method !== 'function') {
      throw new BridleError('HOOK_INVALID', `${point}() takes a function, not a ${typeof method}`);
    }
    const name = options.name ?? method.name;
    if (name === '') {
      throw new BridleError(
        'HOOK_UNNAMED',
        `${point}(fn) got a function without a name; give one: ${point}(fn, { name })`,
      );
    }
    const read = functionHookShape(options, defaultLimits);
    if (read instanceof Invalid) {
      throw new BridleError('HOOK_OPTION_INVALID', `${point}(fn, options): option ${read.texts()[0]}`);
    }
    return { ...options, name, [point]: method };
  };
}

export const onSessionStart = functionHook('onSessionStart');
export const onSessionEnd = functionHook('onSessionEnd');
export const preTurn = functionHook('preTurn');
export const postTurn = functionHook('postTurn');
export const onTurnError = functionHook('onTurnError');
export const preLlmCall = functionHook('preLlmCall');
export const postLlmCall = functionHook('postLlmCall');
export const onLlmError = functionHook('onLlmError');
export const preToolCall = functionHook('preToolCall');
export const postToolCall = functionHook('postToolCall');
export const onToolError = functionHook('onToolError');
export const onInteraction = functionHook('onInteraction');
export const preCompaction = functionHook('preCompaction');
export const postCompaction = functionHook('postCompaction');
export const onEvent = functionHook('onEvent');
