/** Refuses a hook with a method whose name looks like a point but is not one: it would never be called. */

import { BridleError } from '../../errors.ts';
import { isRecord } from '../../kind-of.ts';
import { foldPointName, likelyPoints, pointsNamed } from './foreign-names.ts';
import { type PointName, pointNames, points } from '../points/points.ts';

/** No class has this many ancestors, but a proxy may pretend to. */
const maxAncestors = 1000;

/** Checks own and inherited methods. Accessors are read only if their name is suspicious. */
export function refuseMisnamedMethods(hook: object, name: string, options: readonly string[]): void {
  for (const [member, descriptor] of membersOf(hook)) {
    const isData = !('get' in descriptor);
    if (isData && !isCallable(descriptor.value)) continue;
    const text = typeof member === 'symbol' ? (member.description ?? '') : member;
    if (member === text && isPoint(text)) continue;
    // `_gate` is a common name for a private helper.
    const option = options.find(
      (each) => each !== text && foldPointName(each) === foldPointName(text) && /^[a-z]/i.test(text),
    );
    if (option !== undefined) {
      const unknown = `hook "${name}": "${text}" is not known; did you mean "${option}"?`;
      throw new BridleError('HOOK_OPTION_INVALID', unknown);
    }
    const meant = text.toLowerCase() === 'run' ? meantByClass(hook) : likelyPoints(text);
    if (meant === undefined || !(isData || givesMethod(hook, member))) continue;
    const never = `hook "${name}" has a method "${text}", which is not a point and would never be called`;
    throw new BridleError('HOOK_POINT_MISSPELLED', `${never}; ${advice(meant)}`);
  }
}

function isPoint(name: string): name is PointName {
  return Object.hasOwn(points, name);
}

function advice(meant: readonly PointName[]): string {
  if (meant.length === 0) {
    return `name it after a point (${pointNames.join(', ')}), or rename it if it is a helper of your own`;
  }
  return `did you mean ${meant.map((point) => `"${point}"`).join(' or ')}? If it is a helper of your own, rename it`;
}

/** Every member with its descriptor, own members first. Overridden members are skipped. */
function* membersOf(hook: object): Generator<readonly [member: string | symbol, descriptor: PropertyDescriptor]> {
  const seen = new Set<string | symbol>();
  for (const at of ancestry(hook)) {
    for (const member of Reflect.ownKeys(at)) {
      const descriptor = seen.has(member) ? undefined : Object.getOwnPropertyDescriptor(at, member);
      seen.add(member);
      if (descriptor !== undefined) yield [member, descriptor];
    }
  }
}

function ancestry(hook: object): readonly object[] {
  const found: object[] = [];
  for (let at: object | null = hook; at !== null && at !== Object.prototype; at = Object.getPrototypeOf(at)) {
    if (found.length >= maxAncestors) throw new BridleError('HOOK_INVALID', 'the prototypes of a hook do not end');
    found.push(at);
  }
  return found;
}

/** An accessor that throws might return a method, so it counts as one. */
function givesMethod(hook: object, accessor: string | symbol): boolean {
  try {
    return isCallable(Reflect.get(hook, accessor));
  } catch {
    return true;
  }
}

/** A function, or a list of functions or matchers as in some other systems. */
function isCallable(value: unknown): boolean {
  if (!Array.isArray(value)) return typeof value === 'function';
  return value.some((each) => typeof each === 'function' || (isRecord(each) && 'hooks' in each));
}

/** For a method `run`, the class name shows the intended point: `class Gate extends PreToolCallDecideHook`. */
function meantByClass(hook: object): readonly PointName[] {
  for (const at of ancestry(hook)) {
    const made: unknown = Object.getOwnPropertyDescriptor(at, 'constructor')?.value;
    const name: unknown = typeof made === 'function' ? Object.getOwnPropertyDescriptor(made, 'name')?.value : undefined;
    const meant = typeof name === 'string' ? pointsNamed(name) : undefined;
    if (meant !== undefined) return meant;
  }
  return [];
}
