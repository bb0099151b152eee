/**
 * The mask that replaces a secret in a record: `[masked:LENGTH:HASH]`, alone or inside a longer text. After a person
 * edited masked data and left the masks unchanged, the secrets are restored.
 */

import { createHmac } from 'node:crypto';
import type { JsonValue } from '../kernel/json.ts';
import type { Mask } from '../kernel/approval.ts';
import { type DataFields, mapFields, mapList } from './map-value.ts';

const mask = /\[masked:\d+:[0-9a-f]{8}\]/;
const onlyMask = new RegExp(`^${mask.source}$`);

/** How every mask starts. */
export const maskStart = '[masked:';

/** The pattern of a mask, for use in other patterns. */
export const maskPattern = mask.source;

/**
 * Creates the mask of a secret. With the same key, equal secrets get equal masks; without the key, guesses cannot be
 * tested.
 */
export function maskText(secret: string, key: string | Uint8Array): string {
  const hash = createHmac('sha256', key).update(secret).digest('hex').slice(0, 8);
  return `${maskStart}${secret.length}:${hash}]`;
}

/** True if the text is exactly one mask. */
export function isMasked(text: string): boolean {
  return onlyMask.test(text);
}

/** True if a value contains a mask anywhere, including in field names. */
export function containsMask(value: JsonValue): boolean {
  if (typeof value === 'string') return mask.test(value);
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return (value as readonly JsonValue[]).some(containsMask);
  return Object.entries(value).some(([name, each]) => mask.test(name) || containsMask(each));
}

/** From mask to secret. */
type SecretsByMask = Map<string, string>;

const masks = new RegExp(maskPattern, 'g');

/**
 * Returns `edited` with each mask replaced by the secret that was at this position in `original`, and nowhere else. A
 * mask that was moved or is unknown stays; callers must then refuse the result (`containsMask`).
 */
export function restoreMasked<T extends JsonValue>(edited: T, original: JsonValue, mask: Mask): T {
  return restore(edited, original, mask(original)) as T;
}

/** Compares one position: the original, what was shown, and the edited value. */
function restore(edited: unknown, original: unknown, shown: unknown): unknown {
  if (original === shown) return edited;
  if (edited === shown) return original;
  if (typeof edited === 'string') return typeof shown === 'string' ? restoreText(edited, original, shown) : edited;
  if (isList(edited)) {
    if (!isList(original) || !isList(shown)) return edited;
    return mapList(edited, (each, at) => restore(each, original[at], shown[at]));
  }
  return isFields(edited) && isFields(original) && isFields(shown) ? restoreFields(edited, original, shown) : edited;
}

function restoreFields(edited: DataFields, original: DataFields, shown: DataFields): DataFields {
  const [names, values] = [Object.keys(original), Object.entries(shown)];
  // Names can be masked, too. The order of fields stays, unless two names became equal.
  if (names.length !== values.length) return edited;
  const nameOf = new Map(values.map(([name], at) => [name, names[at] as string]));
  return mapFields(edited, {
    name: (name) => {
      const originalName = nameOf.get(name) ?? name;
      return Object.hasOwn(edited, originalName) ? name : originalName;
    },
    value: (value, name) => {
      const originalName = nameOf.get(name);
      return originalName === undefined ? value : restore(value, original[originalName], shown[name]);
    },
  });
}

function restoreText(edited: string, original: unknown, shown: string): string {
  const text = String(original);
  // If the original contains something like a mask, it is ambiguous which one was kept.
  if (text.search(maskPattern) !== -1) return edited;
  const secrets = secretsOf(text, shown);
  return edited.replaceAll(masks, (mask) => secrets.get(mask) ?? mask);
}

/** A mask contains the length of its secret, so both texts can be aligned. */
function secretsOf(text: string, shown: string): SecretsByMask {
  const secrets: SecretsByMask = new Map();
  let [from, at] = [0, 0];
  for (const { 0: mask, index } of shown.matchAll(masks)) {
    at += index - from;
    from = index + mask.length;
    const secret = text.slice(at, at + Number.parseInt(mask.slice('[masked:'.length), 10));
    at += secret.length;
    const next = shown.indexOf('[', from);
    const literal = shown.slice(from, next === -1 ? undefined : next);
    const fits = text.startsWith(literal, at) && (next !== -1 || at + literal.length === text.length);
    // The secret was encoded or the text was reformatted, which cannot be undone.
    if (!fits) return secrets;
    secrets.set(mask, secret);
  }
  return secrets;
}

function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

function isFields(value: unknown): value is DataFields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
