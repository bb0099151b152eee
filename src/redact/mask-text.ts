/** The mask that replaces a secret in a record: `[masked:LENGTH:HASH]`, alone or inside a longer text. */

import { createHmac } from 'node:crypto';
import type { JsonValue } from '../kernel/json.ts';

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
