/** Parameters as both databases take them without loss. */

import { BridleError } from '../../kernel/errors.ts';
import type { SqlValue } from './database.ts';

/** Refuses what a database would change on the way: NUL cuts texts off, half a surrogate pair becomes another character. */
export function checkSqlValue(value: SqlValue): void {
  if (typeof value === 'string' && (value.includes('\0') || !value.isWellFormed())) {
    throw new BridleError('STORE_FAILED', 'A text with a NUL character or half a surrogate pair cannot be stored.');
  }
  if (typeof value === 'number' && !Number.isFinite(value)) {
    throw new BridleError('STORE_FAILED', `The number ${value} cannot be stored.`);
  }
}
