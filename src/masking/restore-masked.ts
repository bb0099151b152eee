/** Putting secrets back where a person edited what was shown to them, and left masks as they were. */

import type { Mask } from '../approval.ts';
import type { JsonValue } from '../json.ts';
import { type Fields, mapFields, mapList } from './map-value.ts';
import { maskPattern } from './masked.ts';

/** By their masks. */
type Secrets = Map<string, string | number>;

const masks = new RegExp(maskPattern, 'g');

/**
 * `edited` with the secrets of `original` in the place of their masks. A mask that is none of them stays: whoever uses
 * the result must refuse it then (`holdsMasked`).
 */
export function restoreMasked<T extends JsonValue>(edited: T, original: JsonValue, mask: Mask): T {
  const secrets: Secrets = new Map();
  collect(original, mask(original), secrets);
  return (secrets.size === 0 ? edited : restore(edited, secrets)) as T;
}

function collect(original: unknown, masked: unknown, secrets: Secrets): void {
  if (original === masked) return;
  if (typeof masked === 'string') return collectTexts(original, masked, secrets);
  if (typeof original !== 'object' || original === null || typeof masked !== 'object' || masked === null) return;
  // Names can be masked, too; the order of fields stays.
  const [values, shown] = [Object.values(original), Object.values(masked)];
  for (const [at, value] of values.entries()) collect(value, shown[at], secrets);
}

/** A mask says how long its secret is, so that both texts can be laid side by side. */
function collectTexts(original: unknown, masked: string, secrets: Secrets): void {
  const text = String(original);
  let [from, at] = [0, 0];
  for (const { 0: mask, index } of masked.matchAll(masks)) {
    at += index - from;
    from = index + mask.length;
    const secret = text.slice(at, at + Number.parseInt(mask.slice('[masked:'.length), 10));
    at += secret.length;
    const next = masked.indexOf('[', from);
    const literal = masked.slice(from, next === -1 ? undefined : next);
    const fits = text.startsWith(literal, at) && (next !== -1 || at + literal.length === text.length);
    // Written there in another form, or laid out anew: that cannot be undone.
    if (!fits) return;
    secrets.set(mask, typeof original === 'number' ? original : secret);
  }
}

function restore(value: unknown, secrets: Secrets): unknown {
  if (typeof value === 'string') {
    const whole = secrets.get(value);
    return whole ?? value.replaceAll(masks, (mask) => String(secrets.get(mask) ?? mask));
  }
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return mapList(value, (each) => restore(each, secrets));
  return mapFields(value as Fields, {
    name: (name) => String(restore(name, secrets)),
    value: (each) => restore(each, secrets),
  });
}
