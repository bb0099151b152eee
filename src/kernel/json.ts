/**
 * JSON data: args, results, stored values and records consist of it. A copy is deeply frozen, contains only data and
 * keeps the key order, which people and tools see. Code that compares, hashes or records data uses
 * {@link canonicalText}, which does not depend on the key order.
 */

import { BridleError, messageOf } from './errors.ts';

export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: JsonValue;
}

export interface JsonLimits {
  /** Size as JSON text in UTF-8. */
  readonly bytes: number;
  readonly depth: number;
}

export type JsonCopy = { readonly value: JsonValue; readonly problem?: undefined } | { readonly problem: string };

/** Copies, freezes and checks any value. If it is not JSON data, `problem` says what is wrong and where. */
export function copyJson(value: unknown, limits: JsonLimits): JsonCopy {
  const copier = new Copier(limits);
  let copy: JsonValue | undefined;
  try {
    copy = copier.copy(value, 0);
  } catch (error) {
    // A getter or a proxy of the value threw.
    return { problem: `cannot be read: ${messageOf(error)}` };
  }
  return copy === undefined ? { problem: copier.describe() } : { value: copy };
}

/** {@link copyJson}, but throws if the value is not JSON data. For values that the caller must get right. */
export function requireJson(value: unknown, limits: JsonLimits, what: string): JsonValue {
  const copy = copyJson(value, limits);
  if (copy.problem !== undefined) throw new BridleError('NOT_JSON', `${what} ${copy.problem}`);
  return copy.value;
}

const canonicalTexts = new WeakMap<object, string>();

/** The same data with sorted keys at every level. Returns the value itself if its keys are sorted already. */
export function canonicalJson(value: JsonValue): JsonValue {
  // Most data is small and sorted: checking is cheaper than a cache.
  return typeof value !== 'object' || value === null || isCanonical(value) ? value : sortKeys(value);
}

/** JSON text that is equal for equal data, independent of the key order. Cached for frozen data. */
export function canonicalText(value: JsonValue): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  let text = canonicalTexts.get(value);
  if (text === undefined) {
    text = JSON.stringify(canonicalJson(value));
    if (Object.isFrozen(value)) canonicalTexts.set(value, text);
  }
  return text;
}

export function sameJson(one: JsonValue, other: JsonValue): boolean {
  return one === other || canonicalText(one) === canonicalText(other);
}

function isCanonical(value: JsonValue): boolean {
  if (typeof value !== 'object' || value === null) return true;
  if (Array.isArray(value)) return value.every(isCanonical);
  const fields = value as JsonObject;
  let before = '';
  for (const key of Object.keys(fields)) {
    if (key < before || !isCanonical(fields[key] as JsonValue)) return false;
    before = key;
  }
  return true;
}

function sortKeys(value: object): JsonValue {
  if (Array.isArray(value)) return Object.freeze(value.map((item: JsonValue) => canonicalJson(item)));
  const fields = value as JsonObject;
  const copy: Record<string, JsonValue> = {};
  for (const key of Object.keys(fields).toSorted()) {
    const item = fields[key] as JsonValue;
    // Checked here to save a call: most items are not objects.
    const sorted = typeof item === 'object' ? canonicalJson(item) : item;
    if (key === '__proto__') Object.defineProperty(copy, key, { value: sorted, enumerable: true });
    else copy[key] = sorted;
  }
  return Object.freeze(copy);
}

export function isJsonObject(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** True if `text` takes at most `bytes` bytes in UTF-8. */
export function fitsBytes(text: string, bytes: number): boolean {
  if (text.length > bytes) return false;
  return text.length * 3 <= bytes || utf8Length(text.toWellFormed()) <= bytes;
}

/** The UTF-8 length of well-formed text. */
export function utf8Length(text: string): number {
  let bytes = text.length;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit > 0x7f) bytes += unit > 0x7ff && (unit < 0xd800 || unit > 0xdfff) ? 2 : 1;
  }
  return bytes;
}

/** Cuts `text` to `limit` characters and notes how many are missing. */
export function cutText(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const kept = text.slice(0, limit).toWellFormed();
  return `${kept}… [cut: ${text.length - limit} more characters]`;
}

/** Cuts `text` to at most `bytes` bytes in UTF-8 and notes how many characters are missing. */
export function cutToBytes(text: string, bytes: number): string {
  let kept = Math.min(text.length, bytes);
  while (!fitsBytes(text.slice(0, kept), bytes)) kept = Math.floor(kept * 0.8);
  return cutText(text, kept);
}

