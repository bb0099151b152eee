/** Compares args and results, which are nearly always equal: that is cheaper to see without their canonical texts. */

import { type JsonValue, sameJson } from '../kernel/json.ts';

/** {@link sameJson} for data that may come from the framework. */
export function sameData(one: unknown, other: unknown): boolean {
  return isEqual(one, other) || sameJson(one as JsonValue, other as JsonValue);
}

/** False also for data that only its text shows to be equal, such as objects of a class. */
function isEqual(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false;
  if (Array.isArray(one)) {
    if (!Array.isArray(other) || one.length !== other.length) return false;
    for (let i = 0; i < one.length; i++) if (!isEqual(one[i], other[i])) return false;
    return true;
  }
  if (!isPlain(one) || !isPlain(other)) return false;
  const keys = Object.keys(one);
  if (keys.length !== Object.keys(other).length) return false;
  for (const key of keys) if (!Object.hasOwn(other, key) || !isEqual(one[key], other[key])) return false;
  return true;
}

function isPlain(value: object): value is Record<string, unknown> {
  const proto: unknown = Object.getPrototypeOf(value);
  return proto === Object.prototype || proto === null;
}
