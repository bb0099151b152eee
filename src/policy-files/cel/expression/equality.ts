/** Compares JSON data and searches lists. Both spend steps. */

import type { JsonValue } from '../../../kernel/json.ts';
import type { Evaluation } from './evaluation.ts';

export function areEqual(a: JsonValue, b: JsonValue, evaluation: Evaluation): boolean {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) {
    if (typeof a === 'string' && typeof b === 'string' && a.length === b.length && a.length > 1000)
      evaluation.spend(a.length / 1000);
    return a === b;
  }
  evaluation.spend(1);
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
    return a.every((item: JsonValue, index) => areEqual(item, b[index] as JsonValue, evaluation));
  }
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  evaluation.spend(keys.length / 10);
  return keys.every((key) => {
    const [one, other] = [a, b] as readonly Record<string, JsonValue>[];
    return Object.hasOwn(b, key) && areEqual(one?.[key] as JsonValue, other?.[key] as JsonValue, evaluation);
  });
}

export function listIncludes(list: readonly JsonValue[], value: JsonValue, evaluation: Evaluation): boolean {
  evaluation.spend(list.length / 10);
  return list.some((item) => areEqual(item, value, evaluation));
}