/** Matches characters that JSON escapes or that take more than one byte. */
const needsCare = /[^\x20\x21\x23-\x5b\x5d-\x7e]/;

/** Keys without a value are skipped, but reading them takes time. */
const maxUnset = 100_000;

class Copier {
  private left: number;
  private unset = 0;
  private problem = 'is not JSON data';
  private readonly where: string[] = [];

  constructor(private readonly limits: JsonLimits) {
    this.left = limits.bytes;
  }

  describe(): string {
    const where = this.where.toReversed().join('');
    return where === '' ? this.problem : `${this.problem} at ${where}`;
  }

  /** Returns undefined if refused; `problem` says why. Every value uses up some of `left`, so cycles end soon. */
  copy(value: unknown, depth: number): JsonValue | undefined {
    switch (typeof value) {
      case 'string':
        return this.copyString(value);
      case 'number':
        if (!Number.isFinite(value)) return this.refuse(`contains ${value}, which is not JSON`);
        return this.spend(String(value).length) ? (value === 0 ? 0 : value) : undefined;
      case 'boolean':
        return this.spend(value ? 4 : 5) ? value : undefined;
      case 'object':
        if (value === null) return this.spend(4) ? null : undefined;
        if (depth >= this.limits.depth) return this.refuse(`is deeper than ${this.limits.depth} levels`);
        return Array.isArray(value) ? this.copyArray(value, depth) : this.copyObject(value, depth);
      default:
        return this.refuse(`contains ${value === undefined ? 'undefined' : `a ${typeof value}`}, which is not JSON`);
    }
  }

  private copyString(value: string): string | undefined {
    if (value.length > this.left) return this.tooLarge();
    if (!needsCare.test(value)) return this.spend(value.length + 2) ? value : undefined;
    if (!value.isWellFormed()) return this.refuse('contains a lone surrogate');
    return this.spend(utf8Length(JSON.stringify(value))) ? value : undefined;
  }

  private copyArray(value: readonly unknown[], depth: number): JsonValue | undefined {
    const { length } = value;
    if (!this.spend(length === 0 ? 2 : length + 1)) return undefined;
    const copy: JsonValue[] = [];
    for (let i = 0; i < length; i++) {
      const item = this.copy(value[i], depth + 1);
      if (item === undefined) return this.at(`[${i}]`);
      copy.push(item);
    }
    return Object.freeze(copy);
  }

  private copyObject(value: object, depth: number): JsonValue | undefined {
    const proto: unknown = Object.getPrototypeOf(value);
    if (proto !== Object.prototype && proto !== null && !isPlainElsewhere(proto)) {
      return this.refuse(`contains ${nameOfClass(value)}, which is not JSON`);
    }
    if (!this.spend(2)) return undefined;
    const keys = Object.keys(value);
    const copy: Record<string, JsonValue> = {};
    let comma = 0;
    for (const key of keys) {
      const item: unknown = (value as Record<string, unknown>)[key];
      // Undefined properties are skipped, as JSON.stringify does.
      if (item === undefined) {
        if (++this.unset > maxUnset) return this.refuse(`contains more than ${maxUnset} keys without a value`);
        continue;
      }
      if (key === '__proto__') return this.refuse('contains a key named __proto__');
      if (this.copyString(key) === undefined || !this.spend(1 + comma)) return undefined;
      comma = 1;
      const itemCopy = this.copy(item, depth + 1);
      if (itemCopy === undefined)
        return this.at(/^[A-Za-z_$][\w$]*$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`);
      copy[key] = itemCopy;
    }
    return Object.freeze(copy);
  }

  private at(segment: string): undefined {
    if (this.where.length < 64) this.where.push(cutText(segment, 80));
    return undefined;
  }

  private spend(bytes: number): boolean {
    this.left -= bytes;
    if (this.left < 0) this.tooLarge();
    return this.left >= 0;
  }

  private tooLarge(): undefined {
    return this.refuse(`is larger than ${this.limits.bytes} bytes of JSON`);
  }

  private refuse(problem: string): undefined {
    this.problem = problem;
    return undefined;
  }
}

/** Plain objects of another realm (a vm context, a test runner) have that realm's Object.prototype. */
function isPlainElsewhere(proto: unknown): boolean {
  return (
    typeof proto === 'object' &&
    proto !== null &&
    Object.getPrototypeOf(proto) === null &&
    Object.hasOwn(proto, 'hasOwnProperty')
  );
}

function nameOfClass(value: object): string {
  const made: unknown = value.constructor;
  return typeof made === 'function' && !['', 'Object'].includes(made.name)
    ? `a ${made.name}`
    : 'an object with a prototype';
}
